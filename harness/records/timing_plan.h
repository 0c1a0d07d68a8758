#pragma once
// The number of runs of a timed case. Plain data, carried out by harness/measuring/timing.h.

#include <optional>

#include "core/members.h"

namespace aqbench {

// A case runs once cold (the first call of its process), then `warmup` discarded calls, then warm
// repetitions, each of which is a sample. They continue until there are `repetitions` of them, they sum up to
// `min_time_s` and, if `precision` is given, half the 95 % confidence interval of their median is at most
// that share of the median; they stop at `max_repetitions` or `max_time_s` in any case.
struct TimingPlan {
  int repetitions = 0;  // 0, without min_time_s and precision: only the cold call
  int warmup = 0;
  double min_time_s = 0;
  double precision = 0;  // a share: 0.02 = 2 %; 0: not requested
  int max_repetitions = 1000;
  double max_time_s = 60;
  int blocks =
      1;  // processes of the case; each carries out this plan; processes of different cases alternate

  bool times_warm() const { return repetitions > 0 || min_time_s > 0 || precision > 0; }
  bool operator==(const TimingPlan&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("repetitions", &TimingPlan::repetitions, kNotNegative);
    row("warmup", &TimingPlan::warmup, kNotNegative);
    row("min_time_s", &TimingPlan::min_time_s);
    row("precision", &TimingPlan::precision);
    row("max_repetitions", &TimingPlan::max_repetitions, kNotNegative);
    row("max_time_s", &TimingPlan::max_time_s);
    row("blocks", &TimingPlan::blocks, kNotNegative);
  }
};

// The timing options of the command line; effective_timing() fills the rest.
struct TimingRequest {
  std::optional<int> repetitions, warmup, max_repetitions, blocks;
  std::optional<double> min_time_s, precision, max_time_s;

  bool operator==(const TimingRequest&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("repetitions", &TimingRequest::repetitions);
    row("warmup", &TimingRequest::warmup);
    row("min_time_s", &TimingRequest::min_time_s);
    row("precision", &TimingRequest::precision);
    row("max_repetitions", &TimingRequest::max_repetitions);
    row("max_time_s", &TimingRequest::max_time_s);
    row("blocks", &TimingRequest::blocks);
  }
};

// Throws Error(usage) naming the flag for negative counts, a precision of 100 % or more, and a maximum below
// the number it limits.
void check(const TimingRequest& request);

// Returns the plan of a request. By default methods run only cold, workloads with 2 warm-up calls and 10
// repetitions.
TimingPlan effective_timing(const TimingRequest& request, bool workload);

}  // namespace aqbench
