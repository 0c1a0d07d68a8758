#include "reports/bundle/ab_command_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/command_unit.h"
#include "harness/ab/samples_check.h"
#include "harness/planning/axis.h"
#include "harness/statistics/policy.h"
#include "reports/bundle/run_check.h"
#include "reports/content/command_list.h"
#include "reports/content/commands.h"
#include "reports/content/utc.h"

namespace aqbench {
namespace {

constexpr std::int64_t kBeginSlackS = 60;  // git is asked about the folder, and may take its time
constexpr int kUsualLooks = 3;

class AbCommandChecker {
 public:
  AbCommandChecker(const CommandList& list, const AbClaims& claims)
      : commands_(list.commands), claims_(claims), run_(*claims.run) {}

  std::vector<Finding> run() {
    check_names();
    check_times();
    check_exit_code();
    if (claims_.journal != nullptr) check_arguments();
    return std::move(findings_);
  }

 private:
  void report(std::string what) { findings_.push_back({kCommandsFile, std::move(what)}); }
  void report_arguments(std::string what) { findings_.push_back({kAbFile, std::move(what)}); }

  void check_names() {
    int resumed = 0;
    for (const RanCommand& command : commands_) {
      if (!command.is("ab")) report("has a command that is no ab");
      if (&command == commands_.data()) continue;
      resumed += 1;
      if (!command.has("resume")) report("begins the run twice");
    }
    if (resumed > run_.resumed) report(fmt::format("goes on {} times, the run {}", resumed, run_.resumed));
  }

  void check_times() {
    std::optional<std::int64_t> before;
    std::optional<double> real_s = 0;
    for (const RanCommand& command : commands_) {
      const auto begin = seconds_of_utc(command.started), end = seconds_of_utc(command.finished);
      if (!begin || (before && *begin < *before)) report("its commands are not in order of time");
      before = begin;
      real_s = real_s && command.real_s ? std::optional(*real_s + *command.real_s) : std::nullopt;
      if (!end || !begin) continue;  // a killed run
      if (*end < *begin) report("a command ends before it starts");
      if (command.real_s && *command.real_s > static_cast<double>(*end - *begin) + kCommandSlackS)
        report(fmt::format("real {} s, from {} to {}", *command.real_s, command.started, command.finished));
    }
    if (claims_.journal == nullptr) return;  // what is judged here was measured before
    if (real_s && claims_.measured_s > *real_s + kMeasuredSlackS)
      report(fmt::format("real {} s, in which {:.6g} s were measured", *real_s, claims_.measured_s));
    const auto started = seconds_of_utc(run_.started_utc), finished = seconds_of_utc(run_.finished_utc),
               first = seconds_of_utc(commands_.front().started),
               last = seconds_of_utc(commands_.back().finished);
    if (started && first && std::abs(*started - *first) > kBeginSlackS)
      report("begins at another time than the run");
    if (finished && last && *last < *finished) report("ends before the run");
  }

  void check_exit_code() {
    const RanCommand& last = commands_.back();
    if (!last.exit_code) return report("does not say how the last command ended");
    if (!claims_.decided) return;
    ExitCode expected = *claims_.decided;
    if (!run_.complete) expected = combine(ExitCode::interrupted, expected);
    const bool allowed = std::ranges::any_of(
        commands_, [](const RanCommand& command) { return command.has("allow-inconclusive"); });
    if (run_.complete && expected == ExitCode::inconclusive && allowed) expected = ExitCode::pass;
    if (*last.exit_code != static_cast<int>(expected))
      report(fmt::format("says exit code {}, the decision gives {}", *last.exit_code,
                         static_cast<int>(expected)));
  }

  void check_arguments() {
    const std::vector<std::string>& arguments = claims_.journal->header.arguments;
    std::vector<std::string> words = {"aqbench", "ab"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    if (arguments.empty()) return findings_.push_back({kPairJournalFile, "has no arguments"});
    if (commands_.front().line != printable(shell_join(words)))
      return findings_.push_back({kPairJournalFile, "has another command than commands.txt"});
    if (claims_.comparison == nullptr) return;
    asked_.words = std::move(words);
    const AbDocument& document = *claims_.comparison;
    if (document.run.commands.has_value() != asked_.has("cmd-a"))
      report_arguments("run.commands: is not what was asked for");
    if (document.run.commands) {
      check_rules(document);
      check_command(document.a, "a");
      check_command(document.b, "b");
    } else {
      check_sides(document);
    }
    check_settings(document);
    check_outcomes(document);
  }

  void check_asked(const std::string& name, bool same) {
    if (!same) report_arguments(fmt::format("{}: is not what was asked for", name));
  }

  // Returns all values of a flag that may be repeated.
  std::vector<std::string> values_of(std::string_view flag) const {
    const std::string with_value = fmt::format("--{}=", flag), alone = fmt::format("--{}", flag);
    std::vector<std::string> values;
    for (std::size_t i = 0; i < asked_.words.size(); ++i)
      if (asked_.words[i].starts_with(with_value))
        values.push_back(asked_.words[i].substr(with_value.size()));
      else if (asked_.words[i] == alone && i + 1 < asked_.words.size())
        values.push_back(asked_.words[++i]);
    return values;
  }

  void check_rules(const AbDocument& document) {
    const AbCommandRules& told = *document.run.commands;
    check_asked("run.commands.compare_output",
                told.compare_output == asked_.value_of("compare-output").value_or(""));
    check_asked("run.commands.any_exit_code", told.any_exit_code == asked_.has("any-exit-code"));
    check_asked("run.commands.quick", told.quick == asked_.has("quick"));
    check_asked("run.commands.layouts",
                static_cast<double>(told.layouts) == number_of("layouts").value_or(0));
    check_asked("settings.outputs_may_differ",
                document.settings.outputs_may_differ == asked_.has("outputs-may-differ"));
  }

  // A command's hash is that of all that describes it.
  void check_command(const AbSideInfo& told, const std::string& side) {
    if (!told.command) return report_arguments(side + ".command: is missing");
    const AbCommand& command = *told.command;
    const std::string line = asked_.value_of("cmd-" + side).value_or("");
    std::vector<std::string> variables;
    for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
    check_asked(side + ".command.line", command.line == line);
    check_asked(side + ".command.prepare",
                command.prepare == asked_.value_of("prepare-" + side).value_or(""));
    check_asked(side + ".command.relink", command.relink == asked_.value_of("relink-" + side).value_or(""));
    check_asked(side + ".command.environment", variables == values_of("env-" + side));
    check_asked(side + ".label", told.label == asked_.value_of("label-" + side).value_or(line));
    if (told.program_sha256 !=
        sha256_hex(to_json(command).dump(-1, ' ', false, Json::error_handler_t::replace)))
      report_arguments(side + ".program_sha256: is not that of its command");
  }

  // Metrics have the registry's unit and direction and the margins that were asked for; costs are those of a
  // command.
  void check_outcomes(const AbDocument& document) {
    std::vector<std::string> metrics;
    for (const AbOutcome& told : document.settings.outcomes) {
      const std::string where = "settings.outcomes." + printable(told.name);
      if (told.kind == AbOutcome::Kind::cost) {
        check_asked(where, document.run.commands.has_value() && told.better == Better::lower &&
                               ((told.name == kCpuOutcome && told.unit == "ms") ||
                                (told.name == kMemoryOutcome && told.unit == "MiB")));
        continue;
      }
      metrics.push_back(told.name);
      if (!is_as_registered(told)) report_arguments(where + ": is not the registry's");
      check_asked(where + ".margin", has_asked_margin(told));
    }
    if (!document.run.commands) check_asked("settings.outcomes", metrics == values_of("metric"));
    if (!document.run.paired_over.empty())
      check_asked("run.paired_over",
                  document.run.paired_over == asked_.value_of("paired-over").value_or("seeds"));
  }

  bool has_asked_margin(const AbOutcome& told) const {
    double margin = kUsualMargin;
    bool absolute = false;
    for (std::string text : values_of("margin")) {
      if (const std::size_t equals = text.rfind('='); equals != std::string::npos) {
        if (text.substr(0, equals) != told.name) continue;
        text.erase(0, equals + 1);
      }
      absolute = !text.ends_with('%');
      if (!absolute) text.pop_back();
      const auto number = parse_double(text);
      if (!number) return false;
      margin = absolute ? *number : *number / 100;
    }
    return told.margin == margin && told.margin_absolute == absolute;
  }

  // Returns what the arguments call a side: "kernel=torch", "method=mine", "build/old/aqbench".
  std::string side_of(std::size_t side) const {
    const char* const name = side == 0 ? "a" : "b";
    if (const auto method = asked_.value_of(fmt::format("method-{}", name))) return "method=" + *method;
    if (const auto program = asked_.value_of(name)) return *program;
    const auto text = asked_.value_of("variant");
    if (!text) return {};
    const Axis axis = parse_axis(*text);
    return side < axis.values.size() ? axis.name + "=" + axis.values[side] : std::string();
  }

  void check_sides(const AbDocument& document) {
    const bool programs = asked_.has("a");
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      const AbSideInfo& told = side == 0 ? document.a : document.b;
      const char* const name = side == 0 ? "a" : "b";
      const std::string expected = side_of(side);
      if (told.label != expected)
        report_arguments(fmt::format("{}.label: is '{}', asked was for '{}'", name, printable(told.label),
                                     printable(expected)));
      if (told.variant != (programs ? std::string() : expected))
        report_arguments(fmt::format("{}.variant: is not what was asked for", name));
      if (told.injected.empty() != (side == 0 || !asked_.has("inject")))
        report_arguments(fmt::format("{}.injected: is not what was asked for", name));
    }
    if (document.run.exec != (programs || asked_.has("exec")))
      report_arguments("run.exec: is not what was asked for");
  }

  // "5%" or "0.05".
  std::optional<double> share_of(const char* flag) const {
    auto text = asked_.value_of(flag);
    if (!text) return std::nullopt;
    const bool percent = text->ends_with('%');
    if (percent) text->pop_back();
    const auto number = parse_double(*text);
    return number && percent ? std::optional(*number / 100) : number;
  }

  std::optional<double> number_of(const char* flag) const {
    const auto text = asked_.value_of(flag);
    return text ? parse_double(*text) : std::nullopt;
  }

  // Returns the seed of a text; one that no comparison has where it is none.
  static std::uint64_t whole_number(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    return status == std::errc() && end == text.data() + text.size() ? number : UINT64_MAX;
  }

  void check_settings(const AbDocument& document) {
    const AbSettings& told = document.settings;
    PairedPolicy expected = paired_policy(asked_.value_of("policy").value_or("sensitive"));
    expected.tau = share_of("tau").value_or(expected.tau);
    expected.delta = share_of("delta").value_or(std::max(expected.delta, expected.tau));
    expected.alpha = share_of("alpha").value_or(expected.alpha);
    const bool quick = asked_.has("quick");
    const double looks = number_of("looks").value_or(kUsualLooks);
    expected.looks = looks >= 0 && looks <= kMaxBootstrapDraws ? static_cast<int>(looks) : 0;
    const double draws = std::ceil(2 * expected.looks / expected.alpha);
    if (draws >= 0 && draws <= kMaxBootstrapDraws)
      expected.bootstrap_draws = std::max(expected.bootstrap_draws, static_cast<int>(draws));
    if (quick) expected.looks = 1;
    if (const auto text = asked_.value_of("order-seed")) expected.seed = whole_number(*text);
    const auto check = [&](const char* name, bool same) {
      if (!same) report_arguments(fmt::format("{}: is not what was asked for", name));
    };
    check("settings.tau", told.policy.tau == expected.tau);
    check("settings.delta", told.policy.delta == expected.delta);
    check("settings.alpha", told.policy.alpha == expected.alpha);
    check("settings.looks", told.policy.looks == expected.looks);
    check("settings.power", told.policy.power == expected.power);
    check("settings.bootstrap_draws", told.policy.bootstrap_draws == expected.bootstrap_draws);
    check("settings.resolution_draws", told.policy.resolution_draws == expected.resolution_draws);
    check("settings.seed", told.policy.seed == expected.seed);
    check("settings.confirm", told.confirm == !(quick || asked_.has("no-confirm")));
    check("settings.separately", told.separately == asked_.has("separately"));
    if (const auto pairs = number_of("pairs"))
      check("run.pairs_per_look", static_cast<double>(document.run.pairs_per_look) == *pairs);
    check("run.quick", document.run.quick == (quick && !document.run.commands));
    if (const auto runs = number_of("repetitions"))
      check("run.warm_runs", static_cast<double>(document.run.warm_runs) == *runs);
  }

  const std::vector<RanCommand>& commands_;
  const AbClaims& claims_;
  const AbRunInfo& run_;
  RanCommand asked_;  // with the words of the arguments
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_ab_commands(const std::filesystem::path& bundle, const AbClaims& claims) {
  const CommandList list = parse_commands(read_text_file(bundle / kCommandsFile));
  if (!list.problem.empty()) return {{kCommandsFile, list.problem}};
  return AbCommandChecker(list, claims).run();
}

}  // namespace aqbench
