#include "reports/bundle/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/files.h"
#include "core/parallel.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/bundle_path.h"
#include "harness/running/plan_check.h"
#include "reports/bundle/bundle.h"
#include "reports/content/environment_text.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxRenderedBytes = std::uintmax_t{256} << 20;

// Returns "aqbench 0.1.0, commit 0123456789ab".
std::string maker_of(const Results& results) {
  const auto value = [&](const char* name) { return environment_value(*results.environment, name); };
  const std::string commit = value("build.commit");
  return printable("aqbench " + value("build.version") +
                   (commit.empty() ? "" : ", commit " + commit.substr(0, 12)));
}

class Verifier {
 public:
  explicit Verifier(std::filesystem::path bundle) : bundle_(std::move(bundle)) {}

  // Fills `checked`, if any, with the results, none where they could not be read.
  VerifyReport run(Results* checked) {
    BundleListing listing = list_bundle_files(bundle_);
    report_.findings = std::move(listing.problems);
    files_ = std::move(listing.files);
    if (is_unfinished()) return std::move(report_);
    report_.of_units = is_comparison(bundle_);
    required_ = required_bundle_files(report_.of_units);
    for (const std::string& file : required_)
      if (!has(file)) add_finding(file, "is missing");
    std::optional<Results> results = check_hashes_and_results();
    if (has(kOldSignatureName))
      report_.notes.push_back(
          "signature.json is of an older version and is not checked; see docs/migration.md");
    if (results) check_run_files(*results);
    if (results && checked != nullptr) *checked = std::move(*results);
    std::ranges::stable_sort(report_.findings, {}, &Finding::file);
    return std::move(report_);
  }

 private:
  void add_finding(const std::string& file, std::string what) {
    report_.findings.push_back({file, std::move(what)});
  }

  // Runs `check`; what it throws becomes a finding about `file`.
  template <class Check>
  void guarded(const std::string& file, const Check& check) {
    try {
      check();
    } catch (const Error& error) {
      add_finding(file, without_path(error.what(), bundle_ / file));
    }
  }

  bool has(const std::string& file) const { return std::ranges::binary_search(files_, file); }

  // A killed run leaves its journal.
  bool is_unfinished() {
    if (!has(kJournalFile) || has("results.json") || has(kHashListName)) return false;
    add_finding(kJournalFile, fmt::format("the {} did not end; go on with: aqbench {} --resume {}",
                                          is_comparison(bundle_) ? "comparison" : "sweep",
                                          is_comparison(bundle_) ? "ab" : "sweep", bundle_.string()));
    return true;
  }

  // Hashes the files, and reads the results meanwhile on another thread.
  std::optional<Results> check_hashes_and_results() {
    HashCheck hashes;
    std::optional<Results> results;
    parallel_for(2, 1, [&](std::size_t part, std::size_t) {
      if (part == 0)
        results = check_results();
      else
        hashes = check_hashes(bundle_, files_, required_);
    });
    add_findings(std::move(hashes.findings));
    hash_list_ = std::move(hashes.lines);
    report_.files = hashes.files;
    return results;
  }

  std::optional<Results> check_results() {
    if (!has("results.json")) return std::nullopt;
    std::optional<Results> results;
    guarded("results.json", [&] {
      const std::filesystem::path path = bundle_ / "results.json";
      Results read = read_any_results(path);
      if (results_sha256(read) != sha256_file_hex(path))
        add_finding("results.json", "is not in the form that aqbench writes");
      if (!read.is_comparison()) {
        report_.root_digest = root_digest(read);
        report_.metrics_digest = metrics_digest(read);
      }
      report_.records = read.records.size();
      report_.complete = read.run.complete;
      if (!read.is_comparison() && read.run.complete != (read.records.size() == read.run.planned_cases))
        add_finding("results.json",
                    fmt::format("says complete = {} with {} records of {} planned cases", read.run.complete,
                                read.records.size(), read.run.planned_cases));
      results = std::move(read);
    });
    return results;
  }

  void check_run_files(Results& results) {
    BundleContent content;
    content.results = std::move(results);
    guarded("results.json", [&] { add_findings(check_case_files(bundle_, content.results, files_)); });
    const auto judged = check_journal(content.results);  // takes the units of a comparison
    const bool of_units = content.results.is_comparison();
    for (const std::string& file : derived_bundle_files(of_units))
      if (!has(file) && std::ranges::find(report_.findings, file, &Finding::file) == report_.findings.end())
        add_finding(file, "is missing");
    const std::vector<DerivedFile> derived = derived_files(content, judged);
    require_text(derived.front().name, derived.front().render);  // env.json, which needs nothing else
    if (read_content(content) && (judged != nullptr || !of_units)) check_views(content, derived);
    if (!of_units) check_inventory();
    results = std::move(content.results);
  }

  // Checks what is rendered from the results and the files beside them.
  void check_views(const BundleContent& content, const std::vector<DerivedFile>& derived) {
    for (const DerivedFile& file : derived)
      if (file.name == "summary.md" && !is_of_this_build_)
        report_.notes.emplace_back("summary.md: hash only, written by another build");
      else if (file.name != derived.front().name)
        require_text(file.name, file.render);
    if (!content.results.is_comparison()) check_statement(content);
  }

  // A file that can be rendered again has that text. That it is missing is named elsewhere.
  void require_text(const std::string& file, const std::function<std::string()>& render,
                    const char* otherwise = "is not what the bundle renders to") {
    if (!has(file)) return;
    guarded(file, [&] {
      if (read_text_file(bundle_ / file, kMaxRenderedBytes) != render()) add_finding(file, otherwise);
    });
  }

  // Reads what the derived files are rendered from. A file that cannot be read becomes a finding.
  bool read_content(BundleContent& content) {
    try {
      read_beside_results(bundle_, content);
      return true;
    } catch (const Error& error) {
      const std::string file =
          std::filesystem::path(error.file()).lexically_relative(bundle_).generic_string();
      const bool known = is_bundle_path(file);
      add_finding(known ? file : "summary.md", known ? error.problem() : error.what());
      return false;
    }
  }

  // The inventory follows from the list of hashes. If a file is not as that list says, it has been named
  // already, and naming the inventory as well would only hide it.
  void check_inventory() {
    if (!report_.findings.empty()) return;
    const auto render = [&] {
      std::vector<InventoryItem> items;
      for (const HashLine& line : hash_list_)
        if (line.path != kInventoryName && line.path != kStatementName)
          items.push_back({line.path, regular_file_size(bundle_ / line.path)});
      return inventory_text(items);
    };
    require_text(kInventoryName, render, "is not the list of the files that are here");
  }

  void check_statement(const BundleContent& content) {
    if (hash_list_.empty()) return;
    const auto render = [&] {
      std::vector<HashLine> lines = hash_list_;
      std::erase_if(lines, [](const HashLine& line) { return line.path == kStatementName; });
      return statement_text(content, lines);
    };
    require_text(kStatementName, render, "is not what the hashes and results say");
  }

  // Everything that stands on the journal; what cannot be read is named, the rest left out. The measuring
  // loop of a comparison is followed on the recorded pairs.
  std::shared_ptr<const JudgedComparison> check_journal(Results& results) {
    std::shared_ptr<const JudgedComparison> judged;
    if (!has(kJournalFile)) return judged;
    guarded(kJournalFile, [&] {
      const JournalContents journal = read_journal(bundle_, TornTail::refuse, KeptRecords::ends);
      is_of_this_build_ = is_of_this_program(journal.header);
      add_findings(check_run(results, journal));
      if (results.is_comparison())
        return guarded("results.json", [&] {
          judged = take_comparison(results);
          const std::string problem = comparison_problem(judged->document, *results.comparison,
                                                         journal.header, journal.resumptions.size());
          if (!problem.empty()) add_finding("results.json", problem);
        });
      if (!journal.header.numbers->empty())
        return guarded(kNumbersName, [&] { add_findings(check_numbers(bundle_, results, journal.header)); });
      const PlanCheck plan = check_plan(results, journal);
      for (const std::string& problem : plan.problems) add_finding("results.json", problem);
      if (!plan.other_version.empty()) {
        report_.old_plan =
            fmt::format("plan not computed again (made by {}): {}", maker_of(results), plan.other_version);
        report_.notes.push_back(report_.old_plan);
      }
      if (!plan.not_planned_again.empty()) report_.notes.push_back(plan.not_planned_again);
      guarded(kLogFile, [&] { add_findings(check_log(bundle_, results.run.complete, journal)); });
    });
    return judged;
  }

  void add_findings(std::vector<Finding> findings) {
    for (Finding& finding : findings) report_.findings.push_back(std::move(finding));
  }

  std::vector<std::string> files_, required_;
  std::filesystem::path bundle_;
  std::vector<HashLine> hash_list_;  // empty where sha256.txt does not hold together
  bool is_of_this_build_ = false;    // what renders summary.md
  VerifyReport report_;
};

}  // namespace

VerifyReport verify_bundle(const std::filesystem::path& bundle, Results* results) {
  require_bundle_folder(bundle);
  return Verifier(bundle).run(results);
}

std::string bundle_page(const std::filesystem::path& bundle, const std::string& since) {
  BundleContent content;
  require_verified(verify_bundle(bundle, &content.results), bundle);
  if (content.results.is_comparison()) content.results = read_any_results(bundle / "results.json");
  read_beside_results(bundle, content);
  if (content.gated && !since.empty()) content.gated->against += "; " + since;
  const auto judged = take_comparison(content.results);
  return render_page(bundle, content, judged.get());
}

}  // namespace aqbench
