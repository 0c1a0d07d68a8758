#include "harness/statistics/paired.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kCoarsestStep = 0.25;  // of delta; with more, rounding alone could hide a change above delta
constexpr double kTooManyPairs = 100000;
// The quantile of 80 %: so often as many pairs as a hint says settle it, if they are like these.
constexpr double kSettledZ = 0.8416;
constexpr double kNoReach = 1e-300;  // in place of 0, of which there are no standard errors
// A shift that is exactly a threshold, but for rounding, is neither beyond it nor within it.
constexpr double kMore = 1 + kThresholdRounding, kLess = 1 - kThresholdRounding;

std::string flag_reason(const PairedComparison& result, double threshold, double p_holm) {
  return fmt::format("shift {} is beyond {}, p {:.2g} after Holm is at most {:.2g}",
                     shift_text(result.scale, result.shift), shift_text(result.scale, threshold), p_holm,
                     result.level);
}

// "B has more slow runs: 39 of 80 beyond 11, A 0 of 80, p 1.8e-12 is at most 0.01".
std::string slow_reason(const PairedComparison& result, bool more) {
  const SlowRuns& slow = result.slow_runs;
  const BeyondLimit& beyond = more ? slow.most_more : slow.most_fewer;
  return fmt::format("B has {} {}: {} of {} beyond {}, A {} of {}, p {:.2g} is at most {:.2g}",
                     more ? "more" : "fewer", result.quality ? "bad values" : "slow runs", beyond.b,
                     slow.b.runs, short_number(beyond.limit), beyond.a, slow.a.runs,
                     more ? slow.p_more : slow.p_fewer, slow.level);
}

bool is_bounded(const PairedComparison& result) { return result.slow_runs.excess_upper < kMaxUnseenShare; }

std::string unseen_reason(const PairedComparison& result) {
  return fmt::format("{} in up to {:.0f} % of B's {} would not have been seen, the limit is {:.0f} %",
                     result.quality ? "bad values" : "a slow mode",
                     std::ceil(100 * result.slow_runs.excess_upper), result.quality ? "pairs" : "runs",
                     100 * kMaxUnseenShare);
}

// The upper quantile of the standard normal distribution.
double normal_z(double p) { return boost::math::quantile(boost::math::complement(boost::math::normal(), p)); }

// How many pairs make a distance as many standard errors as wanted, given how many it is now.
std::optional<double> pairs_for(std::size_t pairs, double wanted, double now) {
  if (!(now > 0)) return std::nullopt;
  return static_cast<double>(pairs) * std::max(1.0, (wanted / now) * (wanted / now));
}

// How many pairs bring an end of an interval, `reach` away from the estimate, within `room`. The estimate
// of as many fresh pairs is another one, which kSettledZ allows for.
std::optional<double> pairs_to_reach(const PairedComparison& result, double reach, double room) {
  const double z = normal_z(result.level / 2);
  return pairs_for(result.measured_pairs, z + kSettledZ, z * room / std::max(reach, kNoReach));
}

// The pairs that would make the case PASS, if they were like these.
std::optional<double> pairs_to_pass(const PairedComparison& result) {
  if (result.slow_runs.more()) return std::nullopt;
  std::optional<double> needed = static_cast<double>(result.measured_pairs);
  const auto take = [&](const auto& pairs) {
    needed = needed && pairs ? std::optional(std::max(*needed, static_cast<double>(*pairs))) : std::nullopt;
  };
  const double room = result.pass_below - result.half_step;
  for (const EstimatedShift& one : {result.whole, EstimatedShift{result.shift, result.interval}}) {
    take(pairs_to_reach(result, one.interval.upper - result.half_step - one.shift, room - one.shift));
    if (result.quality) take(pairs_to_reach(result, one.shift - one.interval.lower, room + one.shift));
  }
  if (!is_bounded(result)) take(result.slow_runs.pairs_for_bound);
  return needed;
}

// The pairs of which the test would make it certain that the shift is not 0, where it is beyond tau.
std::optional<double> pairs_to_flag(const PairedComparison& result) {
  const bool worse = result.shift > 0;
  const double beyond = std::abs(result.shift) - result.flag_above, sides = result.quality ? 2 : 1;
  const double p = worse ? result.p_worse_holm : result.p_better_holm;
  if (!(beyond > 0 && p < 0.5)) return std::nullopt;
  const double reach = worse ? result.shift - result.interval.lower : result.interval.upper - result.shift;
  const double z = normal_z(result.level / 2);
  const auto tested = pairs_for(result.measured_pairs, normal_z(result.level / sides) + kSettledZ,
                                normal_z(std::max(p, kNoReach) / sides));
  const auto shifted =
      pairs_for(result.measured_pairs, kSettledZ, z * beyond / std::max(reach - result.half_step, kNoReach));
  return tested && shifted ? std::optional(std::max(*tested, *shifted)) : std::nullopt;
}

// Leaves the case open, with the number of pairs that would settle it.
void leave_open(PairedComparison& result, const std::string& reason, bool more_pairs_help) {
  result.verdict = PairedVerdict::inconclusive;
  result.reason = reason;
  if (!more_pairs_help) return;
  const std::optional<double> pass = pairs_to_pass(result), flagged = pairs_to_flag(result);
  const double needed = std::min(pass.value_or(kTooManyPairs), flagged.value_or(kTooManyPairs));
  if (needed >= kTooManyPairs) {
    result.reason += "; more pairs alone would not settle it";
    return;
  }
  result.pairs_needed = std::max(result.measured_pairs + 1, static_cast<std::size_t>(std::ceil(needed)));
  result.reason += fmt::format("; about {} pairs would settle it, {} more", *result.pairs_needed,
                               *result.pairs_needed - result.measured_pairs);
}

std::string interval_reason(const PairedComparison& result) {
  const EstimatedShift& wider = result.whole.interval.upper >= result.interval.upper
                                    ? result.whole
                                    : EstimatedShift{result.shift, result.interval};
  const std::string within = fmt::format("the interval's worse end {} is not within {}, and ",
                                         shift_text(result.scale, wider.interval.upper),
                                         shift_text(result.scale, result.pass_below));
  if (result.shift > result.flag_above * kMore)
    return within + fmt::format("p {:.2g} after Holm is above {:.2g}", result.p_worse_holm, result.level);
  return within + fmt::format("the shift {} is not beyond {}", shift_text(result.scale, result.shift),
                              shift_text(result.scale, result.flag_above));
}

// Whether the clock is too coarse for a verdict: a step more or less could change it.
bool is_too_coarse(const PairedComparison& result, bool slower, bool faster, double delta) {
  if (!result.step || *result.step <= kCoarsestStep * delta * result.slow_runs.typical) return false;
  if (slower) return result.interval.lower - result.half_step <= result.flag_above;
  if (faster) return result.interval.upper + result.half_step >= result.flag_below;
  return true;
}

// Whether the shift over all pairs is beyond tau, too, where the verdict rests on some of them.
bool all_pairs_agree(const PairedComparison& result, bool slower) {
  return slower ? result.whole.shift > result.flag_above * kMore
                : result.whole.shift < result.flag_below * kMore;
}

void flag(PairedComparison& result, bool slower) {
  const bool opposite = slower ? result.slow_runs.fewer() : result.slow_runs.more();
  result.reason = slower ? flag_reason(result, result.flag_above, result.p_worse_holm)
                         : flag_reason(result, result.flag_below, result.p_better_holm);
  if (opposite) {
    result.verdict = PairedVerdict::trade;
    result.reason = fmt::format("the typical run is {}: {}; but {}", slower ? "slower" : "faster",
                                result.reason, slow_reason(result, !slower));
  } else if (!slower && result.slow_runs.excess > 0 && !is_bounded(result)) {
    leave_open(result,
               fmt::format("the typical run is faster: {}; but {}", result.reason, unseen_reason(result)),
               true);
  } else if (!all_pairs_agree(result, slower)) {
    leave_open(result,
               fmt::format("the usual runs are {}: {}; but over all pairs the shift is {}",
                           slower ? "slower" : "faster", result.reason,
                           shift_text(result.scale, result.whole.shift)),
               false);
  } else {
    result.verdict = slower ? PairedVerdict::regressed : PairedVerdict::faster;
  }
}

// Whether the pairs follow one another so closely that the verdict could be chance.
bool is_dependent(const PairedComparison& result, bool slower, bool faster, bool within) {
  if (!result.if_dependent) return false;
  if (slower) return result.if_dependent->lower <= result.flag_above;
  if (faster) return result.if_dependent->upper >= result.flag_below;
  return within && result.if_dependent->upper >= result.pass_below;
}

void judge_time(PairedComparison& result, double delta) {
  const bool slower = result.p_worse_holm <= result.level && result.shift > result.flag_above * kMore;
  const bool faster = result.p_better_holm <= result.level && result.shift < result.flag_below * kMore;
  const double below = result.pass_below * kLess;
  const bool within = result.whole.interval.upper < below && result.interval.upper < below;
  if (is_too_coarse(result, slower, faster, delta)) {
    leave_open(
        result,
        fmt::format("all times are multiples of {}, which is {:.3g} % of a typical run: too coarse for delta "
                    "{:.2g} %, so measure longer runs or with a finer clock",
                    short_number(*result.step), 100 * *result.step / result.slow_runs.typical, 100 * delta),
        false);
  } else if (is_dependent(result, slower, faster, within)) {
    leave_open(result,
               fmt::format("the pairs follow one another: the machine drifts in a way that pairs do not "
                           "cancel, and a shift of {} could be chance; measure when it is calmer",
                           shift_text(result.scale, result.shift)),
               false);
  } else if (slower || faster) {
    flag(result, slower);
  } else if (result.slow_runs.more()) {
    leave_open(result, slow_reason(result, true), false);
  } else if (!within) {
    leave_open(result, interval_reason(result), true);
  } else if (!is_bounded(result)) {
    leave_open(result, unseen_reason(result), true);
  } else {
    result.verdict = PairedVerdict::pass;
  }
}

std::string quality_flag_reason(const PairedComparison& result) {
  return fmt::format("shift {}, p {:.2g} (two-sided, after Holm) is at most {:.2g}",
                     shift_text(result.scale, result.shift),
                     result.shift > 0 ? result.p_worse_holm : result.p_better_holm, result.level);
}

void flag_quality(PairedComparison& result, bool worse) {
  result.reason = quality_flag_reason(result);
  if (worse ? result.slow_runs.fewer() : result.slow_runs.more()) {
    result.verdict = PairedVerdict::trade;
    result.reason = fmt::format("the typical value is {}: {}; but {}", worse ? "worse" : "better",
                                result.reason, slow_reason(result, !worse));
  } else if (!worse && result.slow_runs.excess > 0 && !is_bounded(result)) {
    leave_open(result,
               fmt::format("the typical value is better: {}; but {}", result.reason, unseen_reason(result)),
               true);
  } else {
    result.verdict = worse ? PairedVerdict::regressed : PairedVerdict::faster;
  }
}

std::string quality_interval_reason(const PairedComparison& result) {
  const auto range = [&](double shift) { return shift_text(result.scale, shift); };
  // Where higher is better, the worst end of the interval is the smallest change of the metric.
  const bool turned = change_of(result.scale, result.pass_below) < 0;
  const auto [smallest, largest] = turned ? std::pair(result.interval.upper, result.interval.lower)
                                          : std::pair(result.interval.lower, result.interval.upper);
  return fmt::format(
      "the interval {} .. {} is not within the margin {}, and p {:.2g} after Holm is above {:.2g}",
      range(smallest), range(largest), range(result.pass_below),
      result.shift > 0 ? result.p_worse_holm : result.p_better_holm, result.level);
}

void judge_quality(PairedComparison& result) {
  const double margin = result.pass_below * kLess;
  const bool within = result.interval.upper < margin && result.interval.lower > -margin;
  const bool worse = result.p_worse_holm <= result.level && result.shift > 0;
  const bool better = result.p_better_holm <= result.level && result.shift < 0;
  if (within && result.slow_runs.more())
    leave_open(result, slow_reason(result, true), false);
  else if (within && !is_bounded(result))
    leave_open(result, unseen_reason(result), true);
  else if (within)
    result.verdict = PairedVerdict::pass;
  else if (worse || better)
    flag_quality(result, worse);
  else
    leave_open(result, quality_interval_reason(result), true);
}

}  // namespace

double slow_run_margin(const PairedComparison& comparison) {
  return comparison.quality ? comparison.pass_below : 2 * comparison.pass_below;
}

void judge_pairs(PairedComparison& result, double delta) {
  result.quality ? judge_quality(result) : judge_time(result, delta);
}

SignChanges sign_changes(std::span<const double> differences, double shift) {
  double above = 0, below = 0, runs = 0;
  bool last = false;
  for (const double one : differences) {
    if (one == shift) continue;
    const bool is_above = one > shift;
    runs += above + below == 0 || is_above != last;
    last = is_above;
    ++(is_above ? above : below);
  }
  if (above == 0 || below == 0) return {};
  const auto log_choose = [](double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
  };
  // The ways to divide the signs above and below into so many runs each.
  const auto ways = [&](double runs_above, double runs_below) {
    if (runs_above > above || runs_below > below) return 0.0;
    return std::exp(log_choose(above - 1, runs_above - 1) + log_choose(below - 1, runs_below - 1) -
                    log_choose(above + below, above));
  };
  double p = 0;
  for (double each = 1; 2 * each <= runs; ++each) {
    p += 2 * ways(each, each);
    if (2 * each + 1 <= runs) p += ways(each + 1, each) + ways(each, each + 1);
  }
  const double of_signs = 1 - 2 * (runs - 1) / (above + below - 1);
  return {std::min(1.0, p), std::sin(0.5 * std::numbers::pi * of_signs)};
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double so_far = 0;  // a larger p is never rejected before a smaller one
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto tests_left = static_cast<double>(order.size() - i);
    so_far = std::max(so_far, std::min(1.0, tests_left * p_values[order[i]]));
    adjusted[order[i]] = so_far;
  }
  return adjusted;
}

}  // namespace aqbench
