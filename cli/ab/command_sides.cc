#include "cli/ab/command_sides.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "cli/ab/command_pair.h"
#include "cli/ab/recording.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/scratch_folder.h"
#include "core/sha256.h"
#include "core/stopwatch.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/ab/command_unit.h"
#include "harness/ab/layout.h"
#include "harness/ab/outcome_decision.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/summary.h"

namespace aqbench::cli {
namespace {

constexpr const char* kCaseName = "command";
constexpr int kUsualRuns = 3;
constexpr double kLongRunS = 2;      // a command that takes longer runs once in a unit
constexpr double kAboveFloor = 1.1;  // memory below this many times a shell's own cannot be told from it

// What a trial run of one side took.
struct Trial {
  double run_s = 0;   // the command alone
  double unit_s = 0;  // with what is not timed
  double memory_mib = 0, shell_memory_mib = 0;
  bool prints_gbench_report = false;
};

double outcome_value(const AbUnit& unit, const char* name) {
  for (const OutcomeSamples& outcome : unit.outcomes)
    if (outcome.name == name) return outcome.values.front();
  return 0;
}

// Runs a side once or twice, so that what is cold the first time counts only where it is long.
Trial try_side(CommandPair& pair, AbSide side) {
  Trial trial;
  for (int i = 0; i < 2; ++i) {
    const auto start = SteadyClock::now();
    const CommandAnswer ran = tried(pair, side);
    const AbUnit& unit = ran.answer.unit;
    trial.unit_s = seconds_since(start);
    trial.prints_gbench_report = ran.prints_gbench_report;
    trial.run_s = 1e-3 * unit.warm_ms.front();
    trial.memory_mib = outcome_value(unit, kMemoryOutcome);
    if (trial.unit_s > kLongRunS) break;
  }
  AbCommand nothing = pair.commands[index_of(side)];
  nothing.line = ":";
  nothing.prepare.clear();
  const auto shell = run_command_unit(nothing, {}, pair.limits);
  if (shell && shell->answer.unit.status == Status::ok)
    trial.shell_memory_mib = outcome_value(shell->answer.unit, kMemoryOutcome);
  return trial;
}

// Memory that is the shell's own says nothing of a command.
void choose_outcomes(const std::array<Trial, 2>& trials, AbDocument& document) {
  document.settings.outcomes = command_outcomes();
  const bool told_apart = std::ranges::all_of(
      trials, [](const Trial& trial) { return trial.memory_mib > kAboveFloor * trial.shell_memory_mib; });
  if (told_apart) return;
  std::erase_if(document.settings.outcomes, [](const AbOutcome& one) { return one.name == kMemoryOutcome; });
}

// Notes what is not compared, and why.
void note_outcomes(AbDocument& document) {
  const auto has = [&](const char* name) {
    return std::ranges::find(document.settings.outcomes, name, &AbOutcome::name) !=
           document.settings.outcomes.end();
  };
  if (!has(kCpuOutcome))
    document.notes.emplace_back(
        "processor time and memory are not compared: too few pairs fit into a minute");
  else if (!has(kMemoryOutcome))
    document.notes.emplace_back("peak memory is not compared: it cannot be told from that of a shell");
}

// Takes as many pairs as fit, in one look; where these are too few for a verdict the wall time alone.
void plan_quick(const std::array<Trial, 2>& trials, double spent_s, const AbRequest& request,
                CommandPair& pair, AbDocument& document) {
  plan_one_look(document);
  pair.rules.quick = true;
  const double run_s = trials[0].unit_s + trials[1].unit_s;
  const auto fitting = [&](int runs) { return quick_pairs(run_s * runs, spent_s); };
  const auto needed = [&] {
    return measured_for(minimum_kept_pairs(document.settings.policy, judged_outcomes(document.settings)));
  };
  if (fitting(pair.runs) < needed() && !request.plan.timing.repetitions) pair.runs = 1;
  if (fitting(pair.runs) < needed()) document.settings.outcomes.clear();
  const std::size_t pairs = fitting(pair.runs);
  if (pairs == 0)
    throw Error(
        ErrorKind::usage,
        fmt::format("--quick: a pair takes {}: nothing can be said within a minute; one run took {} (A) and "
                    "{} (B)",
                    duration_text(run_s * pair.runs), duration_text(trials[0].run_s),
                    duration_text(trials[1].run_s)));
  document.run.pairs_per_look = pairs;
  fmt::print(stderr, "aqbench: {} in about {}\n", counted(pairs, "pair"),
             duration_text(static_cast<double>(pairs * pair.runs) * run_s));
}

void plan_full(const std::array<Trial, 2>& trials, const AbRequest& request, CommandPair& pair,
               AbDocument& document) {
  plan_pairs_per_look(request, judged_outcomes(document.settings), document);
  const double look_s = static_cast<double>(document.run.pairs_per_look) * (pair.runs + pair.warmup) *
                        (trials[0].unit_s + trials[1].unit_s);
  fmt::print(stderr, "aqbench: {} of {} each: {}\n", counted(document.run.pairs_per_look, "pair"),
             counted(static_cast<std::size_t>(pair.runs), "run"), time_needed(document, look_s));
}

// A program of Google Benchmark chooses its number of iterations by the clock, whatever one of them takes.
void hint_at_gbench(const std::array<Trial, 2>& trials, AbDocument& document) {
  if (!trials[0].prints_gbench_report && !trials[1].prints_gbench_report) return;
  const std::string hint = fmt::format(
      "{} a report of Google Benchmark: such a program chooses how long it runs, so its wall time says "
      "little; "
      "--gbench-a CMD --gbench-b CMD compares the time per iteration that it measured",
      trials[0].prints_gbench_report && trials[1].prints_gbench_report ? "both commands print"
      : trials[0].prints_gbench_report                                 ? "A prints"
                                                                       : "B prints");
  fmt::print(stderr, "aqbench: hint: {}\n", hint);
  document.notes.push_back(hint);
}

// Learns how long the commands take and plans by it.
void plan_by_trial(const AbRequest& request, CommandPair& pair, AbDocument& document) {
  const auto start = SteadyClock::now();
  const std::array<Trial, 2> trials = {try_side(pair, AbSide::a), try_side(pair, AbSide::b)};
  const double longest_s = std::max(trials[0].run_s, trials[1].run_s);
  pair.runs = request.plan.timing.repetitions.value_or(longest_s > kLongRunS ? 1 : kUsualRuns);
  choose_outcomes(trials, document);
  hint_at_gbench(trials, document);
  if (request.commands.quick)
    plan_quick(trials, seconds_since(start), request, pair, document);
  else
    plan_full(trials, request, pair, document);
  document.run.warm_runs = pair.runs;
}

AbSideInfo command_side_info(const CommandPair& pair, std::size_t side, const std::string& label) {
  AbSideInfo info;
  info.command = pair.commands[side];
  info.label = label.empty() ? info.command->line : label;
  info.program_sha256 =
      sha256_hex(to_json(*info.command).dump(-1, ' ', false, Json::error_handler_t::replace));
  if (!pair.files[side].empty() && info.command->relink.empty())
    info.file_sha256 = sha256_file_hex(pair.files[side]);
  return info;
}

}  // namespace

AbSides plan_command_sides(const AbRequest& request, int cancel_descriptor, AbDocument& document) {
  const AbCommandRequest& commands = request.commands;
  const auto pair = std::make_shared<CommandPair>();
  pair->rules = {commands.compare_output, commands.any_exit_code, commands.quick, commands.layouts,
                 commands.gbench[0]};
  pair->warmup = request.plan.timing.warmup.value_or(0);
  pair->order_seed = request.policy.order_seed;
  pair->limits = {request.plan.timeout_s.value_or(0), request.plan.memory_limit_bytes.value_or(0),
                  cancel_descriptor};
  for (std::size_t side = 0; side < 2; ++side) {
    pair->commands[side] = command_of(commands, side);
    pair->files[side] = program_file(pair->commands[side]);
    pair->file_states[side] = file_state_of(pair->files[side]);
  }
  document.settings.outputs_may_differ = commands.outputs_may_differ;
  document.samples.cases = {{kCaseName, std::nullopt}};
  document.run.exec = true;
  document.run.commands = pair->rules;
  if (pair->rules.gbench) pair->runs = request.plan.timing.repetitions.value_or(1);
  if (request.resume) {
    const JournalHeader header = ab_header(*request.resume);
    take_plan(header, document);
    document.samples.cases = cases_of(header);
    if (!pair->rules.gbench) pair->runs = document.run.warm_runs;
  } else if (pair->rules.gbench) {
    plan_by_gbench_trial(request, *pair, document);
  } else {
    plan_by_trial(request, *pair, document);
  }
  if (pair->rules.gbench)
    for (const AbCase& one : document.samples.cases) pair->benchmarks.push_back(one.name);
  else
    note_outcomes(document);
  for (std::size_t side = 0; side < 2; ++side)
    (side == 0 ? document.a : document.b) = command_side_info(*pair, side, commands.labels[side]);
  const auto runner = [pair](const AbUnitTask& task) -> std::optional<AbUnitAnswer> {
    std::optional<std::uint64_t> layout;
    if (pair->rules.layouts > 0)
      layout = drawn_layout(pair->order_seed, pair->rules.layouts, task.case_index, task.draw, task.side);
    CommandUnitPlan plan;
    plan.warmup = pair->warmup;
    plan.runs = pair->runs;
    if (pair->rules.gbench) plan.benchmark = pair->benchmarks[task.case_index];
    auto ran = run_side(*pair, task.side, layout, std::move(plan));
    if (!ran) return std::nullopt;
    return std::move(ran->answer);
  };
  const std::string rules = to_json(pair->rules).dump(-1, ' ', false, Json::error_handler_t::replace);
  return {runner,
          {sha256_hex(rules + document.a.program_sha256), sha256_hex(rules + document.b.program_sha256)}};
}

void note_quick_times(AbDocument& document) {
  std::array<std::vector<double>, 2> times;
  for (const AbUnit& unit : document.samples.units)
    if (unit.status == Status::ok)
      times[index_of(unit.side)].push_back(*std::ranges::min_element(unit.warm_ms));
  if (times[0].size() < 2 || times[0].size() != times[1].size()) return;
  const std::size_t needed =
      measured_for(minimum_kept_pairs(document.settings.policy, judged_outcomes(document.settings)));
  if (times[0].size() >= needed) return;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times[0].size(); ++i) ratios.push_back(times[1][i] / times[0][i]);
  const auto [least, most] = std::ranges::minmax(ratios);
  document.notes.push_back(fmt::format(
      "--quick: {} fitted into a minute, a verdict needs {}; medians {} and {} ms, B / A {} to {}",
      counted(times[0].size(), "pair"), needed, short_number_or_na(summarize(times[0]).median),
      short_number_or_na(summarize(times[1]).median), short_number(least), short_number(most)));
}

}  // namespace aqbench::cli
