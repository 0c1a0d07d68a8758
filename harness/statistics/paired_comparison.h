#pragma once
// Pairs of two builds' units, and what is found about them: the data of paired.h and quality.h.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/statistics/hodges_lehmann.h"

namespace aqbench {

// How a metric over seeds or runs is compared: a value that tells how good a result is, not how long it took.
// All its pairs are kept, the test is two-sided, and the margin takes the place of tau and delta.
struct QualityScale {
  enum class Better { lower, higher, near_ideal };
  Better better = Better::lower;
  double margin = 0.05;          // a share of A's value, or where it is absolute in the values' unit; above 0
  bool margin_absolute = false;  // needed where values are 0 or below, and for near_ideal
  double ideal = 0;              // of near_ideal: the value that a perfect result has; else 0
};

// The pairs of one gated (case, metric). u_a[i] and u_b[i] were measured one after the other, in an order
// that a coin decided.
struct PairedSeries {
  std::string name;
  std::vector<double> u_a, u_b;   // above 0, in any unit; each the best of its process's warm runs (unit_of)
  bool higher_is_better = false;  // a throughput: tau 5 % then means 0.95 x the throughput
  std::optional<double> tau;      // of this case (tau_of_case); the larger of this and the policy's holds
  std::optional<QualityScale> quality;  // then u_a and u_b are a metric, and neither tau nor delta counts
  std::vector<std::vector<double>> runs_a = {},
                                   runs_b = {};  // all runs, by pair; empty: u_a and u_b are single runs
  bool clocked = true;  // a clock measured the values, so that its step counts; false for memory
};

// What became of one case.
enum class PairedVerdict {
  regressed,     // p <= alpha after Holm, and the shift is above tau
  faster,        // the same in the other direction
  pass,          // the interval's upper end is below delta, and B has no more slow runs
  inconclusive,  // none of these; never a pass
  refused,       // this case's tau is above delta: too noisy to be gated here
  trade,         // the typical run and the share of slow runs point in opposite directions
};
// Returns "REGRESSED" and so on.
std::string to_string(PairedVerdict verdict);
// Returns what the verdict is called for a metric: "WORSE", "BETTER", "EQUIVALENT", "INCONCLUSIVE", "TRADE".
std::string quality_text(PairedVerdict verdict);

// The scale that a shift is in. Above 0 is always worse.
enum class ShiftScale {
  log_ratio,            // ln(u_b / u_a)
  inverse_log_ratio,    // ln(u_a / u_b), where higher is better
  difference,           // u_b - u_a, of a metric with an absolute margin
  inverse_difference,   // u_a - u_b
  distance_from_ideal,  // |u_b - ideal| - |u_a - ideal|
};

// Returns u_b / u_a - 1 for a shift: 0.04 means that u_b is 4 % more. For a scale of differences returns
// u_b - u_a, or how much further u_b is from the ideal, in the unit of the values.
double change_of(ShiftScale scale, double shift);

// Returns whether the shift is a difference in the unit of the values and no ratio.
bool is_difference(ShiftScale scale);

// Returns change_of() for a reader: "+4.10 %", or "+0.123" for a difference.
std::string shift_text(ShiftScale scale, double shift);

// A shift that is a threshold but for rounding, a share of the threshold, is exactly the threshold: neither
// beyond it nor within it.
inline constexpr double kThresholdRounding = 1e-9;

// The runs of one side; a slow one lies beyond the limit (slow_runs.h).
struct SlowSide {
  std::size_t runs = 0, slow_runs = 0, slow_units = 0;  // a slow unit has a slow run
  std::optional<double> usual_median,
      slow_median;         // of the other runs and of the slow ones, where there are any
  bool two_modes = false;  // both kinds are common, and nine in ten of either lie apart from the other
};

// Slow runs on both sides; bad values, where a metric is compared.
struct SlowRuns {
  double typical = 0,
         limit = 0;  // the median of all runs, and how much is slow; of what should be near 0 its size
  SlowSide a, b;
  double p_more = 1, p_fewer = 1;  // one-sided: B has more slow runs than A, or fewer
  double level = 0;                // the bound for either
  double excess = 0;               // B's share of slow runs less A's, the mean over the pairs
  double excess_upper = 1;         // its upper 99 % bound over all looks, 0 to 1
  std::optional<std::size_t>
      pairs_for_bound;  // about how many bring that below kMaxUnseenShare, where it is not

  // Return whether B certainly has more slow runs, or fewer.
  bool more() const { return p_more <= level; }
  bool fewer() const { return p_fewer <= level; }
};

// A shift with its interval.
struct EstimatedShift {
  double shift = 0;        // Hodges-Lehmann
  ShiftInterval interval;  // of confidence 1 - alpha / looks, half a step of the clock wider at either end
};

// The verdict on one case and what it follows from.
struct PairedComparison {
  std::string name;
  ShiftScale scale = ShiftScale::log_ratio;
  bool quality = false;  // of a series with a quality scale
  std::size_t measured_pairs = 0;
  std::vector<std::size_t> kept;     // indices of the pairs that were analysed, ascending
  std::size_t zeros = 0;             // kept pairs without any difference, which only the test drops
  bool ties = false;                 // mid-ranks were used
  std::optional<double> cv_a, cv_b;  // sd / mean of the kept units

  // On that scale:
  double shift = 0;                            // Hodges-Lehmann, over the kept pairs
  ShiftInterval interval;                      // of confidence 1 - alpha / looks, as in EstimatedShift
  EstimatedShift whole;                        // over all pairs, the median of each unit's runs
  std::optional<BootstrapInterval> bootstrap;  // to check the interval, same confidence
  double flag_above = 0, flag_below = 0;       // REGRESSED above, FASTER below
  double pass_below = 0;
  std::optional<double> visible_shift;  // smallest_visible_shift() at the policy's power: the larger one of
                                        // the kept pairs' noise and of all pairs'
  std::optional<double> step;  // of the clock, in the unit of the values; nullopt where it is negligible
  double half_step = 0;        // half of it on that scale, relative to the typical run

  SlowRuns slow_runs;
  std::optional<std::size_t> pairs_needed;  // about how many would settle an INCONCLUSIVE, where more would

  double p_worse = 1, p_better = 1;            // one-sided
  double p_worse_holm = 1, p_better_holm = 1;  // adjusted over all cases that were not refused
  double level = 0;                            // alpha / looks, the bound for the adjusted p

  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line, empty for pass
};

// Returns the shift that the verdict rests on: over all pairs for PASS and INCONCLUSIVE, else over the kept
// ones.
EstimatedShift shown_shift(const PairedComparison& comparison);

// Returns whether that is over all pairs.
bool rests_on_all_pairs(const PairedComparison& comparison);

// Returns the verdict's name: quality_text() of a metric, else to_string().
std::string verdict_text(const PairedComparison& comparison);

}  // namespace aqbench
