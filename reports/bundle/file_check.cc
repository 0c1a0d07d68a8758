#include "reports/bundle/file_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "harness/records/profile_details.h"
#include "harness/running/source_check.h"
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

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
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
    check_memory(at_once == 0 && merged_runs(results_.run) == 1);
    if (merged_runs(results_.run) == 1) {
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
    check_ends(log);
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

  // Cases of a shared sweep say which process ran them: "on HOST, process 12" after the line "== UTC CASE".
  static std::set<std::string, std::less<>> processes_of(std::string_view log) {
    std::set<std::string, std::less<>> processes;
    bool after_start = false;
    for (const std::string_view line : lines_of(log)) {
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

  // No process has more memory than its machine: that of the environment where one machine ran all.
  void check_memory(bool one_machine) {
    std::uint64_t most_bytes = kMaxMemoryBytes;
    const Json& environment = *results_.environment;
    const Json memory = environment.is_object() ? environment.value("memory", Json()) : Json();
    const Json key = environment.is_object() ? environment.value("comparability", Json()) : Json();
    const bool mixed = key.is_object() && key.contains("mixed");
    if (one_machine && !mixed && memory.is_object() && memory.contains("total_bytes") &&
        memory.at("total_bytes").is_number_unsigned())
      most_bytes = memory.at("total_bytes").get<std::uint64_t>();
    for (const Record& record : results_.records)
      if (record.peak_rss_bytes && *record.peak_rss_bytes > most_bytes)
        report("results.json", fmt::format("case {}: peak_rss_bytes: {} of a machine with {}",
                                           printable(record.case_name), *record.peak_rss_bytes, most_bytes));
  }

  void check_tests() {
    if (!has(kTestsLog)) return;
    const std::string log = text_of(kTestsLog);
    if (test_result(log) != "passed") return;
    for (const std::string_view line : lines_of(log))
      if (line.starts_with("exit code: ") && line != "exit code: 0")
        report(kTestsLog, fmt::format("says that the tests passed, and '{}'", printable(line)));
  }

  const std::filesystem::path& bundle_;
  const BundleContent& content_;
  const Results& results_;
  const JournalContents& journal_;
  const std::vector<std::string>& files_;
  CommandList commands_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_files(const std::filesystem::path& bundle, const BundleContent& content,
                                 const JournalContents& journal, const std::vector<std::string>& files) {
  return FileChecker(bundle, content, journal, files).run();
}

}  // namespace aqbench
