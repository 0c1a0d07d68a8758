#include "cli/ab/quick.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "cli/ab/first_pairs.h"
#include "core/error.h"
#include "core/quantiles.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/decision.h"
#include "harness/ab/report.h"
#include "harness/statistics/pair_plan.h"
#include "reports/content/commands.h"

namespace aqbench::cli {
namespace {

constexpr std::size_t kQuickPairs = 360;  // the most of --quick

// Runs of a usual unit: cold, warm-up and warm ones, of --quick and of a whole comparison.
constexpr double kQuickUnitRuns = 5, kWholeUnitRuns = 7;

// The median of a unit's runs, or its only one.
std::optional<double> median_ms(const Timing& timing) {
  return timing.warm_ms.empty() ? timing.cold_ms : std::optional(median_of(timing.warm_ms));
}

// A unit of one run has the time of that run.
AbUnitRunner with_single_runs(AbUnitRunner run) {
  return [run = std::move(run)](const AbUnitTask& task) {
    auto answer = run(task);
    if (!answer || answer->record.status != Status::ok) return answer;
    if (Timing& timing = answer->record.timing; timing.warm_ms.empty() && timing.cold_ms) {
      timing.warm_ms = {*timing.cold_ms};
      answer->record.stages.clear();
    }
    return answer;
  };
}

std::string unit_text(const Record& unit) {
  std::string text;
  if (const auto ms = median_ms(unit.timing)) text = duration_text(*ms / 1000);
  for (const OutcomeSamples& outcome : unit.unit->outcomes)
    text += fmt::format(", {} {}", outcome.name, short_number(outcome.values.front()));
  return text;
}

// Measures a pair of each case while the minute that began at `start` lasts.
FirstPairs try_quick(const AbSides& sides, const Settling& settle, SteadyClock::time_point start,
                     const AbDocument& document) {
  FirstPairs pairs{start};
  std::optional<AbSide> over;  // the side of a unit that was not done when the minute was over
  const AbUnitRunner hurried = [&](AbUnitTask task) {
    task.limit_s = quick_timeout(sides.limits->process.timeout_s, seconds_since(start));
    auto answer = sides.runner(task);
    if (answer && answer->record.status == Status::timeout && seconds_since(start) > quick_s() - 1)
      over = task.side;
    return answer;
  };
  const auto fits = [&] {
    if (over) return false;
    return pairs.tried == 0 || pairs.spent_s * (1 + 1.0 / static_cast<double>(pairs.tried)) < quick_s();
  };
  measure_first_pairs(hurried, document, fits, pairs);
  if (!over) return pairs;
  // The last case has no pair.
  pairs.failed = false;
  pairs.units.erase({--pairs.tried, *over});
  if (pairs.tried > 0) return pairs;  // the others are something
  const auto other = pairs.units.find({0, other_side(*over)});
  throw QuickEnd{fmt::format(
      "--quick: a run of {} was not done when the minute was over{}; {}", *over == AbSide::a ? 'A' : 'B',
      other == pairs.units.end() ? ""
                                 : fmt::format(", one of {} took {}", *over == AbSide::a ? 'B' : 'A',
                                               unit_text(other->second.record)),
      settle(0))};
}

std::size_t judged_cases(const AbDocument& document) {
  return std::max<std::size_t>(1, document.samples.cases.size() * judged_outcomes(document.settings));
}

// The pairs of the case that has the most.
std::size_t most_pairs(const AbDocument& document) {
  std::vector<std::size_t> pairs(document.samples.cases.size());
  for (const Record& unit : document.samples.units)
    pairs[unit.unit->case_index] += unit.unit->side == AbSide::b ? 1 : 0;
  return std::ranges::max(pairs);
}

std::size_t needed_pairs(const AbDocument& document) {
  return minimum_pairs(document.settings.policy, judged_cases(document));
}

// The most pairs that would settle a case; 0 where none says so.
std::size_t settling_pairs(const AbReport& report) {
  std::size_t most = 0;
  for (const AbCaseReport& one : report.cases) {
    const auto take = [&](const std::optional<AbTimeDecision>& decision) {
      if (decision && decision->comparison)
        most = std::max(most, decision->comparison->pairs_needed.value_or(0));
    };
    take(one.time);
    for (const auto& [outcome, decision] : one.outcomes)
      if (outcome.kind == AbOutcome::Kind::metric) take(decision);
  }
  return most;
}

// Leaves out the cases from this one on.
void leave_out_cases(std::size_t first, AbDocument& document) {
  std::vector<AbCase>& cases = document.samples.cases;
  if (first >= cases.size()) return;
  document.notes.push_back(fmt::format("--quick: had no time for {} of {}, from {} on", cases.size() - first,
                                       counted(cases.size(), "case"), cases[first].name));
  cases.resize(first);
}

// Whether a resumed comparison had units of one run.
bool ran_single_runs(const AbRequest& request) {
  return request.resume && ab_header(*request.resume).sides->comparison->at("run").at("warm_runs") == 0;
}

std::string values_text(const std::array<std::vector<double>, 2>& values) {
  const auto all_equal = [](const std::vector<double>& some) {
    return std::ranges::all_of(some, [&](double value) { return value == some.front(); });
  };
  const std::string text =
      fmt::format("{} and {}", short_number(median_of(values[0])), short_number(median_of(values[1])));
  if (values[0].size() == 1) return text + " (one run each: final if the methods are deterministic)";
  return all_equal(values[0]) && all_equal(values[1]) ? text + " in every pair: final" : text + " (medians)";
}

// Returns what the pairs of a case measured: "medians 9012 and 12034 ms, B / A 1.33 to 1.35; ...".
std::string measured_text(const AbDocument& document, std::size_t case_index) {
  std::array<std::vector<double>, 2> times;
  std::map<std::string, std::array<std::vector<double>, 2>> outcomes;
  for (const Record& unit : document.samples.units) {
    if (unit.unit->case_index != case_index || unit.status != Status::ok) continue;
    const std::size_t side = index_of(unit.unit->side);
    if (const auto* const ms = compared_values(unit, document.samples.cases[case_index]); ms && !ms->empty())
      times[side].push_back(median_of(*ms));
    for (const OutcomeSamples& outcome : unit.unit->outcomes)
      outcomes[outcome.name][side].push_back(outcome.values.front());
  }
  if (times[0].empty() || times[0].size() != times[1].size()) return {};
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times[0].size(); ++i) ratios.push_back(times[1][i] / times[0][i]);
  const auto [least, most] = std::ranges::minmax(ratios);
  std::string text = fmt::format("medians {} and {} ms, B / A {}", short_number(median_of(times[0])),
                                 short_number(median_of(times[1])), short_number(least));
  if (ratios.size() > 1) text += " to " + short_number(most);
  for (const AbOutcome& outcome : document.settings.outcomes)
    if (const auto found = outcomes.find(outcome.name);
        outcome.kind == AbOutcome::Kind::metric && found != outcomes.end() && !found->second[0].empty() &&
        found->second[0].size() == found->second[1].size())
      text += fmt::format("; {} {}", outcome.name, values_text(found->second));
  return text;
}

}  // namespace

double quick_s() {
  const char* const value = std::getenv("AQBENCH_QUICK_S");
  return parse_double(value == nullptr ? "" : value).value_or(55);
}

std::size_t quick_pairs(double pair_s, double spent_s) {
  return std::min(kQuickPairs, static_cast<std::size_t>(std::max(0.0, (quick_s() - spent_s) / pair_s)));
}

double quick_timeout(double own_s, double spent_s) {
  const double left_s = std::max(0.1, quick_s() - spent_s);
  return own_s > 0 ? std::min(own_s, left_s) : left_s;
}

void plan_one_look(AbDocument& document) {
  document.settings.policy.looks = 1;
  document.settings.confirm = false;
}

void plan_quick_pairs(std::size_t fitting, std::size_t judged, AbDocument& document) {
  const std::size_t pairs = std::clamp<std::size_t>(2 * fitting, 1, kQuickPairs);
  document.settings.confirm = false;
  PairedPolicy& policy = document.settings.policy;
  const int sides = has_metrics(document.settings) ? 2 : 1;
  const auto fits = [&] {
    return max_bootstrap_looks(policy) >= policy.looks &&
           pairs / static_cast<std::size_t>(policy.looks) >=
               std::max(minimum_pairs(policy, judged, sides), kEarlyPairs);
  };
  policy.looks = kEarlyLooks;
  while (policy.looks > 1 && !fits()) --policy.looks;
  document.run.pairs_per_look = std::max<std::size_t>(1, pairs / static_cast<std::size_t>(policy.looks));
  fmt::print(stderr, "aqbench: up to {} of {} within {}\n", counted(pairs, "pair"),
             counted(document.samples.cases.size(), "case"), duration_text(quick_s()));
}

AbUnitRunner QuickClock::limited(AbUnitRunner run) {
  return [this, run = std::move(run)](const AbUnitTask& task) -> std::optional<CaseResult> {
    if (!half_ && pairs_ >= cases_)
      ended_ = seconds_since(start_) * (1 + 1 / static_cast<double>(pairs_)) > quick_s();
    if (ended_) return std::nullopt;
    half_ = true;
    return run(task);
  };
}

void QuickClock::end_pair() {
  half_ = false;
  ++pairs_;
}

Settling settling(const Arguments& arguments, const AbDocument& document, double pair_s) {
  Arguments words = {"aqbench", "ab"};
  std::ranges::copy_if(arguments, std::back_inserter(words),
                       [](const auto& word) { return word != "--quick"; });
  return [words, document, pair_s](std::size_t pairs) mutable {
    const std::size_t usual = std::max(needed_pairs(document), kUsualPairs);
    if (pairs > usual) words.insert(words.end(), {"--pairs", std::to_string(pairs)});
    const double look_s = static_cast<double>(std::max(pairs, usual)) * pair_s;
    return fmt::format("to settle it: {} ({})", shell_join(words), time_needed(document, look_s));
  };
}

AbSides plan_quick_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                         AbDocument& document, Settling& settle) {
  const auto start = SteadyClock::now();
  const AbDocument empty = document;
  AbRequest once = request;
  const bool chosen = request.given.contains("repetitions") || request.given.contains("warmup");
  if (!chosen) {
    once.plan.timing.repetitions = 0;
    once.plan.timing.warmup.reset();
  }
  AbSides sides = plan_ab_sides(once, cancel_descriptor, document);
  if (!chosen) sides.runner = with_single_runs(std::move(sides.runner));
  const AbDocument whole = document;
  const auto settled = [&](double pair_s) { return settling(arguments, whole, pair_s); };
  document.run.quick = true;
  if (request.resume) {
    const JournalHeader header = ab_header(*request.resume);
    if (!chosen && !ran_single_runs(request)) {
      document = empty;
      sides = plan_ab_sides(request, cancel_descriptor, document);
      document.run.quick = true;
    }
    take_plan(header, document);
    document.samples.cases = cases_of(header);
    return sides;
  }
  plan_one_look(document);
  FirstPairs trial = try_quick(sides, settled(quick_s()), start, document);
  const double pair_s = trial.spent_s / static_cast<double>(trial.tried);
  const double round_s = pair_s * static_cast<double>(document.samples.cases.size());
  settle = settled(round_s * (chosen ? 1 : kWholeUnitRuns));
  const std::size_t usual = quick_pairs(kQuickUnitRuns * round_s, seconds_since(start));
  if (!chosen && trial.tried == document.samples.cases.size() && usual >= needed_pairs(document)) {
    document = empty;
    sides = plan_ab_sides(request, cancel_descriptor, document);
    document.run.quick = true;
    plan_quick_pairs(usual, judged_cases(document), document);
  } else {
    const bool all = trial.tried == document.samples.cases.size();
    leave_out_cases(trial.tried, document);
    plan_quick_pairs(all ? 1 + quick_pairs(round_s, seconds_since(start)) : 0, judged_cases(document),
                     document);
    sides.runner = with_first_units(std::move(sides.runner), std::move(trial.units));
  }
  return sides;
}

void note_quick(const Settling& settle, AbDocument& document) {
  constexpr std::size_t kMaxCases = 5;
  const AbReport report = judge_ab(document);
  const bool undecided = report.exit_code() == ExitCode::inconclusive;
  const std::size_t needed = needed_pairs(document), pairs = most_pairs(document);
  if (pairs < needed && undecided)  // else outputs that differ ended it, or a failure
    document.notes.push_back(fmt::format("--quick: {} fitted into a minute, a verdict on time needs {}",
                                         counted(pairs, "pair"), needed));
  if (pairs < needed || undecided)
    for (std::size_t i = 0; i < std::min(document.samples.cases.size(), kMaxCases); ++i)
      if (const std::string text = measured_text(document, i); !text.empty())
        document.notes.push_back(fmt::format("{}: {}", document.samples.cases[i].name, text));
  if (undecided && settle) document.notes.push_back(settle(settling_pairs(report)));
}

}  // namespace aqbench::cli
