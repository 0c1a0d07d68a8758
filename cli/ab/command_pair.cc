#include "cli/ab/command_pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "cli/ab/quick.h"
#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/deciding_time.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

std::vector<std::string> names_of(const std::vector<GbenchTimes>& benchmarks) {
  std::vector<std::string> names;
  for (const GbenchTimes& one : benchmarks) names.push_back(one.name);
  return names;
}

// Returns the benchmarks to compare. Those that B has lost fail in B; notes say what else is not compared:
// what one side alone has, and what fails in A.
std::vector<std::string> benchmarks_to_compare(const std::vector<GbenchTimes>& a, std::vector<GbenchTimes>& b,
                                               AbDocument& document) {
  auto [notes, lost] = one_sided_benchmarks(names_of(a), names_of(b));
  const auto is_in_b = [&](const GbenchTimes& one) {
    return std::ranges::find(b, one.name, &GbenchTimes::name) != b.end();
  };
  if (std::ranges::any_of(a, is_in_b))
    for (const std::string& name : lost) b.push_back({name, {}, "did not measure " + name});
  std::vector<std::string> names;
  for (const GbenchTimes& one : a) {
    if (!is_in_b(one)) continue;
    if (one.error.empty())  // where B fails, its unit does
      names.push_back(one.name);
    else
      notes.push_back(fmt::format("{} is not compared: A: {}", one.name, one.error));
  }
  if (names.empty())
    throw not_comparable_error("--gbench-b: has no benchmark of --gbench-a{}",
                               notes.empty() ? "" : ": " + notes.front());
  for (const std::string& note : notes) fmt::print(stderr, "aqbench: {}\n", printable(note));
  std::ranges::move(notes, std::back_inserter(document.notes));
  return names;
}

// The times of the trial as a unit of each side of each benchmark.
FirstUnits units_of_trial(const std::array<CommandAnswer, 2>& trials, const std::vector<AbCase>& cases) {
  FirstUnits units;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const AbSide side : {AbSide::a, AbSide::b}) {
      const auto& all = trials[index_of(side)].benchmarks;
      const GbenchTimes& times = *std::ranges::find(all, cases[i].name, &GbenchTimes::name);
      units[{i, side}] = times.error.empty()
                             ? CaseResult{unit_of_times(times.real_ms, times.cpu_ms, times.instructions), {}}
                             : failed_unit(Status::failed, times.error);
    }
  return units;
}

}  // namespace

std::optional<CommandAnswer> run_side(const CommandPair& pair, AbSide side, CommandUnitPlan plan,
                                      double limit_s) {
  const std::size_t index = index_of(side);
  plan.rules = pair.rules;
  if (file_state_of(pair.files[index]) != pair.file_states[index]) {
    const std::string why = pair.files[index] + " was changed on the disk while it was measured";
    return CommandAnswer{failed_unit(Status::failed, why).record};
  }
  UnitLimits limits = pair.limits;
  if (limit_s > 0) limits.process.timeout_s = limit_s;
  return run_command_unit(pair.commands[index], plan, limits);
}

CommandAnswer tried(const CommandPair& pair, AbSide side, const Settling& settle, double spent_s) {
  auto trial = run_side(pair, side, CommandUnitPlan{},
                        pair.rules.quick ? quick_timeout(pair.limits.process.timeout_s, spent_s) : 0);
  if (!trial) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
  if (pair.rules.quick && trial->unit.status == Status::timeout)
    throw QuickEnd{fmt::format("--quick: a run of {} was not done when the minute was over; {}",
                               side == AbSide::a ? 'A' : 'B', settle(0))};
  if (trial->unit.status != Status::ok)
    throw input_error("--{}-{} '{}': {}", pair.rules.gbench ? "gbench" : "cmd", to_string(side),
                      pair.commands[index_of(side)].line, trial->unit.reason);
  return std::move(*trial);
}

bool tells_memory_apart(const CommandPair& pair, const std::array<const Record*, 2>& units) {
  constexpr double kAboveFloor = 1.1;
  const auto memory_of = [](const Record& unit) {
    const std::vector<double>* const found = find_outcome(unit, kMemoryOutcome);
    return found == nullptr ? 0 : found->front();
  };
  for (const AbSide side : {AbSide::a, AbSide::b}) {
    AbCommand nothing = pair.commands[index_of(side)];
    nothing.line = ":";
    nothing.prepare.clear();
    const auto shell = run_command_unit(nothing, {}, pair.limits);
    const double floor_mib = shell && shell->unit.status == Status::ok ? memory_of(shell->unit) : 0;
    if (!(memory_of(*units[index_of(side)]) > kAboveFloor * floor_mib)) return false;
  }
  return true;
}

AbOutcome memory_outcome() { return {kMemoryOutcome, AbOutcome::Kind::cost, "MiB"}; }

Settling plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                              AbDocument& document) {
  const auto start = SteadyClock::now();
  const bool quick = request.commands.rules.quick;
  std::array<CommandAnswer, 2> trials;
  for (const AbSide side : {AbSide::a, AbSide::b})
    trials[index_of(side)] =
        tried(pair, side, settling(arguments, document, quick_s()), seconds_since(start));
  const double pair_s = seconds_since(start);
  document.samples.cases.clear();
  for (const std::string& name : benchmarks_to_compare(trials[0].benchmarks, trials[1].benchmarks, document))
    document.samples.cases.push_back({name, std::nullopt});
  const std::size_t cases = document.samples.cases.size();
  if (tells_memory_apart(pair, {&trials[0].unit, &trials[1].unit}))
    document.settings.outcomes = {memory_outcome()};
  const auto all_have = [&](const std::string& name, std::vector<double> GbenchTimes::*values) {
    return std::ranges::all_of(trials, [&](const CommandAnswer& trial) {
      return !((*std::ranges::find(trial.benchmarks, name, &GbenchTimes::name)).*values).empty();
    });
  };
  std::string not_counted;
  for (const AbCase& one : document.samples.cases)
    if (not_counted.empty() && !all_have(one.name, &GbenchTimes::instructions))
      not_counted = why_not_counted_of_benchmark(one.name);
  choose_deciding_time(
      request.decide_by, load_of_this_machine(),
      [&](const AbCase& one) {
        return why_not_cpu_of_benchmark(one.name, all_have(one.name, &GbenchTimes::cpu_ms),
                                        request.decide_by);
      },
      document, not_counted);
  const Settling settle = settling(arguments, document, pair.runs * pair_s);
  const FirstUnits trial = units_of_trial(trials, document.samples.cases);
  if (quick) {
    plan_one_look(document);
    const std::size_t pairs = quick_pairs(pair.runs * pair_s, pair_s);
    if (pairs < minimum_pairs(document.settings.policy, cases * judged_outcomes(document.settings)))
      document.settings.outcomes.clear();
    if (pairs == 0) pair.first = trial;
    plan_quick_pairs(pairs, cases * judged_outcomes(document.settings), document);
  } else {
    plan_pairs_per_look(request, cases * judged_outcomes(document.settings), document);
  }
  warn_of_load(document, trial);
  if (quick) return settle;
  const double look_s = static_cast<double>(document.run.pairs_per_look) * pair.runs * pair_s;
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(document.run.pairs_per_look, "pair"),
             counted(cases, "benchmark"), time_needed(document, look_s));
  return settle;
}

}  // namespace aqbench::cli
