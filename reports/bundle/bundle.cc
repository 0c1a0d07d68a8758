#include "reports/bundle/bundle.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/samples.h"
#include "harness/records/case_result.h"
#include "harness/records/json_parts.h"
#include "reports/content/run_sections.h"
#include "reports/exports/tools.h"
#include "reports/html/report.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

// Removes what a killed run left, and folders that nothing was written to.
void tidy_bundle(const std::filesystem::path& bundle) {
  namespace fs = std::filesystem;
  remove_write_leftovers(bundle);
  std::error_code ignored;  // what cannot be removed is found by the listing below
  std::vector<fs::path> folders;
  for (const auto& entry : fs::recursive_directory_iterator(bundle, ignored))
    if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) folders.push_back(entry.path());
  // Those inside of others first; `remove` leaves folders that hold something.
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) fs::remove(*folder, ignored);
}

// Throws for anything that cannot be evidence and for a required file that is absent.
std::vector<std::string> listed_files(const std::filesystem::path& bundle,
                                      const std::vector<std::string>& required) {
  BundleListing listing = list_bundle_files(bundle);
  if (!listing.problems.empty()) {
    const Finding& first = listing.problems.front();
    throw input_error("{}: {}", (bundle / first.file).string(), first.what);
  }
  for (const std::string& file : required)
    if (file != kHashListName && !std::ranges::binary_search(listing.files, file))
      throw input_error("{}: no such file; a bundle needs it", (bundle / file).string());
  return std::move(listing.files);
}

void remove_stale(const std::filesystem::path& bundle, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    std::error_code ignored;  // what cannot be removed is found by the listing afterwards
    std::filesystem::remove_all(bundle / name, ignored);
  }
}

// Tidies the bundle and hashes its files.
std::vector<HashLine> hash_lines(const std::filesystem::path& bundle,
                                 const std::vector<std::string>& required) {
  remove_stale(bundle, {kOldSignatureName});
  tidy_bundle(bundle);
  std::vector<HashLine> lines;
  for (const std::string& file : listed_files(bundle, required))
    if (file != kHashListName) lines.push_back({sha256_file_hex(bundle / file), file});
  return lines;
}

// Writes inventory.txt and statement.json over the files in `lines`, and adds both there.
void add_statement(const std::filesystem::path& bundle, const BundleContent& content,
                   std::vector<HashLine>& lines) {
  std::vector<InventoryItem> items;
  for (const HashLine& line : lines) items.push_back({line.path, regular_file_size(bundle / line.path)});
  const auto add_file = [&](const char* name, const std::string& text) {
    write_file(bundle / name, text);
    lines.push_back({sha256_hex(text), name});
    std::ranges::sort(lines, {}, &HashLine::path);
  };
  add_file(kInventoryName, inventory_text(items));
  add_file(kStatementName, statement_text(content, lines));
}

void seal_bundle(const std::filesystem::path& bundle, const std::vector<HashLine>& lines) {
  write_file(bundle / kHashListName, hash_list_text(lines));
}

Json digest_json(const std::string& sha256) { return {{"sha256", sha256}}; }

// The elements of "subject" as text: a bundle may have very many files, and a document of all takes four
// times the room.
std::string subjects_text(const std::vector<HashLine>& files) {
  std::string text;
  for (const HashLine& file : files) {
    text += text.empty() ? "\n  " : ",\n  ";
    text += indented_json({{"name", file.path}, {"digest", digest_json(file.sha256)}}, 2);
  }
  return text;
}

// Resource descriptors of the run's inputs.
Json configuration_json(const BundleContent& content, const std::vector<HashLine>& files) {
  Json configuration = Json::array();
  configuration.push_back({{"name", "plan"}, {"digest", digest_json(content.results.run.plan_sha256)}});
  const auto baseline = std::ranges::find(files, kBaselineCopyName, &HashLine::path);
  if (baseline != files.end())
    configuration.push_back({{"name", kBaselineCopyName}, {"digest", digest_json(baseline->sha256)}});
  return configuration;
}

struct StatedCases {
  std::set<std::string> failed, warned;
};

StatedCases verdicts_of(const BundleContent& content) {
  StatedCases verdicts;
  for (const Record& record : content.results.records) {
    if (record.status == Status::skipped)
      verdicts.warned.insert(record.case_name);
    else if (record.status != Status::ok)
      verdicts.failed.insert(record.case_name);
  }
  if (!content.baseline) return verdicts;
  const Verdicts& report = *content.gated;
  if (!report.refusal.empty())  // no case was compared
    for (const Record& record : content.results.records) verdicts.warned.insert(record.case_name);
  for (const VerdictRow& row : report.rows) {
    if (row.verdict == Verdict::added && row.metric.empty()) verdicts.warned.insert(row.case_name);
    if (is_refused(row.verdict)) verdicts.failed.insert(row.case_name);
  }
  for (const std::string& name : verdicts.failed) verdicts.warned.erase(name);
  return verdicts;
}

// What a file of a bundle is, or a file of a folder.
const char* what_is(const std::string& path) {
  static constexpr std::pair<const char*, const char*> kKnown[] = {
      {"results.json", "records: raw samples, unrounded, effective options"},
      {"journal.jsonl", "the same records as they finished, each line chained to the one before"},
      {"summary.md", "the results for people"},
      {"report.html", "the results as pictures, self-contained"},
      {"env.json", "machine, build, libraries"},
      {"commands.txt", "what was run, from which commit, how it ended, real, user and system time"},
      {"bench.log", "what the cases wrote"},
      {"tests.log", "the program's tests: list and run"},
      {"notes.txt", "notes of whoever ran it"},
      {"baseline.json", "the accepted values that the run was gated on"},
      {kNumbersName, "the table that the numbers were imported from"},
      {"benchmark.json", "times in Google Benchmark's format"},
      {kTilesFolder, "errors by place"},
      {kViewsFolder, "completeness by number of views"},
      {kCloudsFolder, "what was scored"},
      {kPicturesFolder, "depths of a camera and their errors, for people"},
      {kDiagnosisFolder, "why there are holes, each camera's errors"},
      {kDepthFolder, "depth errors of each camera"},
      {kViewerFolder, "points with their errors, holes, cameras: what the page turns"},
      {kLogsFolder, "what external commands printed"},
  };
  if (is_in_folder(path, kPicturesFolder) && path.ends_with(".jpg")) return "a photograph that the case used";
  for (const auto& [name, meaning] : kKnown)
    if (path == name || is_in_folder(path, name)) return meaning;
  return "";
}

}  // namespace

std::string bundle_stamp(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string bundle_name(const std::filesystem::path& bundle) {
  return std::filesystem::absolute(bundle / ".").lexically_normal().parent_path().filename().string();
}

void require_bundle_folder(const std::filesystem::path& bundle) {
  if (!path_exists(bundle)) throw input_error.of_file(bundle.string(), "no such file or folder");
  if (!folder_exists(bundle))
    throw input_error.of_file(bundle.string(),
                              "is a file; a bundle is a folder, as eval and run leave it with --out DIR");
}

std::filesystem::path create_bundle_dir(const std::filesystem::path& out,
                                        std::chrono::system_clock::time_point now) {
  make_folders(out);
  const std::string stamp = bundle_stamp(now);
  for (int number = 0;; ++number) {
    std::filesystem::path folder = out / (number == 0 ? stamp : fmt::format("{}-{}", stamp, number));
    // mkdir both makes a folder and tells whether it was there before.
    if (::mkdir(folder.c_str(), 0777) == 0) return folder;
    if (errno != EEXIST) throw Error(ErrorKind::io, folder.string() + ": " + std::strerror(errno));
  }
}

Results results_of_run(const SweepPlan& plan, const Journal& journal, Json environment) {
  Results results;
  RunInfo& run = results.run;
  run.id = journal.header().run_id;
  run.suite = plan.suite;
  run.started_utc = journal.header().started_utc;
  run.finished_utc = utc_now();
  run.planned_cases = plan.cases.size();
  run.plan_sha256 = plan.sha256;
  run.requested = requested_json(plan.request);
  run.effective = effective_json(plan);
  results.environment = std::move(environment);
  results.records = journal.records();
  run.complete = results.records.size() == plan.cases.size();
  return results;
}

std::vector<std::string> required_bundle_files(bool of_comparison) {
  std::vector<std::string> files = {"bench.log",    "commands.txt", "env.json",  "journal.jsonl",
                                    "results.json", "sha256.txt",   "summary.md"};
  if (of_comparison) files.erase(files.begin());
  return files;
}

std::vector<std::string> derived_bundle_files(bool of_comparison) {
  if (of_comparison) return {};
  return {"benchmark.json", kInventoryName, kStatementName};
}

std::shared_ptr<const JudgedComparison> take_comparison(Results& results) {
  if (!results.is_comparison()) return nullptr;
  auto judged = std::make_shared<JudgedComparison>();
  judged->document = document_of(std::move(results));
  judged->report = judge_ab(judged->document);
  return judged;
}

std::vector<DerivedFile> derived_files(const BundleContent& content,
                                       const std::shared_ptr<const JudgedComparison>& judged) {
  const Results& results = content.results;
  const auto environment = [&results] {
    return results.environment->dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  };
  if (results.is_comparison())
    return {{"env.json", environment},
            {"summary.md", [judged] { return render_ab_summary(judged->document, judged->report); }}};
  return {{"env.json", environment},
          {"summary.md", [&content] { return render_summary(content); }},
          {"benchmark.json", [&results] { return benchmark_json_text(results); }}};
}

std::string render_page(const std::filesystem::path& bundle, const BundleContent& content,
                        const JudgedComparison* judged) {
  if (judged != nullptr)
    return ab_page(judged->document, judged->report, read_ab_tiles(bundle, judged->document.samples));
  return render_html_report(content, read_report_pictures(bundle, listed_on_page(content).results));
}

void finalise_bundle(const std::filesystem::path& bundle, Results results, bool with_page) {
  // What is being written anew is not sealed. A folder in the place of the list stays, and sealing fails.
  std::error_code ignored;
  std::filesystem::remove(bundle / kHashListName, ignored);
  const std::filesystem::path file = bundle / "results.json";
  write_file_parts(file, [&](const WriteBytes& write) { write_results_text(results, write); });
  results = {};
  // From the text, as `aqbench verify` renders it.
  BundleContent content = read_bundle_content(bundle, read_any_results(file));
  const auto judged = take_comparison(content.results);
  for (const DerivedFile& derived : derived_files(content, judged))
    write_file(bundle / derived.name, derived.render());
  remove_stale(bundle, {kStatementName, kInventoryName, kReportName});
  if (with_page) write_file(bundle / kReportName, render_page(bundle, content, judged.get()));
  std::vector<HashLine> lines = hash_lines(bundle, required_bundle_files(content.results.is_comparison()));
  if (!content.results.is_comparison()) add_statement(bundle, content, lines);
  seal_bundle(bundle, lines);
}

void write_hash_list(const std::filesystem::path& bundle, const std::vector<std::string>& required) {
  seal_bundle(bundle, hash_lines(bundle, required));
}

std::string statement_text(const BundleContent& content, const std::vector<HashLine>& files) {
  const StatedCases verdicts = verdicts_of(content);
  Json passed = Json::array(), warned = Json::array(), failed = Json::array();
  for (const Record& record : content.results.records) {
    if (verdicts.failed.contains(record.case_name)) continue;
    (verdicts.warned.contains(record.case_name) ? warned : passed).push_back(record.case_name);
  }
  // Cases of the baseline without a record, too.
  for (const std::string& name : verdicts.failed) failed.push_back(name);
  const bool doubtful = !warned.empty() || !content.results.run.complete;
  const bool tests_failed = !content.tests.empty() && content.tests != "passed";
  const bool not_passed = content.gated && content.gated->exit_code() != ExitCode::pass;
  const Json statement = {{"_type", "https://in-toto.io/Statement/v1"},
                          {"subject", Json::array()},
                          {"predicateType", "https://in-toto.io/attestation/test-result/v0.1"},
                          {"predicate",
                           {{"result", !failed.empty() || tests_failed || not_passed ? "FAILED"
                                       : doubtful                                    ? "WARNED"
                                                                                     : "PASSED"},
                            {"configuration", configuration_json(content, files)},
                            {"passedTests", std::move(passed)},
                            {"warnedTests", std::move(warned)},
                            {"failedTests", std::move(failed)}}}};
  std::string text = indented_json(statement) + '\n';
  constexpr std::string_view kNoSubjects = "\"subject\": []";
  if (!files.empty())
    text.insert(text.find(kNoSubjects) + kNoSubjects.size() - 1, subjects_text(files) + "\n ");
  return text;
}

std::string inventory_text(const std::vector<InventoryItem>& items) {
  std::size_t width = 5;
  std::uintmax_t total = 0;
  for (const InventoryItem& item : items) {
    width = std::max(width, item.path.size());
    total += item.bytes;
  }
  std::string text =
      "# Files of this bundle but inventory.txt, statement.json, sha256.txt, signature.json.\n";
  for (const InventoryItem& item : items) {
    std::string line = fmt::format("{:>12}  {:<{}}  {}", item.bytes, item.path, width, what_is(item.path));
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text + fmt::format("{:>12}  {}\n", total, counted(items.size(), "file"));
}

}  // namespace aqbench
