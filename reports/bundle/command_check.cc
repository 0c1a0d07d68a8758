#include "reports/bundle/command_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/planning/plan_flags.h"
#include "reports/bundle/run_check.h"
#include "reports/content/commands.h"
#include "reports/content/test_run.h"
#include "reports/content/utc.h"
#include "reports/text/summary.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxKilledAtOnce = 100;  // commands that left nothing but a line in the journal

// Flags of a sweep with a value that are none of its plan.
constexpr std::string_view kOtherValues[] = {"out",   "resume",     "baseline", "note",       "sign",
                                             "junit", "local",      "lease",    "array-size", "partition",
                                             "time",  "sbatch-arg", "pubkey",   "trust"};

std::vector<const PlanFlag*> plan_flags(bool of_sweep) {
  std::vector<const PlanFlag*> flags;
  const auto add = [&](std::span<const PlanFlag> table) {
    for (const PlanFlag& flag : table) flags.push_back(&flag);
  };
  add(case_flags());
  if (!of_sweep) return flags;  // a profile has targets instead
  add(selection_flags());
  add(timing_flags());
  add(shard_flags());
  return flags;
}

// What the words of a command ask for.
struct AskedPlan {
  PlanRequest request;
  std::set<std::string> given;  // names of flags
  std::string problem;          // a flag that no program would have read; else empty
};

AskedPlan asked_plan(const std::vector<std::string>& words, const std::vector<const PlanFlag*>& flags) {
  AskedPlan asked;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].starts_with("--")) continue;
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto flag = std::ranges::find_if(flags, [&](const PlanFlag* one) { return one->name == name; });
    const bool planned = flag != flags.end();
    if (!planned && std::ranges::find(kOtherValues, name) == std::end(kOtherValues)) continue;
    std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    if (equals == std::string::npos && ++i < words.size()) value = words[i];
    if (!planned) continue;
    if (!asked.given.insert(name).second && !(*flag)->repeatable) asked.problem = "has --" + name + " twice";
    if (name == "suite-file" || name == "project") continue;  // files of another machine
    try {
      (*flag)->read(asked.request, {name, value});
    } catch (const Error& error) {
      asked.problem = error.what();
    }
  }
  return asked;
}

// Files may lie in another folder by now, and a project names its methods.
bool may_be_renamed(const PlanRequest& request) {
  return !request.project.dir.empty() || std::ranges::any_of(request.scenes, [](const std::string& scene) {
    return scene.find(':') != std::string::npos;
  });
}

// Returns what a flag says of a request, as commands.txt holds it: control characters stand there as "?".
std::vector<std::string> written(const PlanFlag& flag, const PlanRequest& request) {
  std::vector<std::string> texts = flag.write(request);
  for (std::string& text : texts) text = printable(text);
  return texts;
}

class CommandChecker {
 public:
  CommandChecker(const BundleContent& content, const JournalContents& journal, const CommandList& list,
                 const std::vector<std::string>& files, bool shared)
      : content_(content),
        results_(content.results),
        journal_(journal),
        commands_(list.commands),
        files_(files),
        shared_(shared) {}

  std::vector<Finding> run() {
    check_names();
    check_times();
    check_measured();
    const RanCommand& last = commands_.back();
    if (!last.exit_code) {
      report("does not say how the last command ended");
      return std::move(findings_);
    }
    check_exit_code(*last.exit_code);
    const auto finished = seconds_of_utc(results_.run.finished_utc), end = seconds_of_utc(last.finished);
    if (finished && end && *end < *finished) report("ends before the run in results.json");
    check_commit(last.commit);
    check_gate_code(last);
    check_added_files();
    for (const RanCommand& command : commands_) check_flags(command);
    if (is_profile_) return std::move(findings_);  // it has one command, and nobody goes on with it
    check_earlier_codes();
    check_resumed_times();
    return std::move(findings_);
  }

 private:
  void report(std::string what) { findings_.push_back({kCommandsFile, std::move(what)}); }
  bool has_file(std::string_view file) const { return std::ranges::binary_search(files_, file); }

  // A bundle is of one profile, or of one sweep and of those that went on with it, each of which the journal
  // knows.
  void check_names() {
    std::size_t resumed = 0;
    for (const RanCommand& command : commands_) {
      const bool resumes = command.is("sweep") && command.has("resume");
      resumed += resumes ? 1 : 0;
      if (!command.is(is_profile_ ? "profile" : "sweep"))
        report(fmt::format("has a command that is no {}", is_profile_ ? "profile" : "sweep"));
      else if (&command != commands_.data() && !resumes)
        report("begins the run twice");
    }
    if (resumed > journal_.resumptions.size())
      report(fmt::format("goes on {} times, the journal {}", resumed, journal_.resumptions.size()));
    // A command that was killed at once may be in the journal alone, but then it has left no record there.
    std::size_t went_on = 0;
    const auto& resumptions = journal_.resumptions;
    for (std::size_t i = 0; i < resumptions.size(); ++i) {
      const bool is_last = i + 1 == resumptions.size();
      const std::size_t end = is_last ? journal_.log_marks.size() : resumptions[i + 1].after;
      went_on += end > resumptions[i].after ? 1 : 0;
    }
    if (!shared_ && (went_on > resumed || resumptions.size() > resumed + kMaxKilledAtOnce))
      report(fmt::format("goes on {} times, the journal {}", resumed, resumptions.size()));
  }

  void check_times() {
    std::optional<std::int64_t> before = seconds_of_utc(results_.run.started_utc);
    for (const RanCommand& command : commands_) {
      const auto begin = seconds_of_utc(command.started), end = seconds_of_utc(command.finished);
      if (!begin || (before && *begin < *before)) report("its commands are not in order of time");
      before = begin;
      if (!end) continue;  // a killed run
      if (begin && *end < *begin) report("a command ends before it starts");
      const double wall_s = begin ? static_cast<double>(*end - *begin) : 0;
      // A machine that sleeps stops the clock of `real` alone.
      if (command.real_s && *command.real_s > wall_s + kCommandSlackS)
        report(fmt::format("real {} s, from {} to {}", *command.real_s, command.started, command.finished));
      check_processor_time(command);
    }
  }

  // No command uses more than all processors; which these were is known of one machine alone.
  void check_processor_time(const RanCommand& command) {
    const Json& environment = *results_.environment;
    const Json key = environment.value("comparability", Json::object()),
               cpu = environment.value("cpu", Json::object());
    if (!command.real_s || !cpu.is_object() || (key.is_object() && key.contains("mixed"))) return;
    const Json cores = cpu.value("cores_online", Json());
    const double used_s = command.user_s.value_or(0) + command.sys_s.value_or(0);
    if (cores.is_number() && used_s > (*command.real_s + kCommandSlackS) * cores.get<double>())
      report(
          fmt::format("user and sys {} s in {} s on {} processors", used_s, *command.real_s, cores.dump()));
  }

  // What one process measured, one case after the other, was measured while its commands ran.
  void check_measured() {
    double real_s = 0, sum_s = 0;
    for (const RanCommand& command : commands_) {
      if (!command.real_s) return;  // a killed run
      real_s += *command.real_s;
    }
    for (const Record& record : results_.records) sum_s += 1e-3 * measured_ms(record.timing);
    if (!shared_ && sum_s > real_s + kMeasuredSlackS)
      report(fmt::format("real {} s, in which {:.6g} s were measured", real_s, sum_s));
  }

  void check_exit_code(int code) {
    const bool failed = has_failed_case();
    const int expected = !results_.run.complete ? 130 : failed ? 3 : -1;  // -1: a gate or tests decide
    if (expected >= 0 ? code != expected : code == 3 || code == 130)
      report(fmt::format("says exit code {}, which does not follow from the records", code));
  }

  // A run in which no case failed ended as its gate and its tests say; without them, well. Another version
  // may have gated otherwise.
  void check_gate_code(const RanCommand& last) {
    const int code = *last.exit_code;
    const bool gated = last.has("gate"), tested = last.has("with-tests");
    if (code == 3 || code == 130 || results_.run.text_version != kSummaryVersion ||
        (gated && !has_file(kBaselineCopyName)) || (tested && !has_file(kTestsLog)))
      return;                              // what is missing is named elsewhere
    if (gated && !content_.gated) return;  // whoever reads the baseline says what is wrong with it
    const ExitCode of_gate = gated ? content_.gated->exit_code() : ExitCode::pass;
    const ExitCode of_tests =
        tested && content_.tests != "passed" ? ExitCode::regression : ExitCode::pass;  // the log ends so
    const ExitCode expected = combine(of_gate, of_tests);
    if (code != static_cast<int>(expected))
      report(fmt::format("says exit code {}, {}{} {} {}", code, gated ? "the gate" : "a run without a gate",
                         tested ? " and the tests" : "", tested ? "give" : "gives",
                         static_cast<int>(expected)));
  }

  // An earlier command was interrupted exactly if cases were left for those after it. A command that shared
  // its cases may have left them to others.
  void check_earlier_codes() {
    const auto& resumptions = journal_.resumptions;
    const std::size_t earlier = commands_.size() - 1, measured = journal_.log_marks.size();
    if (shared_ || results_.run.text_version != kSummaryVersion || resumptions.size() < earlier) return;
    // Commands that were killed at once are in the journal alone, and nobody knows between which others.
    const std::size_t killed_at_once = resumptions.size() - earlier;
    for (std::size_t i = 0; i < earlier; ++i) {
      const RanCommand& command = commands_[i];
      if (!command.exit_code || command.has("slurm") || command.has("local")) continue;
      const bool was_complete = results_.run.complete && resumptions[i].after == measured,
                 left_cases = !results_.run.complete || resumptions[i + killed_at_once].after < measured;
      const int code = *command.exit_code;
      if (left_cases ? code != 130 : was_complete && !may_end_whole_run(command, code))
        report(fmt::format("says exit code {} of command {}, after which {} cases were left", code, i + 1,
                           left_cases ? "some" : "no"));
    }
  }

  // A command goes on with the journal before it is noted, on the same machine. How its clock goes with that
  // of the command before, nobody knows.
  void check_resumed_times() {
    const auto& resumptions = journal_.resumptions;
    if (shared_ || resumptions.size() + 1 != commands_.size()) return;
    for (std::size_t i = 0; i < resumptions.size(); ++i) {
      const std::string& started = commands_[i + 1].started;
      const auto resumed = seconds_of_utc(resumptions[i].utc), begin = seconds_of_utc(started);
      if (!commands_[i + 1].has("local") && resumed && begin && *resumed > *begin)
        report(fmt::format("goes on at {}, the journal at {}", started, resumptions[i].utc));
    }
  }

  bool has_failed_case() const {
    return std::ranges::any_of(results_.records, [](const Record& record) {
      return record.status != Status::ok && record.status != Status::skipped;
    });
  }

  // With which baseline and tests it was, only the last command says.
  bool may_end_whole_run(const RanCommand& command, int code) const {
    if (has_failed_case()) return code == 3;
    const bool gated = command.has("gate");
    return code == 0 || (code == 1 && (gated || command.has("with-tests"))) || (code == 4 && gated);
  }

  // What a command adds besides results is there if it was asked for, and only then.
  void check_added_files() {
    const auto check = [&](const char* file, std::initializer_list<const char*> flags) {
      const auto asks = [&](const RanCommand& command) {
        return std::ranges::any_of(flags, [&](const char* flag) { return command.has(flag); });
      };
      const RanCommand& last = commands_.back();
      if (has_file(file) ? std::ranges::none_of(commands_, asks) : asks(last) && last.exit_code != 130)
        report(fmt::format("{} {}, which is {}", has_file(file) ? "has no flag for" : "asks for", file,
                           has_file(file) ? "there" : "missing"));
    };
    check(kBaselineCopyName, {"baseline", "gate"});
    check(kTestsLog, {"with-tests"});
    if (!shared_) check(kNotesName, {"note"});  // a shared sweep notes who ran its cases
  }

  // The flags that choose and change cases stand in the command as in what was asked for. One that goes on
  // with a sweep has none: the journal has what was asked for.
  void check_flags(const RanCommand& command) {
    const std::vector<const PlanFlag*> flags = plan_flags(!is_profile_);
    const AskedPlan told = asked_plan(command.words, flags);
    if (!told.problem.empty() && command.line.find('?') == command.line.npos) report(printable(told.problem));
    const PlanRequest& planned = journal_.header.request;
    for (const PlanFlag* const flag : flags) {
      const std::string_view name = flag->name;
      if (name == "project") continue;  // it is found without the flag, too
      if (command.has("resume") && command.is("sweep")) {
        if (told.given.contains(flag->name)) report(fmt::format("has --{} beside --resume", name));
        continue;
      }
      const std::vector<std::string> expected = written(*flag, planned);
      const bool has = told.given.contains(flag->name);
      if (has == expected.empty())
        report(fmt::format("{} --{}, unlike run.requested", has ? "has" : "lacks", name));
      else if (name != "suite-file" && !may_be_renamed(planned) && written(*flag, told.request) != expected)
        report(fmt::format("says --{} {}, run.requested {}", name,
                           fmt::join(written(*flag, told.request), " "), fmt::join(expected, " ")));
    }
  }

  void check_commit(const std::string& commit) {
    const Json& environment = *results_.environment;
    const auto git = environment.find("working_directory_git");
    if (git == environment.end() || !git->is_object() || !git->contains("commit")) return;
    const Json& known = git->at("commit");
    if (known.is_string() && known != Json(commit))
      report(fmt::format("is of commit {}, the environment of {}", printable(commit),
                         printable(known.get<std::string>())));
  }

  const BundleContent& content_;
  const Results& results_;
  const JournalContents& journal_;
  const std::vector<RanCommand>& commands_;
  const std::vector<std::string>& files_;
  bool shared_;
  bool is_profile_ = results_.run.effective->contains("profile");
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_commands(const BundleContent& content, const JournalContents& journal,
                                    const CommandList& commands, const std::vector<std::string>& files,
                                    bool shared) {
  if (!commands.problem.empty()) return {{kCommandsFile, commands.problem}};
  return CommandChecker(content, journal, commands, files, shared).run();
}

}  // namespace aqbench
