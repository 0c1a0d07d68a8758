#include "reports/bundle/bundle.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/tiles.h"
#include "harness/records/case_result.h"
#include "reports/bundle/statement.h"
#include "reports/content/bundle_files.h"
#include "reports/exports/benchmark_json.h"
#include "reports/html/ab_page.h"
#include "reports/html/report.h"
#include "reports/text/ab_summary.h"
#include "reports/text/summary.h"

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
  // Deepest first; `remove` leaves folders that hold something.
  std::ranges::sort(folders, std::ranges::greater{},
                    [](const fs::path& path) { return path.string().size(); });
  for (const fs::path& folder : folders) fs::remove(folder, ignored);
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
  remove_stale(bundle, {kSignatureName});
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

void seal_bundle(const std::filesystem::path& bundle, const std::vector<HashLine>& lines,
                 const SigningKey* key) {
  const std::string hashes = hash_list_text(lines);
  write_file(bundle / kHashListName, hashes);
  if (key != nullptr) write_file(bundle / kSignatureName, signature_text(*key, hashes));
}

}  // namespace

std::string bundle_stamp(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

std::string bundle_name(const std::filesystem::path& bundle) {
  return std::filesystem::absolute(bundle / ".").lexically_normal().parent_path().filename().string();
}

std::filesystem::path create_bundle_dir(const std::filesystem::path& out,
                                        std::chrono::system_clock::time_point now) {
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) throw Error(ErrorKind::io, out.string() + ": " + error.message());
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
  run.text_version = kSummaryVersion;
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
  if (of_comparison) return {kReportName};
  return {"benchmark.json", kInventoryName, kReportName, kStatementName};
}

std::string shard_folder(std::size_t i, const std::string& run_id) {
  return fmt::format("{}{}-{}/", kShardsFolder, i + 1, run_id);
}

bool is_file_of_a_case(std::string_view file) {
  constexpr std::string_view folders[] = {kTilesFolder, kCloudsFolder,   kDepthFolder,  kDiagnosisFolder,
                                          kLogsFolder,  kPicturesFolder, kViewerFolder, kViewsFolder};
  return std::ranges::any_of(folders, [&](std::string_view folder) { return is_in_folder(file, folder); });
}

bool is_left_out_by_merge(std::string_view file) {
  return file == "results.json" || file == kJournalFile || file == "summary.md" || file == kReportName;
}

std::shared_ptr<const JudgedComparison> take_comparison(Results& results) {
  if (!results.is_comparison()) return nullptr;
  auto judged = std::make_shared<JudgedComparison>();
  judged->document = document_of(std::move(results));
  judged->report = judge_ab(judged->document);
  return judged;
}

std::vector<DerivedFile> derived_files(const std::filesystem::path& bundle, const BundleContent& content,
                                       const std::shared_ptr<const JudgedComparison>& judged) {
  const Results& results = content.results;
  const auto environment = [&results] {
    return results.environment->dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  };
  if (results.is_comparison())
    return {{"env.json", environment},
            {"summary.md", [judged] { return render_ab_summary(judged->document, judged->report); }},
            {kReportName, [judged, bundle] {
               return ab_page(judged->document, judged->report,
                              read_ab_tiles(bundle, judged->document.samples));
             }}};
  return {{"env.json", environment},
          {"summary.md", [&content] { return render_summary(content); }},
          {"benchmark.json", [&results] { return benchmark_json_text(results); }},
          {kReportName, [bundle, &content] {
             return render_html_report(content,
                                       read_report_pictures(bundle, listed_on_page(content).results));
           }}};
}

void finalise_bundle(const std::filesystem::path& bundle, Results results, const SigningKey* key) {
  const std::filesystem::path file = bundle / "results.json";
  write_file_parts(file, [&](const WriteBytes& write) { write_results_text(results, write); });
  results = {};
  // From the text, as `aqbench verify` renders it.
  BundleContent content = read_bundle_content(bundle, read_any_results(file));
  for (const DerivedFile& derived : derived_files(bundle, content, take_comparison(content.results)))
    write_file(bundle / derived.name, derived.render());
  remove_stale(bundle, {kStatementName, kInventoryName});
  std::vector<HashLine> lines = hash_lines(bundle, required_bundle_files(content.results.is_comparison()));
  if (!content.results.is_comparison()) add_statement(bundle, content, lines);
  seal_bundle(bundle, lines, key);
}

void write_hash_list(const std::filesystem::path& bundle, const std::vector<std::string>& required,
                     const SigningKey* key) {
  seal_bundle(bundle, hash_lines(bundle, required), key);
}

}  // namespace aqbench
