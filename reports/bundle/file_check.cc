#include "reports/bundle/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/profile_details.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/bundle_content.h"
#include "reports/content/environment_text.h"
#include "reports/content/test_run.h"

namespace aqbench {
namespace {

constexpr const char* kCommandsFile = "commands.txt";
constexpr const char* kShardsFolder = "shards/";
constexpr double kCommandSlackS = 2;

// One command in commands.txt.
struct RunCommand {
  std::string started, finished, commit, words;
  std::optional<int> exit_code;
  std::optional<double> real_s;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// What a process can end with; any other number is beyond an int or would be taken for none.
bool is_exit_code(double number) { return number >= 0 && number <= 255 && number == std::floor(number); }

std::vector<RunCommand> read_commands(std::string_view text) {
  std::vector<RunCommand> commands;
  for (const std::string_view line : lines_of(text)) {
    const auto after = [&](std::string_view lead) {
      return line.starts_with(lead) ? std::optional(std::string(line.substr(lead.size()))) : std::nullopt;
    };
    if (const auto started = after("started: ")) commands.push_back({*started, {}, {}, {}, {}, {}});
    if (commands.empty()) continue;
    RunCommand& command = commands.back();
    if (const auto commit = after("commit: ")) command.commit = *commit;
    if (const auto words = after("command: ")) command.words = *words;
    if (const auto finished = after("finished: ")) command.finished = *finished;
    if (const auto code = after("exit code: "))
      if (const auto number = parse_double(*code); number && is_exit_code(*number))
        command.exit_code = static_cast<int>(*number);
    if (const auto real = after("real "); real && real->ends_with(" s"))
      command.real_s = parse_double(std::string_view(*real).substr(0, real->size() - 2));
  }
  return commands;
}

class FileChecker {
 public:
  FileChecker(const std::filesystem::path& bundle, const Results& results, const JournalContents& journal,
              const std::vector<std::string>& files)
      : bundle_(bundle), results_(results), journal_(journal), files_(files) {}

  std::vector<Finding> run() {
    check_case_files();
    check_log();
    if (merged_runs(results_.run) == 1) check_commands();
    check_tests();
    return std::move(findings_);
  }

 private:
  void report(const std::string& file, std::string what) { findings_.push_back({file, std::move(what)}); }
  bool has(std::string_view file) const { return std::ranges::binary_search(files_, file); }

  void check_case_files() {
    std::set<std::string, std::less<>> bound;
    for (const Record& record : results_.records) {
      if (!record.files) continue;
      for (const CaseFile& file : *record.files) {
        if (!is_bundle_path(file.path) || is_file_of_bundle(file.path) || !bound.insert(file.path).second)
          report("results.json", fmt::format("case {}: '{}' is no file of this case alone",
                                             printable(record.case_name), printable(file.path)));
        else if (!has(file.path))
          report(file.path, "is missing, though a record names it");
        else if (sha256_file_hex(bundle_ / file.path) != file.sha256)
          report(file.path, "is not the file that the case's process wrote");
      }
    }
    for (const std::string& file : files_)
      if (!bound.contains(file) && !is_file_of_bundle(file) && !is_flamegraph_of(file, bound) &&
          !is_added_evidence(file))
        report(file, "is of no case and no file of a bundle");
  }

  bool is_file_of_bundle(std::string_view file) const {
    static const std::set<std::string, std::less<>> known = [] {
      std::set<std::string, std::less<>> names = {"benchmark.json", kNotesName, kBaselineCopyName, kTestsLog,
                                                  kSignatureName};
      names.insert(required_bundle_files().begin(), required_bundle_files().end());
      names.insert(derived_bundle_files().begin(), derived_bundle_files().end());
      return names;
    }();
    return known.contains(file) || (merged_runs(results_.run) > 1 && file.starts_with(kShardsFolder));
  }

  // `profile --flamegraph` draws it beside the profile.
  static bool is_flamegraph_of(std::string_view file, const std::set<std::string, std::less<>>& bound) {
    const std::size_t slash = file.rfind('/');
    return slash != std::string_view::npos && file.substr(slash + 1) == kFlamegraphFile &&
           bound.contains(std::string(file.substr(0, slash + 1)) + kProfileDetailsFile);
  }

  // The journal marks how far the log had come with each of its lines.
  void check_log() {
    const std::string log = read_file(bundle_ / kLogFile);
    std::uint64_t start = 0;
    std::string_view rest = log;
    std::vector<std::string_view> parts;
    for (const LogMark& mark : journal_.log_marks) {
      if (mark.bytes < start || mark.bytes > log.size())
        return report(kLogFile, "is not as long as the journal says");
      parts.push_back(std::string_view(log).substr(start, mark.bytes - start));
      if (sha256_hex(parts.back()) != mark.sha256)
        return report(kLogFile,
                      fmt::format("bytes {} to {} are not what the journal knows", start, mark.bytes));
      start = mark.bytes;
      rest = std::string_view(log).substr(start);
    }
    if (results_.run.complete && !rest.empty())
      report(kLogFile, "goes on after the last record of the journal");
    if (merged_runs(results_.run) == 1) check_ends(log);
    check_log_times(log);
  }

  // The sweep writes "== UTC CASE" before a case or one of its blocks, and "-- STATUS: REASON" after it.
  void check_ends(std::string_view log) {
    std::multiset<std::string> begun, ended;
    for (const std::string_view line : lines_of(log)) {
      if (line.starts_with("-- ")) ended.emplace(line.substr(3));
      if (line.starts_with("== ") && line.size() > 24) begun.emplace(line.substr(24));
    }
    std::set<std::string_view> in_blocks;
    const auto take = [&](const auto& record) {
      const std::string end = to_string(record.status) + (record.reason.empty() ? "" : ": ") + record.reason;
      const auto found = ended.find(end);
      if (found == ended.end())
        report(kLogFile, fmt::format("does not say that a case ended with '{}'", printable(end)));
      else
        ended.erase(found);
    };
    for (const Record& block : journal_.blocks) {
      in_blocks.insert(block.case_name);
      take(block);
    }
    for (const CaseEnd& record : case_ends(journal_)) {
      if (!in_blocks.contains(record.case_name)) take(record);
      if (!begun.contains(record.case_name))
        report(kLogFile, fmt::format("does not say when case {} began", printable(record.case_name)));
    }
  }

  void check_log_times(std::string_view log) {
    const auto started = seconds_of_utc(results_.run.started_utc),
               finished = seconds_of_utc(results_.run.finished_utc);
    if (!started || !finished) return;
    for (const std::string_view line : lines_of(log)) {
      if (!line.starts_with("== ") || line.size() < 23) continue;
      const auto at = seconds_of_utc(std::string(line.substr(3, 20)));
      if (at && (*at < *started || *at > *finished))
        return report(kLogFile, fmt::format("'{}' is not within the run", printable(line)));
    }
  }

  void check_commands() {
    const std::vector<RunCommand> commands = read_commands(read_text_file(bundle_ / kCommandsFile));
    if (commands.empty()) return report(kCommandsFile, "names no command");
    const auto started = seconds_of_utc(results_.run.started_utc);
    std::optional<std::int64_t> before = started;
    for (const RunCommand& command : commands) {
      const auto begin = seconds_of_utc(command.started), end = seconds_of_utc(command.finished);
      if (!begin || (before && *begin < *before))
        report(kCommandsFile, "its commands are not in order of time");
      before = begin;
      if (!end) continue;  // a killed run
      if (begin && *end < *begin) report(kCommandsFile, "a command ends before it starts");
      const double wall_s = begin ? static_cast<double>(*end - *begin) : 0;
      // A machine that sleeps stops the clock of `real` alone.
      if (command.real_s && *command.real_s > wall_s + kCommandSlackS)
        report(kCommandsFile,
               fmt::format("real {} s, from {} to {}", *command.real_s, command.started, command.finished));
    }
    const RunCommand& last = commands.back();
    if (!last.exit_code) return report(kCommandsFile, "does not say how the last command ended");
    check_exit_code(*last.exit_code);
    const auto finished = seconds_of_utc(results_.run.finished_utc), end = seconds_of_utc(last.finished);
    if (finished && end && *end < *finished) report(kCommandsFile, "ends before the run in results.json");
    check_commit(last.commit);
    check_flags(commands.front().words);
  }

  // The flags that choose and change cases stand in the command as in what was asked for.
  void check_flags(const std::string& words) {
    if (!words.starts_with("aqbench sweep --")) return;  // a profile names its cases without flags
    // A run that was killed before it noted its command, and gone on with: the journal has what was asked
    // for.
    if (words.starts_with("aqbench sweep --resume ")) return;
    const std::string asked = reproduce_command(results_.run) + " ", given = words + " ";
    const auto has_flag = [](const std::string& text, const char* flag) {
      const std::string name = fmt::format(" --{}", flag);
      return text.find(name + " ") != std::string::npos || text.find(name + "=") != std::string::npos;
    };
    for (const char* const flag : {"suite", "scene", "method", "workload", "axis", "set", "seed", "repeat",
                                   "device", "inject", "threads", "repetitions", "blocks", "precision"})
      if (has_flag(given, flag) != has_flag(asked, flag))
        report(kCommandsFile,
               fmt::format("{} --{}, unlike run.requested", has_flag(given, flag) ? "has" : "lacks", flag));
  }

  void check_exit_code(int code) {
    const bool failed = std::ranges::any_of(results_.records, [](const Record& record) {
      return record.status != Status::ok && record.status != Status::skipped;
    });
    const int expected = !results_.run.complete ? 130 : failed ? 3 : -1;  // -1: a gate or tests decide
    if (expected >= 0 ? code != expected : code == 3 || code == 130)
      report(kCommandsFile, fmt::format("says exit code {}, which does not follow from the records", code));
  }

  void check_commit(const std::string& commit) {
    const Json& environment = *results_.environment;
    const auto git = environment.find("working_directory_git");
    if (git == environment.end() || !git->is_object() || !git->contains("commit")) return;
    const Json& known = git->at("commit");
    if (known.is_string() && known != Json(commit))
      report(kCommandsFile, fmt::format("is of commit {}, the environment of {}", printable(commit),
                                        printable(known.get<std::string>())));
  }

  void check_tests() {
    if (!has(kTestsLog)) return;
    const std::string log = read_text_file(bundle_ / kTestsLog);
    if (test_result(log) != "passed") return;
    for (const std::string_view line : lines_of(log))
      if (line.starts_with("exit code: ") && line != "exit code: 0")
        report(kTestsLog, fmt::format("says that the tests passed, and '{}'", printable(line)));
  }

  const std::filesystem::path& bundle_;
  const Results& results_;
  const JournalContents& journal_;
  const std::vector<std::string>& files_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_files(const std::filesystem::path& bundle, const Results& results,
                                 const JournalContents& journal, const std::vector<std::string>& files) {
  return FileChecker(bundle, results, journal, files).run();
}

}  // namespace aqbench
