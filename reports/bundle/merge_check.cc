#include "reports/bundle/merge_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/comparability.h"
#include "harness/running/journal.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/bundle_content.h"
#include "reports/content/command_list.h"
#include "reports/content/commands.h"
#include "reports/content/test_run.h"
#include "reports/content/utc.h"
#include "reports/text/summary.h"

namespace aqbench {
namespace {

constexpr const char* kMergedFrom = "merged_from";
constexpr double kMaxProcessors = 8192;  // that Linux knows

class MergeChecker {
 public:
  MergeChecker(const std::filesystem::path& bundle, const Results& results,
               const std::vector<std::string>& files)
      : bundle_(bundle), results_(results), files_(files) {}

  std::vector<Finding> run() {
    if (!read_runs()) {
      report("results.json", "run.effective.merged_from: is no list of runs");
      return std::move(findings_);
    }
    check_command();
    check_environments();
    if (results_.run.text_version == kSummaryVersion) check_added();
    std::string log;
    std::set<std::string> folders;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::string folder = shard_folder(i, runs_[i]);
      folders.insert(folder);
      if (!has(folder + kHashListName)) {
        report(folder + kHashListName, "is missing, though the run was merged from it");
        continue;
      }
      if (results_.run.text_version != kSummaryVersion) continue;  // another version may copy other files
      check_shard(i, folder);
      read_shard_times(folder);
      if (has(folder + kLogFile))
        log += fmt::format("== shard {}\n{}", runs_[i], read_log_file(bundle_ / (folder + kLogFile)));
    }
    for (const std::string& file : files_)
      if (file.starts_with(kShardsFolder) &&
          std::ranges::none_of(folders, [&](const std::string& folder) { return file.starts_with(folder); }))
        report(file, "belongs to no run that this one was merged from");
    if (results_.run.text_version == kSummaryVersion) {
      if (has(kLogFile) && read_log_file(bundle_ / kLogFile) != log)
        report(kLogFile, "is not the logs of the shards");
      check_times();
    }
    return std::move(findings_);
  }

 private:
  void report(std::string file, std::string what) { findings_.push_back({std::move(file), std::move(what)}); }
  bool has(const std::string& file) const { return std::ranges::binary_search(files_, file); }

  bool read_runs() {
    const Json& from = results_.run.effective->at(kMergedFrom);
    if (!from.is_array() || from.size() < 2) return false;
    for (const Json& run : from) {
      if (!run.is_object() || !run.contains("run") || !run.at("run").is_string()) return false;
      if (run.size() > 2 || (run.size() == 2 && !run.contains("root_digest"))) return false;
      runs_.push_back(run.at("run").get<std::string>());
      if (!is_bundle_path(runs_.back()) || runs_.back().find('/') != std::string::npos) return false;
    }
    return true;
  }

  void check_command() {
    const CommandList list = parse_commands(read_text_file(bundle_ / kCommandsFile));
    if (!list.problem.empty()) return report(kCommandsFile, list.problem);
    if (list.commands.size() != 1 || !list.commands[0].is("merge"))
      return report(kCommandsFile, "is not that of a merge, which run.effective.merged_from says it was");
    merge_ = list.commands[0];
    if (merge_.exit_code != 0 || merge_.finished < merge_.started)
      return report(kCommandsFile, "is of a merge that did not end well");
    const auto begin = seconds_of_utc(merge_.started), end = seconds_of_utc(merge_.finished);
    const double real_s = merge_.real_s.value_or(0),
                 used_s = merge_.user_s.value_or(0) + merge_.sys_s.value_or(0);
    if (begin && end && real_s > static_cast<double>(*end - *begin) + kCommandSlackS)
      report(kCommandsFile, fmt::format("real {} s, from {} to {}", real_s, merge_.started, merge_.finished));
    if (used_s > (real_s + kCommandSlackS) * kMaxProcessors)
      report(kCommandsFile, fmt::format("user and sys {} s in {} s", used_s, real_s));
  }

  // Reads when a shard began and ended.
  void read_shard_times(const std::string& folder) {
    // Google Benchmark's format tells when the run began.
    constexpr std::string_view kDate = "\"date\": \"";
    constexpr std::size_t kUtcBytes = 20;  // 2026-01-31T12:00:00Z
    if (!has(folder + kCommandsFile) || !has(folder + "benchmark.json")) return;
    const CommandList list = parse_commands(read_text_file(bundle_ / (folder + kCommandsFile)));
    const std::string benchmark = read_text_file(bundle_ / (folder + "benchmark.json"));
    const std::size_t date = benchmark.find(kDate);
    if (!list.problem.empty() || date == benchmark.npos) return;
    started_.push_back(benchmark.substr(date + kDate.size(), kUtcBytes));
    finished_.push_back(list.commands.back().finished);
  }

  // The run is from the first of its shards to the last; they were there when they were merged. Clocks of
  // machines may differ.
  void check_times() {
    constexpr std::int64_t kClocksDifferS = 86400;
    if (started_.size() != runs_.size()) return;
    const std::string first = std::ranges::min(started_), last = std::ranges::max(finished_);
    if (results_.run.started_utc != first)
      report("results.json", fmt::format("run.started_utc: is not when the first shard began, {}", first));
    if (results_.run.finished_utc > last)
      report("results.json", fmt::format("run.finished_utc: is after the last shard, {}", last));
    const auto merged = seconds_of_utc(merge_.started), ended = seconds_of_utc(last);
    if (merged && ended && *merged + kClocksDifferS < *ended)
      report(kCommandsFile, fmt::format("merged at {} what ended at {}", merge_.started, last));
  }

  // A merge adds nothing that its shards do not have.
  void check_added() {
    if (has(kTestsLog)) report(kTestsLog, "a merge runs no tests");
    std::vector<std::string> notes;
    std::set<std::string> baselines;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const std::string folder = shard_folder(i, runs_[i]);
      if (has(folder + kNotesName))
        std::ranges::move(notes_of_shard(runs_[i], read_notes(bundle_ / (folder + kNotesName))),
                          std::back_inserter(notes));
      const std::string baseline = folder + kBaselineCopyName;
      baselines.insert(has(baseline) ? sha256_file_hex(bundle_ / baseline) : std::string());
    }
    if (has(kNotesName) ? read_file(bundle_ / kNotesName) != notes_text(notes) : !notes.empty())
      report(kNotesName, "is not the notes of the shards");
    const std::string baseline = baselines.size() == 1 ? *baselines.begin() : std::string();
    if (has(kBaselineCopyName) ? sha256_file_hex(bundle_ / kBaselineCopyName) != baseline : !baseline.empty())
      report(kBaselineCopyName, "is not what all shards were gated on");
  }

  void check_environments() {
    const Json shards = results_.environment->value("shards", Json());
    bool same = shards.is_array() && shards.size() == runs_.size();
    for (std::size_t i = 0; same && i < runs_.size(); ++i)
      same = shards[i].is_object() && shards[i].size() == 2 &&
             shards[i].value("run", Json()) == Json(runs_[i]) && shards[i].contains("environment") &&
             shards[i].at("environment").is_object();
    if (same && results_.run.text_version == kSummaryVersion &&
        merged_environment(shards) != *results_.environment)
      report("results.json", "environment is not what the environments of the shards give");
    if (!same) report("results.json", "environment.shards are not those of run.effective.merged_from");
    environments_ = same ? shards : Json::array();
  }

  // The shard's own list of hashes says which files it had: all that a bundle must have, and no others but
  // those that are added to a finished bundle.
  void check_shard(std::size_t i, const std::string& folder) {
    const HashList list = parse_hash_list(read_text_file(bundle_ / (folder + kHashListName)));
    for (const std::string& problem : list.problems) report(folder + kHashListName, problem);
    std::set<std::string> listed;
    for (const HashLine& line : list.lines) listed.insert(line.path);
    for (const std::string& file : required_bundle_files())
      if (file != kHashListName && !listed.contains(file))
        report(folder + kHashListName, fmt::format("lacks {}, which every bundle has", file));
    for (const std::string& file : files_) {
      if (!file.starts_with(folder)) continue;
      const std::string own = file.substr(folder.size());
      if (!listed.contains(own) && own != kHashListName && own != kSignatureName && !is_added_evidence(own))
        report(file, "was in no shard");
    }
    for (const HashLine& line : list.lines) {
      if (is_left_out_by_merge(line.path)) continue;
      const std::string file = is_file_of_a_case(line.path) ? line.path : folder + line.path;
      if (!has(file))
        report(file, "is missing, though it was in a shard");
      else if (sha256_file_hex(bundle_ / file) != line.sha256)
        report(file, "is not the file of the shard");
    }
    if (i < environments_.size() && has(folder + "env.json") &&
        read_strict_json(bundle_ / (folder + "env.json")) != environments_[i].value("environment", Json()))
      report(folder + "env.json", "is not the environment of the shard in results.json");
  }

  const std::filesystem::path& bundle_;
  const Results& results_;
  const std::vector<std::string>& files_;
  std::vector<std::string> runs_;
  Json environments_;
  RanCommand merge_;
  std::vector<std::string> started_, finished_;  // when the shards were
  std::vector<Finding> findings_;
};

}  // namespace

Json merged_environment(Json shards) {
  Json merged = shards.at(0).at("environment");
  const Json key = comparability_of(merged);
  const bool same = std::ranges::all_of(
      shards, [&](const Json& shard) { return comparability_of(shard.at("environment")) == key; });
  if (!same) merged["comparability"] = {{"mixed", "shards ran on machines or builds that differ"}};
  merged["shards"] = std::move(shards);
  return merged;
}

std::vector<std::string> notes_of_shard(const std::string& run_id, std::vector<std::string> notes) {
  for (std::string& note : notes) note = fmt::format("{}: {}", run_id, note);
  return notes;
}

std::vector<Finding> check_merged(const std::filesystem::path& bundle, const Results& results,
                                  const std::vector<std::string>& files) {
  if (!results.run.effective->contains(kMergedFrom)) return {};
  try {
    return MergeChecker(bundle, results, files).run();
  } catch (const Error& error) {
    return {{kCommandsFile, fmt::format("or what a merge keeps of its shards: {}", error.problem())}};
  }
}

}  // namespace aqbench
