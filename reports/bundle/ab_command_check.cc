#include "reports/bundle/ab_command_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "core/text.h"
#include "harness/ab/aa_validation_json.h"
#include "harness/ab/ab_words.h"
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
constexpr std::int64_t kJudgeSlackS = 24 * 3600;
constexpr int kUsualLooks = 3;

class AbCommandChecker {
 public:
  AbCommandChecker(const CommandList& list, const AbClaims& claims)
      : commands_(list.commands), claims_(claims), run_(*claims.run) {}

  std::vector<Finding> run() {
    check_names();
    check_times();
    check_exit_code();
    check_arguments();
    return std::move(findings_);
  }

 private:
  void report(std::string what) { findings_.push_back({kCommandsFile, std::move(what)}); }
  void report_arguments(std::string what) { findings_.push_back({main_file_, std::move(what)}); }

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
    const auto started = seconds_of_utc(run_.started_utc), finished = seconds_of_utc(run_.finished_utc),
               first = seconds_of_utc(commands_.front().started),
               last = seconds_of_utc(commands_.back().finished);
    if (claims_.journal == nullptr) {  // the command is told when what was measured before has been judged
      if (run_.samples_file.empty() || !started || !finished || !first) return;
      if (*first < *finished - kBeginSlackS || *first > *finished + kJudgeSlackS)
        report("begins at another time than the run");
      return;
    }
    if (real_s && claims_.measured_s > *real_s + kMeasuredSlackS)
      report(fmt::format("real {} s, in which {:.6g} s were measured", *real_s, claims_.measured_s));
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
    const bool trade = claims_.comparison != nullptr && allowed && judge_ab(*claims_.comparison).has_trade();
    if (run_.complete && expected == ExitCode::inconclusive && allowed && !trade) expected = ExitCode::pass;
    if (*last.exit_code != static_cast<int>(expected))
      report(fmt::format("says exit code {}, the decision gives {}", *last.exit_code,
                         static_cast<int>(expected)));
  }

  // The words of what ran stand in the journal, those of what only judged in commands.txt alone.
  void check_arguments() {
    if (claims_.journal != nullptr) {
      const std::vector<std::string>& arguments = claims_.journal->header.arguments;
      std::vector<std::string> words = {"aqbench", "ab"};
      words.insert(words.end(), arguments.begin(), arguments.end());
      if (arguments.empty()) return findings_.push_back({kPairJournalFile, "has no arguments"});
      if (commands_.front().line != printable(shell_join(words)))
        return findings_.push_back({kPairJournalFile, "has another command than commands.txt"});
      asked_ = AbWords(std::move(words));
    } else if (!run_.samples_file.empty()) {
      asked_ = AbWords(commands_.front().words);
    } else {
      return;  // of an older version
    }
    check_asked("run.samples_file", printable(run_.samples_file) == printable(asked_.samples_file()));
    if (asked_.against_itself() != (validation_ != nullptr)) return report("asks for something else");
    if (validation_ != nullptr) return check_validation(*validation_);
    const AbDocument& document = *claims_.comparison;
    if (document.run.commands.has_value() != (asked_.has("cmd-a") || asked_.has("gbench-a")))
      report_arguments("run.commands: is not what was asked for");
    if (asked_.runs_nothing()) {
      check_samples(document);
    } else if (document.run.commands) {
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

  void check_rules(const AbDocument& document) {
    const AbCommandRules& told = *document.run.commands;
    check_asked("run.commands.compare_output",
                told.compare_output == asked_.value_of("compare-output").value_or(""));
    check_asked("run.commands.any_exit_code", told.any_exit_code == asked_.has("any-exit-code"));
    check_asked("run.commands.quick", told.quick == asked_.has("quick"));
    check_asked("run.commands.layouts",
                static_cast<double>(told.layouts) == asked_.number_of("layouts").value_or(0));
  }

  // A command's hash is that of all that describes it.
  void check_command(const AbSideInfo& told, const std::string& side) {
    if (!told.command) return report_arguments(side + ".command: is missing");
    const AbCommand& command = *told.command;
    const std::string line =
        asked_.value_of("cmd-" + side).value_or(asked_.value_of("gbench-" + side).value_or(""));
    std::vector<std::string> variables;
    for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);
    check_asked(side + ".command.line", command.line == line);
    check_asked(side + ".command.prepare",
                command.prepare == asked_.value_of("prepare-" + side).value_or(""));
    check_asked(side + ".command.relink", command.relink == asked_.value_of("relink-" + side).value_or(""));
    check_asked(side + ".command.environment", variables == asked_.values_of("env-" + side));
    check_asked(side + ".label", told.label == asked_.value_of("label-" + side).value_or(line));
    if (told.program_sha256 !=
        sha256_hex(to_json(command).dump(-1, ' ', false, Json::error_handler_t::replace)))
      report_arguments(side + ".program_sha256: is not that of its command");
  }

  // Costs are those of a command.
  void check_outcomes(const AbDocument& document) {
    std::vector<AbOutcome> metrics;
    for (const AbOutcome& told : document.settings.outcomes)
      if (told.kind == AbOutcome::Kind::metric)
        metrics.push_back(told);
      else
        check_asked("settings.outcomes." + printable(told.name),
                    document.run.commands.has_value() && told.better == Better::lower &&
                        ((told.name == kCpuOutcome && told.unit == "ms") ||
                         (told.name == kMemoryOutcome && told.unit == "MiB")));
    check_metrics(metrics);
    if (!document.run.paired_over.empty())
      check_asked("run.paired_over",
                  document.run.paired_over == asked_.value_of("paired-over").value_or("seeds"));
  }

  // Metrics have the registry's unit and direction and the margins that were asked for.
  void check_metrics(const std::vector<AbOutcome>& metrics) {
    std::vector<std::string> names;
    for (const AbOutcome& told : metrics) {
      const std::string where = "settings.outcomes." + printable(told.name);
      if (!is_as_registered(told)) report_arguments(where + ": is not the registry's");
      check_asked(where + ".margin", asked_.is_margin_of(told));
      names.push_back(told.name);
    }
    check_asked("settings.outcomes", names == asked_.values_of("metric"));
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

  // The policy of a comparison stands in ab.json under "settings", as does that of a calibration.
  void check_policy(const std::string& where, const PairedPolicy& told, const PairedPolicy& expected) {
    const auto check = [&](const char* name, bool same) { check_asked(where + "." + name, same); };
    check("tau", told.tau == expected.tau);
    check("delta", told.delta == expected.delta);
    check("alpha", told.alpha == expected.alpha);
    check("looks", told.looks == expected.looks);
    check("power", told.power == expected.power);
    check("bootstrap_draws", told.bootstrap_draws == expected.bootstrap_draws);
    check("resolution_draws", told.resolution_draws == expected.resolution_draws);
    check("seed", told.seed == expected.seed);
  }

  void check_settings(const AbDocument& document) {
    const AbSettings& told = document.settings;
    const bool quick = asked_.has("quick");
    check_policy("settings", told.policy, asked_.policy(asked_.runs_nothing() ? 1 : kUsualLooks));
    const bool fresh = !asked_.runs_nothing() ||  // pairs to confirm a flag with
                       (asked_.has("samples") && has_confirmation(document.samples));
    check_asked("settings.confirm", told.confirm == (fresh && !quick && !asked_.has("no-confirm")));
    check_asked("settings.separately", told.separately == asked_.has("separately"));
    check_asked("settings.wall_time", told.wall_time == !asked_.of_bundles());
    check_asked("settings.outputs_may_differ", told.outputs_may_differ == asked_.has("outputs-may-differ"));
    check_asked("run.quick", document.run.quick == (quick && !document.run.commands));
    if (asked_.runs_nothing()) return;
    check_count("run.pairs_per_look", document.run.pairs_per_look, asked_.number_of("pairs"));
    check_count("run.warm_runs", static_cast<std::size_t>(document.run.warm_runs), asked_.warm_runs());
  }

  void check_count(const std::string& name, std::size_t told, const std::optional<double>& asked) {
    if (asked) check_asked(name, static_cast<double>(told) == *asked);
  }

  static bool has_confirmation(const AbSamples& samples) {
    return std::ranges::any_of(samples.units,
                               [](const AbUnit& unit) { return unit.phase == AbPhase::confirmation; });
  }

  // What was measured before says nothing of programs, machine and runs.
  void check_samples(const AbDocument& document) {
    const AbRunInfo& told = document.run;
    check_asked("run", !told.exec && !told.commands && !told.quick && told.complete && told.warm_runs == 0 &&
                           told.pairs_per_look == 0 && told.resumed == 0);
    check_asked("run.paired_over", told.paired_over == (asked_.of_bundles() ? "seeds" : ""));
    check_asked("notes", document.notes.empty());
    check_asked("environment", document.environment->empty());
    for (const auto& [name, side] : {std::pair("a", &document.a), {"b", &document.b}}) {
      AbSideInfo expected;
      expected.label = name;
      if (const auto bundle = asked_.value_of(fmt::format("bundle-{}", name)))
        expected.label = printable(side->label).starts_with(*bundle + " (") ? side->label
                                                                            : *bundle;  // and which run it is
      check_asked(name, to_json(*side) == to_json(expected));
    }
    check_asked("samples.outputs", document.samples.outputs.empty());
    const bool bundles = asked_.of_bundles(),
               plain = std::ranges::none_of(document.samples.units, [&](const AbUnit&unit) {
                 return unit.status != Status::ok || unit.cold_ms || !unit.stages.empty() || unit.layout ||
                        !unit.tiles_sha256.empty() || unit.warm_ms.empty() != bundles ||
                        (!bundles && !(unit.outcomes.empty() && unit.output_sha256.empty()));
               });
    if (!plain) report_arguments("samples.units: hold more than what was measured before tells");
  }

  void check_validation(const AaValidationDocument& document) {
    const AaValidationPlan& plan = document.plan;
    const bool calibrates = asked_.has("calibrate"), metrics = !asked_.values_of("metric").empty();
    const auto count = [&](const char* flag, std::size_t usual) {
      return asked_.number_of(flag).value_or(static_cast<double>(usual));
    };
    const auto check = [&](const char* name, std::size_t told, double asked) {
      check_asked(name, static_cast<double>(told) == asked);
    };
    check("plan.pairs", plan.pairs, calibrates ? count("pairs", metrics ? kAaMetricPairs : kAaPairs) : 0);
    check("plan.delayed_pairs", plan.delayed_pairs,
          calibrates && !metrics ? count("delayed-pairs", kDelayedPairs) : 0);
    check("plan.live_runs", plan.live_runs, count("live", 0));
    if (!calibrates)
      check_count("plan.live_pairs_per_look", plan.live_pairs_per_look, asked_.number_of("pairs"));
    check("suites", document.draws, count("suites", kUsualDraws));
    check("pairs_per_suite", document.pairs_per_draw,
          static_cast<double>(metrics ? kPairsPerMetricDraw : kPairsPerDraw));
    check_count("run.warm_runs", static_cast<std::size_t>(document.run.warm_runs), asked_.warm_runs());
    check_asked("run.exec", document.run.exec == asked_.has("exec"));
    check_policy("settings", document.policy, asked_.policy(calibrates ? 1 : kUsualLooks));
    check_policy("plan.live_settings", plan.live_settings.policy, asked_.policy(kUsualLooks));
    check_asked("plan.live_settings.confirm", plan.live_settings.confirm == !asked_.has("no-confirm"));
    check_asked("plan.live_settings.separately", plan.live_settings.separately == asked_.has("separately"));
    check_asked("plan.live_settings", plan.live_settings.outcomes.empty() && plan.live_settings.wall_time &&
                                          !plan.live_settings.outputs_may_differ);
    check_metrics(document.outcomes);
    AbSideInfo expected = document.program;  // its build and hash are told elsewhere
    expected.label = "this program";
    expected.variant.clear();
    expected.injected.clear();
    expected.file_sha256.clear();
    expected.command.reset();
    check_asked("program", to_json(document.program) == to_json(expected));
  }

  const std::vector<RanCommand>& commands_;
  const AbClaims& claims_;
  const AbRunInfo& run_;
  const AaValidationDocument* const validation_ = claims_.validation;
  const char* const main_file_ = validation_ == nullptr ? kAbFile : kAaValidationFile;
  AbWords asked_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_ab_commands(const std::filesystem::path& bundle, const AbClaims& claims) {
  const CommandList list = parse_commands(read_text_file(bundle / kCommandsFile));
  if (!list.problem.empty()) return {{kCommandsFile, list.problem}};
  return AbCommandChecker(list, claims).run();
}

}  // namespace aqbench
