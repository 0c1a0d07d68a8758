#include "cli/ab/case_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/outcome_decision.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

// Pairs per look where --pairs is not given and the rule needs no more: without a slow run 23 show that a
// slow mode has less than 20 % of B's runs (harness/statistics/slow_runs.h).
constexpr std::size_t kUsualPairs = 24;
constexpr double kLongestTrial_s = 30;  // cases that are left are taken to be as the others

// Returns the seconds that one pair of every case takes; nullopt where a unit failed.
std::optional<double> seconds_of_round(const AbUnitRunner& runner, std::size_t cases) {
  const auto start = SteadyClock::now();
  std::size_t tried = 0;
  while (tried < cases && (tried == 0 || seconds_since(start) < kLongestTrial_s)) {
    for (const AbSide side : {AbSide::a, AbSide::b}) {
      const auto answer = runner({.case_index = tried, .side = side, .score = false, .draw = 0});
      if (!answer) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
      if (answer->unit.status != Status::ok) return std::nullopt;
    }
    ++tried;
  }
  return seconds_since(start) * static_cast<double>(cases) / static_cast<double>(tried);
}

std::size_t judged_of(const AbDocument& document) {
  return document.samples.cases.size() * judged_outcomes(document.settings);
}

}  // namespace

std::string duration_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", seconds) : clock_text(seconds);
}

std::string time_needed(const AbDocument& document, double look_s) {
  const AbSettings& settings = document.settings;
  const int most = (settings.confirm ? 2 : 1) * settings.policy.looks;
  return fmt::format("about {}, at most {} with all top-ups{}", duration_text(look_s),
                     duration_text(look_s * most), settings.confirm ? " and a confirmation" : "");
}

std::size_t quick_pairs(double pair_s, double spent_s) {
  return std::min(kQuickPairs, static_cast<std::size_t>((kQuick_s - spent_s) / pair_s));
}

void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document) {
  const PairedPolicy& policy = document.settings.policy;
  const std::size_t minimum = measured_for(minimum_kept_pairs(policy, judged));
  const std::size_t pairs = request.pairs.value_or(std::max(minimum, kUsualPairs));
  plan_pairs(policy, judged, pairs);
  if (const std::size_t most = max_pairs_per_look(policy.looks); pairs > most)
    throw Error(
        ErrorKind::usage,
        fmt::format("--pairs {}: at most {} with {} looks, so that the last one can be tested exactly", pairs,
                    most, policy.looks));
  document.run.pairs_per_look = pairs;
}

void plan_one_look(AbDocument& document) {
  document.settings.policy.looks = 1;
  document.settings.confirm = false;
}

void plan_by_case_trial(const AbRequest& request, const AbUnitRunner& runner, AbDocument& document) {
  const auto start = SteadyClock::now();
  const auto round_s = seconds_of_round(runner, document.samples.cases.size());
  const bool quick = request.commands.quick;
  std::size_t& pairs = document.run.pairs_per_look;
  if (quick) {
    document.run.quick = true;
    plan_one_look(document);
    pairs = round_s ? quick_pairs(*round_s, seconds_since(start)) : 1;
    if (pairs == 0)
      throw Error(ErrorKind::usage,
                  fmt::format("--quick: a pair of every case takes {}: nothing can be said within a minute",
                              duration_text(*round_s)));
  }
  if (!round_s) return;
  const double look_s = static_cast<double>(pairs) * *round_s;
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(pairs, "pair"),
             counted(document.samples.cases.size(), "case"),
             quick ? "about " + duration_text(look_s) : time_needed(document, look_s));
}

void note_quick_pairs(AbDocument& document) {
  const std::size_t needed = measured_for(minimum_kept_pairs(document.settings.policy, judged_of(document)));
  if (document.run.pairs_per_look >= needed) return;
  document.notes.push_back(fmt::format("--quick: {} fitted into a minute, a verdict needs {}",
                                       counted(document.run.pairs_per_look, "pair"), needed));
}

}  // namespace aqbench::cli
