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

constexpr double kQuickCases_s = 55;         // for the pairs and the trial of --quick
constexpr double kLongestTrial_s = 30;       // cases that are left are taken to be as the others
constexpr std::size_t kQuickCasePairs = 40;  // no more are needed

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

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", seconds) : clock_text(seconds);
}

std::size_t judged_of(const AbDocument& document) {
  return document.samples.cases.size() * judged_outcomes(document.settings);
}

std::size_t quick_pairs(double round_s, double spent_s) {
  const auto pairs = std::min(kQuickCasePairs, static_cast<std::size_t>((kQuickCases_s - spent_s) / round_s));
  if (pairs == 0)
    throw Error(ErrorKind::usage,
                fmt::format("--quick: a pair of every case takes {}: nothing can be said within a minute",
                            time_text(round_s)));
  return pairs;
}

}  // namespace

void plan_by_case_trial(const AbRequest& request, const AbUnitRunner& runner, AbDocument& document) {
  const auto start = SteadyClock::now();
  const auto round_s = seconds_of_round(runner, document.samples.cases.size());
  const bool quick = request.commands.quick;
  if (quick) {
    document.run.quick = true;
    document.settings.policy.looks = 1;
    document.settings.confirm = false;
    document.run.pairs_per_look = round_s ? quick_pairs(*round_s, seconds_since(start)) : 1;
  }
  if (!round_s) return;
  const std::size_t pairs = document.run.pairs_per_look;
  const double look_s = static_cast<double>(pairs) * *round_s;
  const int most = (document.settings.confirm ? 2 : 1) * document.settings.policy.looks;
  const std::string longest = quick ? ""
                                    : fmt::format(", at most {} with all top-ups{}", time_text(look_s * most),
                                                  document.settings.confirm ? " and a confirmation" : "");
  fmt::print(stderr, "aqbench: {} of {}: about {}{}\n", counted(pairs, "pair"),
             counted(document.samples.cases.size(), "case"), time_text(look_s), longest);
}

void note_quick_pairs(AbDocument& document) {
  const std::size_t needed = measured_for(minimum_kept_pairs(document.settings.policy, judged_of(document)));
  if (document.run.pairs_per_look >= needed) return;
  document.notes.push_back(fmt::format("--quick: {} fitted into a minute, a verdict needs {}",
                                       counted(document.run.pairs_per_look, "pair"), needed));
}

}  // namespace aqbench::cli
