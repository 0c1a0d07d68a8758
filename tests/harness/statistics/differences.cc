#include "tests/harness/statistics/differences.h"

#include <numeric>

#include "core/error.h"
#include "harness/statistics/pair_plan.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {

PairedComparison compare_differences(const DifferenceSeries& series, const PairedPolicy& policy) {
  check(policy);
  require_not_empty(series.name + ": differences", series.differences.size());
  require_finite(series.name + ": differences", series.differences);
  require_at_least(series.name + ": tau", series.tau, 0);
  require_at_least(series.name + ": delta", series.delta, series.tau);
  if (series.delta == 0) throw Error(ErrorKind::usage, series.name + ": delta is 0, must be above 0");
  require_at_least(series.name + ": differences", static_cast<double>(series.differences.size()),
                   static_cast<double>(minimum_kept_pairs(policy, 1)));

  PairedComparison result;
  result.name = series.name;
  result.measured_pairs = series.differences.size();
  result.kept.resize(series.differences.size());
  std::iota(result.kept.begin(), result.kept.end(), std::size_t{0});
  result.flag_above = series.tau;
  result.flag_below = -series.tau;
  result.pass_below = series.delta;
  result.level = policy.alpha / policy.looks;
  const SignedRankTest test = signed_rank_test(series.differences);
  result.p_worse = result.p_worse_holm = test.p_greater;  // of a single case: nothing to adjust
  result.p_better = result.p_better_holm = test.p_less;
  const HodgesLehmann shift = hodges_lehmann(series.differences, 1 - result.level);
  result.shift = shift.estimate;
  result.interval = shift.interval.value();
  if (result.p_worse <= result.level && result.shift > series.tau)
    result.verdict = PairedVerdict::regressed;
  else if (result.p_better <= result.level && result.shift < -series.tau)
    result.verdict = PairedVerdict::faster;
  else if (result.interval.upper < series.delta)
    result.verdict = PairedVerdict::pass;
  return result;
}

}  // namespace aqbench
