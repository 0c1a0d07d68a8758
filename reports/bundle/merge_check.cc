#include "reports/bundle/merge_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/running/journal.h"
#include "reports/bundle/bundle.h"
#include "reports/content/command_list.h"
#include "reports/content/commands.h"
#include "reports/text/summary.h"

namespace aqbench {
namespace {

constexpr const char* kMergedFrom = "merged_from";

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
      if (has(folder + kLogFile))
        log += fmt::format("== shard {}\n{}", runs_[i], read_log_file(bundle_ / (folder + kLogFile)));
    }
    for (const std::string& file : files_)
      if (file.starts_with(kShardsFolder) &&
          std::ranges::none_of(folders, [&](const std::string& folder) { return file.starts_with(folder); }))
        report(file, "belongs to no run that this one was merged from");
    if (results_.run.text_version == kSummaryVersion && has(kLogFile) &&
        read_log_file(bundle_ / kLogFile) != log)
      report(kLogFile, "is not the logs of the shards");
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
    if (list.commands[0].exit_code != 0 || list.commands[0].finished < list.commands[0].started)
      report(kCommandsFile, "is of a merge that did not end well");
  }

  void check_environments() {
    const Json shards = results_.environment->value("shards", Json());
    bool same = shards.is_array() && shards.size() == runs_.size();
    for (std::size_t i = 0; same && i < runs_.size(); ++i)
      same = shards[i].is_object() && shards[i].value("run", Json()) == Json(runs_[i]);
    if (!same) report("results.json", "environment.shards are not those of run.effective.merged_from");
    environments_ = same ? shards : Json::array();
  }

  // The shard's own list of hashes says which files it had.
  void check_shard(std::size_t i, const std::string& folder) {
    const HashList list = parse_hash_list(read_text_file(bundle_ / (folder + kHashListName)));
    for (const std::string& problem : list.problems) report(folder + kHashListName, problem);
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
  std::vector<Finding> findings_;
};

}  // namespace

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
