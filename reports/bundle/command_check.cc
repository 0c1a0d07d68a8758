#include "reports/bundle/command_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "reports/bundle/run_check.h"
#include "reports/content/environment_text.h"
#include "reports/content/test_run.h"
#include "reports/text/summary.h"

namespace aqbench {
namespace {

constexpr const char* kCommandsFile = "commands.txt";
constexpr double kCommandSlackS = 2, kMeasuredSlackS = 0.05;

// One command in commands.txt, with its words as a shell reads them.
struct RunCommand {
  std::string started, finished, commit;
  std::vector<std::string> words;
  std::optional<int> exit_code;
  std::optional<double> real_s, user_s, sys_s;

  bool has(std::string_view flag) const {
    const std::string name = fmt::format("--{}", flag);
    return std::ranges::any_of(
        words, [&](const std::string& word) { return word == name || word.starts_with(name + "="); });
  }

  // Returns the word after a flag, "--threads 2" or "--threads=2"; nullopt: there is none.
  std::optional<std::string> value_of(std::string_view flag) const {
    const std::string name = fmt::format("--{}", flag);
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i].starts_with(name + "=")) return words[i].substr(name.size() + 1);
      if (words[i] == name && i + 1 < words.size()) return words[i + 1];
    }
    return std::nullopt;
  }

  bool starts_with(std::initializer_list<std::string_view> first) const {
    return words.size() >= first.size() && std::equal(first.begin(), first.end(), words.begin());
  }
};

// Splits what shell_join() joined.
std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ' && !quoted) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == '\'')
      quoted = !quoted;
    else if (c == '\\' && !quoted && i + 1 < line.size())
      words.back() += line[++i];
    else
      words.back() += c;
  }
  return words;
}

// What a process can end with; any other number is beyond an int or would be taken for none.
bool is_exit_code(double number) { return number >= 0 && number <= 255 && number == std::floor(number); }

std::vector<RunCommand> read_commands(std::string_view text) {
  std::vector<RunCommand> commands;
  while (!text.empty()) {
    const std::size_t line_end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, line_end);
    text.remove_prefix(std::min(line_end + 1, text.size()));
    const auto after = [&](std::string_view lead) {
      return line.starts_with(lead) ? std::optional(std::string(line.substr(lead.size()))) : std::nullopt;
    };
    if (const auto started = after("started: ")) commands.emplace_back().started = *started;
    if (commands.empty()) continue;
    RunCommand& command = commands.back();
    if (const auto commit = after("commit: ")) command.commit = *commit;
    if (const auto words = after("command: ")) command.words = split_words(*words);
    if (const auto finished = after("finished: ")) command.finished = *finished;
    if (const auto code = after("exit code: "))
      if (const auto number = parse_double(*code); number && is_exit_code(*number))
        command.exit_code = static_cast<int>(*number);
    const auto seconds_after = [&](std::string_view lead, std::optional<double>& seconds) {
      if (const auto value = after(lead); value && value->ends_with(" s"))
        seconds = parse_double(std::string_view(*value).substr(0, value->size() - 2));
    };
    seconds_after("real ", command.real_s);
    seconds_after("user ", command.user_s);
    seconds_after("sys ", command.sys_s);
  }
  return commands;
}

bool same_value(const std::string& a, const std::string& b) {
  const auto first = parse_double(a), second = parse_double(b);
  if (!first || !second) return a == b;
  constexpr double rounding = 1e-9;  // of a limit in bytes, which is told in GiB
  return std::abs(*first - *second) <= rounding * std::abs(*second);
}

class CommandChecker {
 public:
  CommandChecker(const std::filesystem::path& bundle, const BundleContent& content,
                 const std::vector<std::string>& files, bool shared)
      : bundle_(bundle), content_(content), results_(content.results), files_(files), shared_(shared) {}

  std::vector<Finding> run() {
    commands_ = read_commands(read_text_file(bundle_ / kCommandsFile));
    if (commands_.empty()) {
      report("names no command");
      return std::move(findings_);
    }
    check_times();
    check_measured();
    const RunCommand& last = commands_.back();
    if (!last.exit_code) {
      report("does not say how the last command ended");
      return std::move(findings_);
    }
    check_exit_code(*last.exit_code);
    const auto finished = seconds_of_utc(results_.run.finished_utc), end = seconds_of_utc(last.finished);
    if (finished && end && *end < *finished) report("ends before the run in results.json");
    check_commit(last.commit);
    if (commands_.front().starts_with({"aqbench", "sweep"})) {
      check_gate_code(last);
      check_added_files();
      check_flags(commands_.front());
    }
    return std::move(findings_);
  }

 private:
  void report(std::string what) { findings_.push_back({kCommandsFile, std::move(what)}); }
  bool has_file(std::string_view file) const { return std::ranges::binary_search(files_, file); }

  void check_times() {
    std::optional<std::int64_t> before = seconds_of_utc(results_.run.started_utc);
    for (const RunCommand& command : commands_) {
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
  void check_processor_time(const RunCommand& command) {
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
    for (const RunCommand& command : commands_) {
      if (!command.real_s) return;  // a killed run
      real_s += *command.real_s;
    }
    for (const Record& record : results_.records) sum_s += 1e-3 * measured_ms(record.timing);
    if (!shared_ && sum_s > real_s + kMeasuredSlackS)
      report(fmt::format("real {} s, in which {:.6g} s were measured", real_s, sum_s));
  }

  void check_exit_code(int code) {
    const bool failed = std::ranges::any_of(results_.records, [](const Record& record) {
      return record.status != Status::ok && record.status != Status::skipped;
    });
    const int expected = !results_.run.complete ? 130 : failed ? 3 : -1;  // -1: a gate or tests decide
    if (expected >= 0 ? code != expected : code == 3 || code == 130)
      report(fmt::format("says exit code {}, which does not follow from the records", code));
  }

  // A run in which no case failed ended as its gate says; without a gate, and without tests, well. Another
  // version may have gated otherwise.
  void check_gate_code(const RunCommand& last) {
    const int code = *last.exit_code;
    const bool gated = last.has("gate");
    if (code == 3 || code == 130 || last.has("with-tests") || results_.run.text_version != kSummaryVersion ||
        (gated && !has_file(kBaselineCopyName)))
      return;
    if (gated && !content_.gated) return;  // whoever reads the baseline says what is wrong with it
    const ExitCode expected = gated ? content_.gated->exit_code() : ExitCode::pass;
    if (code != static_cast<int>(expected))
      report(fmt::format("says exit code {}, {} gives {}", code, gated ? "the gate" : "a run without a gate",
                         static_cast<int>(expected)));
  }

  // What a command adds besides results is there if it was asked for, and only then.
  void check_added_files() {
    const auto check = [&](const char* file, std::initializer_list<const char*> flags) {
      const auto asks = [&](const RunCommand& command) {
        return std::ranges::any_of(flags, [&](const char* flag) { return command.has(flag); });
      };
      const RunCommand& last = commands_.back();
      if (has_file(file) ? std::ranges::none_of(commands_, asks) : asks(last) && last.exit_code != 130)
        report(fmt::format("{} {}, which is {}", has_file(file) ? "has no flag for" : "asks for", file,
                           has_file(file) ? "there" : "missing"));
    };
    check(kBaselineCopyName, {"baseline", "gate"});
    check(kTestsLog, {"with-tests"});
    if (!shared_) check(kNotesName, {"note"});  // a shared sweep notes who ran its cases
  }

  // The flags that choose and change cases stand in the command as in what was asked for.
  void check_flags(const RunCommand& given) {
    // A sweep without flags is suite `seed`. One that was killed before it noted its command, and gone on
    // with: the journal has what was asked for.
    if (given.words.size() < 3 || !given.words[2].starts_with("--") || given.has("resume")) return;
    const std::string reproduced = reproduce_command(results_.run);
    if (reproduced.starts_with('#')) return;  // another program's request
    RunCommand asked;
    asked.words = split_words(reproduced);
    for (const char* const flag :
         {"suite",  "scene",  "method",    "workload", "axis",         "set",
          "seed",   "repeat", "device",    "inject",   "rig",          "imaging",
          "width",  "height", "threads",   "timeout",  "memory-limit", "repetitions",
          "warmup", "blocks", "precision", "min-time", "max-time",     "max-repetitions"})
      if (given.has(flag) != asked.has(flag))
        report(fmt::format("{} --{}, unlike run.requested", given.has(flag) ? "has" : "lacks", flag));
    for (const char* const flag : {"suite", "seed", "repeat", "device", "threads", "repetitions", "blocks",
                                   "width", "height", "timeout", "memory-limit"}) {
      const auto told = given.value_of(flag), planned = asked.value_of(flag);
      if (told && planned && !same_value(*told, *planned))
        report(fmt::format("says --{} {}, run.requested {}", flag, printable(*told), printable(*planned)));
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

  const std::filesystem::path& bundle_;
  const BundleContent& content_;
  const Results& results_;
  const std::vector<std::string>& files_;
  bool shared_;
  std::vector<RunCommand> commands_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_commands(const std::filesystem::path& bundle, const BundleContent& content,
                                    const std::vector<std::string>& files, bool shared) {
  return CommandChecker(bundle, content, files, shared).run();
}

}  // namespace aqbench
