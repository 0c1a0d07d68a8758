#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "cli/ab/sides.h"
#include "core/error.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/ab_command.h"
#include "harness/ab/decision.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

constexpr double kLongestTrial_s = 30;  // cases that are left are taken to be as the others

void say_first_outputs(const AbDocument& document, std::size_t case_index, const Record& a, const Record& b) {
  const std::string &hash_a = a.output_sha256, &hash_b = b.output_sha256;
  if (hash_a.empty() || hash_b.empty() || hash_a == hash_b) return;
  std::string values;
  for (const OutcomeSamples& outcome : a.unit->outcomes) {
    const OutcomeSamples* const other = find_outcome(b, outcome.name);
    const auto known = std::ranges::find(document.settings.outcomes, outcome.name, &AbOutcome::name);
    if (other != nullptr && known != document.settings.outcomes.end() &&
        known->kind == AbOutcome::Kind::metric)
      values += fmt::format("{} {} {} and {}", values.empty() ? ":" : ",", outcome.name,
                            short_number(outcome.values.front()), short_number(other->values.front()));
  }
  fmt::print(stderr, "aqbench: {}: the outputs of the first pair differ{}\n",
             printable(document.samples.cases.at(case_index).name), values);
}

// Notes what is not compared: what one side alone has, and what did not run.
std::vector<std::string> common_benchmarks(const std::vector<GbenchTimes>& a,
                                           const std::vector<GbenchTimes>& b, AbDocument& document) {
  std::vector<std::string> names;
  for (const GbenchTimes& one : a) {
    const auto other = std::ranges::find(b, one.name, &GbenchTimes::name);
    if (other == b.end()) throw not_comparable_error("--gbench-b: has no benchmark '{}'", one.name);
    if (one.error.empty() && other->error.empty())
      names.push_back(one.name);
    else
      document.notes.push_back(fmt::format("{} is not compared: {}: {}", one.name,
                                           one.error.empty() ? "B" : "A",
                                           one.error.empty() ? other->error : one.error));
  }
  for (const GbenchTimes& one : b)
    if (std::ranges::find(a, one.name, &GbenchTimes::name) == a.end())
      document.notes.push_back(fmt::format("B alone has the benchmark {}", one.name));
  if (names.empty()) throw input_error("--gbench-a: no benchmark to compare");
  return names;
}

// The times of the trial as a unit of each side of each benchmark.
FirstUnits units_of_trial(const std::array<CommandAnswer, 2>& trials, const std::vector<AbCase>& cases) {
  FirstUnits units;
  for (std::size_t i = 0; i < cases.size(); ++i)
    for (const AbSide side : {AbSide::a, AbSide::b}) {
      const auto& all = trials[index_of(side)].benchmarks;
      units[{i, side}] = {unit_of_times(std::ranges::find(all, cases[i].name, &GbenchTimes::name)->real_ms),
                          {}};
    }
  return units;
}

}  // namespace

void measure_first_pairs(const AbUnitRunner& run, const AbDocument& document,
                         const std::function<bool()>& go_on, FirstPairs& pairs) {
  while (pairs.tried < document.samples.cases.size() && go_on()) {
    const AbSide first = first_side(document.samples.order_seed, pairs.tried);
    for (const AbSide side : {first, other_side(first)}) {
      auto answer = run({.case_index = pairs.tried, .side = side, .score = true});
      if (!answer) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
      pairs.failed = answer->record.status != Status::ok;
      pairs.units[{pairs.tried, side}] = std::move(*answer);
      if (pairs.failed) break;
    }
    if (!pairs.failed)
      say_first_outputs(document, pairs.tried, pairs.units.at({pairs.tried, AbSide::a}).record,
                        pairs.units.at({pairs.tried, AbSide::b}).record);
    ++pairs.tried;
    pairs.spent_s = seconds_since(pairs.start);
  }
}

AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first) {
  return [run = std::move(run), first = std::make_shared<FirstUnits>(std::move(first))](
             const AbUnitTask& task) -> std::optional<CaseResult> {
    const auto found = task.draw == 0 ? first->find({task.case_index, task.side}) : first->end();
    if (found == first->end()) return run(task);
    CaseResult answer = std::move(found->second);
    first->erase(found);
    return answer;
  };
}

std::string duration_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", seconds) : clock_text(seconds);
}

std::string time_needed(const AbDocument& document, double look_s) {
  const AbSettings& settings = document.settings;
  const int most = (settings.confirm ? 2 : 1) * settings.policy.looks;
  return fmt::format("about {}, at most {} with all top-ups{}", duration_text(look_s),
                     duration_text(look_s * most), settings.confirm ? " and a confirmation" : "");
}

void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document) {
  const PairedPolicy& policy = document.settings.policy;
  const std::size_t pairs =
      request.pairs.value_or(std::max(measured_for(minimum_kept_pairs(policy, judged)), kUsualPairs));
  require_enough_pairs(policy, judged, pairs);
  if (const std::size_t most = max_pairs_per_look(policy.looks); pairs > most)
    throw usage_error("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly",
                      pairs, most, policy.looks);
  document.run.pairs_per_look = pairs;
}

void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document) {
  FirstPairs first;
  const auto go_on = [&] { return !first.failed && (first.tried == 0 || first.spent_s < kLongestTrial_s); };
  measure_first_pairs(runner, document, go_on, first);
  runner = with_first_units(std::move(runner), std::move(first.units));
  if (first.failed) return;
  const std::size_t pairs = document.run.pairs_per_look, cases = document.samples.cases.size();
  const double round_s = first.spent_s * static_cast<double>(cases) / static_cast<double>(first.tried);
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(pairs, "pair"), counted(cases, "case"),
             time_needed(document, static_cast<double>(pairs) * round_s));
}

std::optional<CommandAnswer> run_side(const CommandPair& pair, AbSide side, CommandUnitPlan plan) {
  const std::size_t index = index_of(side);
  plan.rules = pair.rules;
  if (file_state_of(pair.files[index]) != pair.file_states[index]) {
    const std::string why = pair.files[index] + " was changed on the disk while it was measured";
    return CommandAnswer{failed_unit(Status::failed, why).record};
  }
  return run_command_unit(pair.commands[index], plan, pair.limits);
}

CommandAnswer tried(CommandPair& pair, AbSide side, const std::string& settle) {
  auto trial = run_side(pair, side, CommandUnitPlan{});
  if (!trial) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
  if (pair.rules.quick && trial->unit.status == Status::timeout)
    throw QuickEnd{fmt::format("--quick: a run of {} was not done when the minute was over; {}",
                               side == AbSide::a ? 'A' : 'B', settle)};
  if (trial->unit.status != Status::ok)
    throw input_error("--{}-{} '{}': {}", pair.rules.gbench ? "gbench" : "cmd", to_string(side),
                      pair.commands[index_of(side)].line, trial->unit.reason);
  return std::move(*trial);
}

std::string plan_by_gbench_trial(const AbRequest& request, const Arguments& arguments, CommandPair& pair,
                                 AbDocument& document) {
  const auto start = SteadyClock::now();
  const bool quick = request.commands.rules.quick;
  const double own_s = pair.limits.process.timeout_s;
  std::array<CommandAnswer, 2> trials;
  for (const AbSide side : {AbSide::a, AbSide::b}) {
    if (quick) pair.limits.process.timeout_s = quick_timeout(own_s, seconds_since(start));
    trials[index_of(side)] = tried(pair, side, settling_command(arguments, document, quick_s()));
  }
  pair.limits.process.timeout_s = own_s;
  const double pair_s = seconds_since(start);
  document.samples.cases.clear();
  for (const std::string& name : common_benchmarks(trials[0].benchmarks, trials[1].benchmarks, document))
    document.samples.cases.push_back({name, std::nullopt});
  const std::size_t cases = document.samples.cases.size();
  const std::string settle = settling_command(arguments, document, pair.runs * pair_s);
  if (quick) {
    plan_one_look(document);
    std::size_t& pairs = document.run.pairs_per_look = quick_pairs(pair.runs * pair_s, pair_s);
    if (pairs == 0) pair.first = units_of_trial(trials, document.samples.cases);
    pairs = std::max<std::size_t>(1, pairs);
  } else {
    plan_pairs_per_look(request, cases, document);
  }
  const double look_s = static_cast<double>(document.run.pairs_per_look) * pair.runs * pair_s;
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(document.run.pairs_per_look, "pair"),
             counted(cases, "benchmark"),
             quick ? "about " + duration_text(look_s) : time_needed(document, look_s));
  return settle;
}

}  // namespace aqbench::cli
