#include "reports/bundle/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/checking/source_check.h"
#include "harness/records/case_result.h"
#include "harness/records/comparability.h"
#include "harness/records/profile_details.h"
#include "reports/bundle/added_evidence.h"
#include "reports/bundle/bundle.h"
#include "reports/bundle/command_check.h"
#include "reports/bundle/profile_check.h"
#include "reports/bundle/run_check.h"
#include "reports/bundle/signature.h"
#include "reports/content/bundle_content.h"
#include "reports/content/command_list.h"
#include "reports/content/commands.h"
#include "reports/content/test_run.h"
#include "reports/content/utc.h"

namespace aqbench {
namespace {

constexpr std::uintmax_t kMaxTextBytes = std::uintmax_t{1} << 28;
constexpr std::uint64_t kMaxMemoryBytes = std::uint64_t{1} << 50;  // far more than a machine has

// ctest prints "1/2 Test #1: core ....***Failed  0.01 sec", and of tests that passed nothing but such a line.
bool is_failed_test(std::string_view line) {
  return line.find("/") != line.npos && line.find(" Test ") != line.npos &&
         line.find("***Failed ") != line.npos;
}

class FileChecker {
 public:
  FileChecker(const std::filesystem::path& bundle, const BundleContent& content,
              const JournalContents& journal, const std::vector<std::string>& files)
      : bundle_(bundle), content_(content), results_(content.results), journal_(journal), files_(files) {}

  std::vector<Finding> run() {
    check_case_files();
    const std::string log = read_file(bundle_ / kLogFile);
    check_log(log);
    commands_ = parse_commands(text_of(kCommandsFile));
    const std::size_t at_once = processes_at_once(log);
    check_time_of_cases(at_once);
    check_memory(at_once > 0);
    if (merged_runs(results_.run) == 1) {
      if (at_once == 0) check_order();
      for (Finding& finding : check_commands(content_, journal_, commands_, files_, at_once > 0))
        findings_.push_back(std::move(finding));
      if (at_once == 0)
        for (std::string& problem : dataset_problems(results_, journal_))
          report("results.json", std::move(problem));
      for (Finding& finding : check_profiles(bundle_, results_, journal_.header, commands_, files_))
        findings_.push_back(std::move(finding));
    }
    check_tests();
    return std::move(findings_);
  }

 private:
  void report(const std::string& file, std::string what) { findings_.push_back({file, std::move(what)}); }
  // Returns the text of a file; "" of one that cannot be read, which is named.
  std::string text_of(const char* file) {
    try {
      return read_text_file(bundle_ / file, kMaxTextBytes);
    } catch (const Error& error) {
      report(file, error.problem());
      return {};
    }
  }
  bool has(std::string_view file) const { return std::ranges::binary_search(files_, file); }

  void check_case_files() {
    std::set<std::string, std::less<>> bound;
    for (const Record& record : results_.records) {
      if (!record.files) continue;
      for (const CaseFile& file : *record.files) {
        if (!is_bundle_path(file.path) || !is_file_of_case(file.path, file_name_of(record.case_name)) ||
            !bound.insert(file.path).second)
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

  // `name` is the case's, as its files have it.
  static bool is_file_of_case(std::string_view file, const std::string& name) {
    for (const char* const folder : {kTilesFolder, kViewsFolder, kDepthFolder, kDiagnosisFolder})
      if (file == fmt::format("{}/{}.csv", folder, name)) return true;
    if (file == fmt::format("{}/{}.ply", kCloudsFolder, name) ||
        file == fmt::format("{}/{}.log", kLogsFolder, name) ||
        file == fmt::format("{}/{}.bin", kViewerFolder, name))
      return true;
    for (const char* const folder : {kPicturesFolder, kProfileFolder}) {
      const std::string start = fmt::format("{}/{}/", folder, name);
      if (!file.starts_with(start)) continue;
      const std::string_view own = file.substr(start.size());
      return own.find('/') == own.npos &&
             (folder == kProfileFolder || own == "pictures.csv" || own.ends_with(".png"));
    }
    return false;
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
  void check_log(const std::string& log) {
    std::uint64_t start = 0;
    std::string_view rest = log;
    for (const LogMark& mark : journal_.log_marks) {
      if (mark.bytes < start || mark.bytes > log.size())
        return report(kLogFile, "is not as long as the journal says");
      log_parts_.push_back(std::string_view(log).substr(start, mark.bytes - start));
      if (sha256_hex(log_parts_.back()) != mark.sha256)
        return report(kLogFile,
                      fmt::format("bytes {} to {} are not what the journal knows", start, mark.bytes));
      start = mark.bytes;
      rest = std::string_view(log).substr(start);
    }
    if (results_.run.complete && !rest.empty())
      report(kLogFile, "goes on after the last record of the journal");
    check_ends(log);
    check_log_times(log);
  }

  static std::string end_of(const auto& record) {
    return to_string(record.status) + (record.reason.empty() ? "" : ": ") + record.reason;
  }

  // A process of its own runs one case after the other, without blocks: each begins after the one before,
  // also where it was run again, and ends in its own part of the log.
  void check_order() {
    const std::vector<CaseEnd> ends = case_ends(journal_);
    if (!journal_.blocks.empty() || ends.size() != log_parts_.size()) return;
    std::map<std::string_view, std::size_t> begun;  // the last line so far that says so, counted from 1
    std::size_t line_number = 0, before = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const std::string end = "-- " + end_of(ends[i]);
      bool ended = false;
      for (const std::string_view line : split_at(log_parts_[i], '\n')) {
        ++line_number;
        ended = ended || line == end;
        if (line.starts_with("== ") && line.size() > 24) begun[line.substr(24)] = line_number;
      }
      const std::size_t began = begun[ends[i].case_name];
      if (!ended || began <= before)
        return report(kLogFile, fmt::format("does not tell of case {} where the journal has it",
                                            printable(ends[i].case_name)));
      before = began;
    }
  }

  // The sweep writes "== UTC CASE" before a case or one of its blocks, and "-- STATUS: REASON" after it.
  void check_ends(std::string_view log) {
    std::multiset<std::string> begun, ended;
    for (const std::string_view line : split_at(log, '\n')) {
      if (line.starts_with("-- ")) ended.emplace(line.substr(3));
      if (line.starts_with("== ") && line.size() > 24) begun.emplace(line.substr(24));
    }
    std::set<std::string_view> in_blocks;
    const auto take = [&](const auto& record) {
      const std::string end = end_of(record);
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

  bool names_case(std::string_view name) const {
    return std::ranges::find(journal_.header.case_names, name) != journal_.header.case_names.end();
  }

  void check_log_times(std::string_view log) {
    const auto started = seconds_of_utc(results_.run.started_utc),
               finished = seconds_of_utc(results_.run.finished_utc);
    if (!started || !finished) return;
    for (const std::string_view line : split_at(log, '\n')) {
      if (!line.starts_with("== ") || line.size() < 23) continue;
      const auto at = seconds_of_utc(std::string(line.substr(3, 20)));
      // A program may print anything, but not the name of a case at this place.
      if (!at && line.size() > 24 && names_case(line.substr(24)))
        return report(kLogFile, fmt::format("'{}' has no time", printable(line)));
      if (at && (*at < *started || *at > *finished))
        return report(kLogFile, fmt::format("'{}' is not within the run", printable(line)));
    }
  }

  // Cases of a shared sweep say which process ran them: "on HOST, process 12" after the line "== UTC CASE".
  static std::set<std::string, std::less<>> processes_of(std::string_view log) {
    std::set<std::string, std::less<>> processes;
    bool after_start = false;
    for (const std::string_view line : split_at(log, '\n')) {
      if (after_start && line.starts_with("on ") && line.find(", process ") != line.npos)
        processes.emplace(line);
      after_start = line.starts_with("== ");
    }
    return processes;
  }

  // Returns how many processes of a shared sweep may have run cases side by side, among them workers that
  // joined from other machines (`aqbench work`); 0 of any other, which no line of the log makes one.
  std::size_t processes_at_once(std::string_view log) {
    const std::size_t told = processes_of(log).size();
    if (told == 0 || merged_runs(results_.run) > 1) return told;
    const bool shared = std::ranges::any_of(commands_.commands, [](const RanCommand& command) {
      return command.has("slurm") || parse_double(command.value_of("local").value_or("0")).value_or(0) >= 1;
    });
    if (shared) return told;
    report(kLogFile, "names processes, and no command shared the sweep");
    return 0;
  }

  // Cases follow each other, but for those of several processes and of merged runs.
  void check_time_of_cases(std::size_t processes) {
    const auto started = seconds_of_utc(results_.run.started_utc),
               finished = seconds_of_utc(results_.run.finished_utc);
    if (!started || !finished) return;  // said already
    const double wall_s = static_cast<double>(*finished - *started) + kClockSlackS;
    double sum_s = 0;
    for (const Record& record : results_.records) sum_s += 1e-3 * measured_ms(record.timing);
    const std::size_t at_once = std::max({processes, merged_runs(results_.run), std::size_t{1}});
    if (sum_s > wall_s * static_cast<double>(at_once))
      report("results.json", fmt::format("records: took {:.6g} s of a run of {:.6g} s", sum_s, wall_s));
  }

  // No process has more memory than its machine. Which machines shared a sweep is not known; those that went
  // on with it or ran its shards have memory of one class, unless "mixed" says otherwise.
  std::uint64_t most_memory_bytes(bool shared) const {
    const Json& environment = *results_.environment;
    if (shared || !environment.is_object()) return kMaxMemoryBytes;
    std::vector<Json> machines;
    for (const Json& shard : environment.value("shards", Json::array()))
      if (shard.is_object()) machines.push_back(shard.value("environment", Json()));
    const bool one_machine = machines.empty() && journal_.resumptions.empty();
    if (machines.empty()) machines.push_back(environment);
    std::uint64_t most_bytes = 0;
    for (const Json& machine : machines) {
      const Json key = comparability_of(machine),
                 memory = machine.is_object() ? machine.value("memory", Json()) : Json();
      const Json total = memory.is_object() ? memory.value("total_bytes", Json()) : Json();
      const bool of_class = key.is_object() && key.contains("memory");
      if (!total.is_number_unsigned() || (key.is_object() && key.contains("mixed")) ||
          !(one_machine || of_class))
        return kMaxMemoryBytes;
      most_bytes = std::max(most_bytes, total.get<std::uint64_t>());
    }
    return one_machine ? most_bytes : most_gib_of_class(most_bytes) << 30;
  }

  void check_memory(bool shared) {
    const std::uint64_t most_bytes = most_memory_bytes(shared);
    for (const Record& record : results_.records)
      if (record.peak_rss_bytes && *record.peak_rss_bytes > most_bytes)
        report("results.json", fmt::format("case {}: peak_rss_bytes: {} of a machine with {}",
                                           printable(record.case_name), *record.peak_rss_bytes, most_bytes));
  }

  // The log's first line, "# Tests of FOLDER, UTC", is of a command that was asked for tests.
  void check_time_of_tests(std::string_view log) {
    const std::string_view title = log.substr(0, log.find('\n'));
    const std::size_t comma = title.rfind(", ");
    const auto at = comma == title.npos ? std::nullopt : seconds_of_utc(std::string(title.substr(comma + 2)));
    if (!at || !commands_.problem.empty() || merged_runs(results_.run) > 1) return;
    const bool within = std::ranges::any_of(commands_.commands, [&](const RanCommand& command) {
      const auto begin = seconds_of_utc(command.started), end = seconds_of_utc(command.finished);
      return command.has("with-tests") && begin && *begin <= *at && (!end || *at <= *end);
    });
    if (!within) report(kTestsLog, fmt::format("'{}' is within no command", printable(title)));
  }

  void check_tests() {
    if (!has(kTestsLog)) return;
    const std::string log = text_of(kTestsLog);
    check_time_of_tests(log);
    if (test_result(log) != "passed") return;
    for (const std::string_view line : split_at(log, '\n'))
      if ((line.starts_with("exit code: ") && line != "exit code: 0") || is_failed_test(line))
        report(kTestsLog, fmt::format("says that the tests passed, and '{}'", printable(line)));
  }

  const std::filesystem::path& bundle_;
  const BundleContent& content_;
  const Results& results_;
  const JournalContents& journal_;
  const std::vector<std::string>& files_;
  CommandList commands_;
  std::vector<std::string_view> log_parts_;  // one for each line of the journal that marks the log
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_files(const std::filesystem::path& bundle, const BundleContent& content,
                                 const JournalContents& journal, const std::vector<std::string>& files) {
  return FileChecker(bundle, content, journal, files).run();
}

}  // namespace aqbench
