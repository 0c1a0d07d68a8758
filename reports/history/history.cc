#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "harness/ab/benchmark_file.h"
#include "harness/ab/document.h"
#include "harness/running/journal.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/verify.h"
#include "reports/content/environment_text.h"
#include "reports/history/trend.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFolders = 3;  // below the one given

// Whether the folder is a calibration (`aqbench ab --calibrate`): of one version against itself, often.
bool is_calibration(const fs::path& folder) {
  if (!is_comparison(folder)) return false;
  std::ifstream journal(folder / kJournalFile);
  std::string header;
  std::getline(journal, header);
  return header.find("\"validation\":{") != std::string::npos;
}

// Whether the folder is a bundle, or what is left of one that has lost its results, and even a part of its
// list.
bool is_bundle(const fs::path& folder) {
  if (is_calibration(folder)) return false;
  if (is_file(folder / "results.json")) return true;
  if (!is_file(folder / kHashListName)) return false;
  if (is_file(folder / "journal.jsonl")) return true;
  try {
    const HashList list = parse_hash_list(read_text_file(folder / kHashListName, kMaxHashListBytes));
    return std::ranges::find(list.lines, "results.json", &HashLine::path) != list.lines.end();
  } catch (const Error&) {
    return false;  // nothing says that results were here
  }
}

// The folders in a folder, in order. Throws Error(input).
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    // A folder may be listed and yet nothing in it be looked at.
    const fs::file_status status = fs::symlink_status(entries->path(), error);
    if (status.type() == fs::file_type::not_found) error.clear();  // gone since
    if (error) break;
    if (fs::is_directory(status)) found.push_back(entries->path());
  }
  if (error) throw input_error("{}: {}", folder.string(), error.message());
  std::ranges::sort(found);
  return found;
}

void find_bundles_below(const fs::path& folder, int depth, std::vector<fs::path>& bundles) {
  const bool is_deepest = depth == kMaxFolders;
  const bool of_criterion =
      !is_deepest && folder.filename() == "criterion" && !benchmark_tool(folder).empty();
  if (is_bundle(folder) || of_criterion) {
    bundles.push_back(folder);
    return;
  }
  if (is_deepest) return;
  for (const fs::path& file : entries_of(folder))
    if (file.extension() == ".json" && !benchmark_tool(file).empty()) bundles.push_back(file);
  for (const fs::path& path : folders_in(folder)) find_bundles_below(path, depth + 1, bundles);
}

TrendRun trend_run(Results results) {
  TrendRun run;
  if (results.run.requested->is_object()) run.file = results.run.requested->value("file", "");
  run.id = results.run.id;
  run.started_utc = results.run.started_utc;
  const Json& environment = *results.environment;
  if (environment.is_object() && environment.contains("comparability"))
    run.machine = compact_json(environment.at("comparability"));
  run.commit = environment_value(environment, "build.commit");
  run.folder_commit = environment_value(environment, "working_directory_git.commit");
  if (const std::string commit = full_users_commit(results); !commit.empty()) run.folder_commit = commit;
  if (run.folder_commit == run.commit) run.folder_commit.clear();
  run.results = std::move(results);
  return run;
}

}  // namespace

std::vector<fs::path> find_bundles(const std::vector<fs::path>& folders) {
  std::vector<fs::path> bundles;
  for (const fs::path& folder : folders) {
    if (!folder_exists(folder) && !benchmark_tool(folder).empty()) {
      bundles.push_back(folder);
      continue;
    }
    require_bundle_folder(folder);
    find_bundles_below(folder, 0, bundles);
  }
  return bundles;
}

std::optional<std::string> commit_in_path(const std::string& pattern, const fs::path& path) {
  constexpr std::string_view kPlace = "{commit}";
  const std::size_t place = pattern.find(kPlace);
  if (place == std::string::npos)
    throw usage_error("--commit-of '{}': has no {{commit}}: 'results/{{commit}}.json'", pattern);
  const std::string before = pattern.substr(0, place), after = pattern.substr(place + kPlace.size());
  const std::string text = path.lexically_normal().generic_string();
  const auto is_border = [&](std::size_t at) { return at == text.size() || text[at] == '/'; };
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1)) {
    if (at > 0 && text[at - 1] != '/') continue;
    const std::size_t begin = at + before.size();
    const std::size_t slash = std::min(text.find('/', begin), text.size());
    for (std::size_t end = text.find(after, begin + 1); end <= slash; end = text.find(after, end + 1))
      if (is_border(end + after.size())) return text.substr(begin, end - begin);
  }
  return std::nullopt;
}

TrendHistory read_history(const std::vector<fs::path>& folders, const std::string& commit_of) {
  TrendHistory history;
  std::set<std::string> roots;
  bool matched = commit_of.empty();
  for (const fs::path& bundle : find_bundles(folders)) {
    Results results;
    const bool of_tool = !is_bundle(bundle);
    if (of_tool) {
      results = results_of_benchmarks(bundle);
    } else if (const VerifyReport report = verify_bundle(bundle, &results); !report.ok()) {
      history.problems.push_back(fmt::format("{}: left out: {}", bundle.string(), first_problem(report)));
      continue;
    } else {
      // What a comparison counts for is its B.
      if (is_comparison(bundle))
        results = results_of_b(document_of(read_any_results(bundle / "results.json")));
      if (!roots.insert(root_digest(results)).second) {
        history.notes.push_back(bundle.string() + ": left out: its records are there already");
        continue;
      }
    }
    TrendRun& run = history.runs.emplace_back(trend_run(std::move(results)));
    run.folder = bundle;
    if (of_tool && run.machine.empty()) {
      run.machine = "not recorded by " + run.results.run.suite;
      history.notes.push_back(bundle.string() +
                              ": does not say of which machine: taken as that of its tool's others");
    }
    if (commit_of.empty()) continue;
    if (const auto commit = commit_in_path(commit_of, bundle)) {
      run.folder_commit = *commit;
      matched = true;
    }
  }
  if (!matched) throw usage_error("--commit-of '{}': no bundle or file lies there", commit_of);
  std::ranges::stable_sort(history.runs, {},
                           [](const TrendRun& run) { return std::pair(run.started_utc, run.id); });
  return history;
}

}  // namespace aqbench
