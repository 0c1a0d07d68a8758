#include "cli/ab/case_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "cli/ab/first_units.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/ab/outcome_decision.h"
#include "harness/running/progress.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench::cli {
namespace {

constexpr double kLongestTrial_s = 30;  // cases that are left are taken to be as the others

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

void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document) {
  const auto start = SteadyClock::now();
  const std::size_t cases = document.samples.cases.size();
  FirstUnits units;
  std::size_t tried = 0;
  bool failed = false;
  while (tried < cases && !failed && (tried == 0 || seconds_since(start) < kLongestTrial_s)) {
    const AbSide first = first_side(document.samples.order_seed, tried);
    for (const AbSide side : {first, other_side(first)}) {
      auto answer = runner({.case_index = tried, .side = side, .score = true, .draw = 0});
      if (!answer) throw Error(ErrorKind::interrupted, "interrupted before the first pair");
      failed = answer->record.status != Status::ok;
      units[{tried, side}] = std::move(*answer);
      if (failed) break;
    }
    if (!failed)
      say_first_outputs(document, tried, units.at({tried, AbSide::a}).record,
                        units.at({tried, AbSide::b}).record);
    ++tried;
  }
  const double round_s = seconds_since(start) * static_cast<double>(cases) / static_cast<double>(tried);
  runner = with_first_units(std::move(runner), std::move(units));
  if (failed) return;
  const std::size_t pairs = document.run.pairs_per_look;
  fmt::print(stderr, "aqbench: {} of {}: {}\n", counted(pairs, "pair"), counted(cases, "case"),
             time_needed(document, static_cast<double>(pairs) * round_s));
}

}  // namespace aqbench::cli
