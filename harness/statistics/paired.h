#pragma once
// Whether build B is worse than build A, from units measured in pairs. docs/statistics.md has the rule: exact
// signed-rank test, Hodges-Lehmann shift with its exact interval, Holm over all cases.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/pair_plan.h"
#include "harness/statistics/signed_rank.h"

namespace aqbench {

// How a metric over seeds or runs is compared: a value that tells how good a result is, not how long it took.
// The test is two-sided, and the margin takes the place of tau and delta.
struct QualityScale {
  enum class Aim { lower, higher, near_ideal };
  Aim aim = Aim::lower;
  double margin = 0.05;          // a share of A's value, or where it is absolute in the values' unit; above 0
  bool margin_absolute = false;  // needed where values are 0 or below, and for near_ideal
  double ideal = 0;              // of near_ideal: the value that a perfect result has; else 0
};

// The pairs of one gated (case, metric). u_a[i] and u_b[i] were measured one after the other, in an order
// that a coin decided.
struct PairedSeries {
  std::string name;
  std::vector<double> u_a, u_b;    // above 0, in any unit; each the median of its process's warm runs
  bool higher_is_better = false;   // a throughput: tau 5 % then means 0.95 x the throughput
  std::optional<double> tau = {};  // of this case; the larger of this and the policy's holds
  std::optional<QualityScale> quality =
      {};  // then u_a and u_b are a metric, and neither tau nor delta counts
  std::vector<std::vector<double>> runs_a = {}, runs_b = {};  // by pair; empty: u_a and u_b are single runs
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

// The runs of one side; a slow one lies beyond the limit.
struct SlowSide {
  std::size_t runs = 0, slow_runs = 0, slow_units = 0;  // a slow unit has a slow run
  std::optional<double> usual_median, slow_median;      // of the other runs and of the slow ones, if any
  bool two_modes = false;  // both kinds are common, and nine in ten of either lie apart from the other
};

// The runs beyond one limit.
struct BeyondLimit {
  double limit = 0;
  std::size_t a = 0, b = 0;
};

// Slow runs on both sides; bad values, where a metric is compared. They are counted beyond the least limit
// and beyond higher ones, since as many runs can be slow on both sides, and those of B much slower.
struct SlowRuns {
  double typical = 0, limit = 0;   // the median of all runs (of what should be near 0 its size); what is slow
  SlowSide a, b;                   // beyond that limit
  double p_more = 1, p_fewer = 1;  // one-sided: B has more slow runs than A, or fewer, at any limit
  BeyondLimit most_more, most_fewer;  // the limits that show it best
  double level = 0;                   // the bound for either
  double excess = 0;                  // B's share of slow runs less A's: the mean over the pairs, the
                                      // largest of all limits, as the two that follow
  double excess_upper = 1;            // its upper 99 % bound over all looks, 0 to 1
  std::optional<std::size_t> pairs_for_bound;  // that bring it below kMaxUnseenShare, where it is not

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
  std::vector<std::size_t> kept;     // indices of the pairs that were analysed, ascending: all, or those
                                     // without a slow unit
  std::size_t zeros = 0;             // kept pairs without any difference, which only the test drops
  bool ties = false;                 // mid-ranks were used
  std::optional<double> cv_a, cv_b;  // sd / mean of the kept units

  // On that scale:
  double shift = 0;                            // Hodges-Lehmann, over the kept pairs
  ShiftInterval interval;                      // of confidence 1 - alpha / looks, as in EstimatedShift
  EstimatedShift whole;                        // over all pairs
  std::optional<BootstrapInterval> bootstrap;  // to check the interval, same confidence
  double flag_above = 0, flag_below = 0;       // REGRESSED above, FASTER below
  double pass_below = 0;
  std::optional<double> visible_shift;  // smallest_visible_shift() by the kept pairs' noise
  std::optional<double> step;  // of the clock, in the unit of the values; nullopt where it is negligible
  double half_step = 0;        // half of it on that scale, relative to the typical run
  // Set where the pairs follow one another, so that test and interval, which take them for independent, say
  // too much: a verdict then needs this wider interval.
  std::optional<ShiftInterval> if_dependent;

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

// Returns whether shown_shift() is over all pairs.
bool rests_on_all_pairs(const PairedComparison& comparison);

// Returns the verdict's name: quality_text() of a metric, else to_string().
std::string verdict_text(const PairedComparison& comparison);

// Throws Error(usage) "NAME: margin ..." unless the margin is finite and above 0, and for a share below 1;
// and for a share of a metric that has an ideal.
void check(const QualityScale& scale, const std::string& name);

// Returns the scale on which the metric's pairs are compared.
ShiftScale quality_shift_scale(const QualityScale& scale);

// Returns how much worse B is than A on this scale: above 0 is worse. For distance_from_ideal a and b are the
// differences from the ideal.
double worse_by(ShiftScale scale, double a, double b);

// Returns the resolution of measured times, which are above 0: the largest step that divides all values, each
// within 1e-6 of the step; nullopt if no step is above 1e-5 of the smallest value.
std::optional<double> clock_step(std::span<const double> values);

// The largest chance, over all looks together, of calling B's share of slow runs larger where it is not, and
// of a bound on its excess that is too low.
inline constexpr double kSlowRunAlpha = 0.01;

// The chance at each look of finding that independent pairs follow one another.
inline constexpr double kDependenceAlpha = 0.01;

// PASS says that a slow mode of B alone in this share of its runs would have been seen.
inline constexpr double kMaxUnseenShare = 0.2;

// The runs of the units of one side, by pair; no unit is empty.
using UnitRuns = std::vector<std::vector<double>>;

// Finds slow runs: those worse than the median of all runs of both sides by more than `margin` > 0 on the
// scale; of these also those beyond 2 and 4 times the median (half and a quarter of it, where higher is
// better). The units' shares of slow runs are compared pair by pair with the exact signed-rank test, each
// look at kSlowRunAlpha / looks: p_more and p_fewer are the least of all limits, times the number of limits
// that have other runs beyond them than the one below (Bonferroni; which those are does not depend on which
// side a run is of). The bound on B's excess share is the least share m that is refuted by betting over all
// looks: each pair multiplies a stake by 1 + c (m - d) / (1 - m), d being its excess and c fixed (several are
// averaged); if the excess is m or more the stake ever reaches 1 / kSlowRunAlpha with a chance of at most
// kSlowRunAlpha (Ville 1939; Waudby-Smith and Ramdas, "Estimating means of bounded random variables by
// betting", JRSS B 86, 2024). The largest bound of all limits is too low for one of them with no larger
// chance. Without a slow run it is below 20 % from 23 pairs on. Throws Error(input) for sides of other
// lengths, more than kMaxSignedRankPairs, and values that are not finite.
SlowRuns find_slow_runs(ShiftScale scale, double margin, const UnitRuns& a, const UnitRuns& b, int looks);

// Returns the 99 % upper bound, above, on the mean of `excess`, values of -1 to 1.
double excess_upper_bound(std::span<const double> excess);

// Returns about how many pairs like these bring that bound below kMaxUnseenShare; nullopt if no number does.
std::optional<std::size_t> pairs_for_excess_bound(std::span<const double> excess);

// Returns the values at these indices.
std::vector<double> values_at(const std::vector<double>& values, const std::vector<std::size_t>& indices);

// Returns how much worse than the typical run a slow one is, on the scale of the comparison: twice delta in
// logarithms (10.25 % with delta 5 %); of a metric its margin.
double slow_run_margin(const PairedComparison& comparison);

// The signs of residuals in the order in which they were measured, zeros left out.
struct SignChanges {
  double p_so_few = 1;     // the chance of so few changes from one to the next, if the pairs are independent
  double correlation = 0;  // of neighbours, if the residuals are normal: sin(pi c / 2), c that of their signs
};

// Tests the differences less `shift` (Wald and Wolfowitz, "On a test whether two samples are from the same
// population", Ann. Math. Statist. 11, 1940).
SignChanges sign_changes(std::span<const double> differences, double shift);

// Fills in verdict, reason and pairs_needed of a gated case by compare_pairs() from the rest; `delta` is the
// policy's.
void judge_pairs(PairedComparison& result, double delta);

// Returns adjusted p-values: rejecting those at most alpha keeps the chance of even one false rejection at
// alpha, however the tests depend on each other (Holm, Scand. J. Statist. 6, 1979).
std::vector<double> holm(std::span<const double> p_values);

// Compares all gated cases at one look, with every pair measured so far.
// - No pair is selected by its times, and a unit is its median: where only the noise of two equal programs
//   differs, the quieter pairs and the shortest runs are those that were lucky on the noisier side.
// - REGRESSED comes before PASS: a change can be above tau and certainly below delta.
// - PASS is refused where B certainly has more slow runs, and where their excess share could be
//   kMaxUnseenShare or more. So is FASTER, the latter only where B had more slow runs at all.
// - TRADE: typical run and slow runs point in opposite directions. Where one side has more slow runs, pairs
//   with a slow unit are left out and the others compared by the median of their usual runs; REGRESSED and
//   FASTER then need a shift beyond tau over all pairs as well.
// - Half a step of the clock widens the intervals. A step above a quarter of delta leaves the case
//   INCONCLUSIVE, unless the kept pairs' interval is beyond tau even if it is a whole step wider.
// - Where pairs follow one another (the residuals change their sign too rarely, at kDependenceAlpha), the
// case
//   is INCONCLUSIVE, unless the interval that allows for it lies beyond the limit as well.
// - Of a series with a quality scale p-values are two-sided. EQUIVALENT (pass) comes first: the interval
//   lies within the margin on both sides. Else it is WORSE (regressed) or BETTER (faster) where p says so. A
//   value worse than the typical one by more than the margin counts as a slow run does.
// - Over all cases and looks the chance of any false REGRESSED is at most alpha, and so is that of any
//   false FASTER.
// Throws Error(input) naming case and field, "sweep: u_b[3] is nan, ...", for values that are not finite
// and above 0, unequal lengths, no pairs, no cases, and fewer pairs than minimum_pairs();
// Error(usage) as check() and for a tau below 0.
std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series, const PairedPolicy& policy);

// Returns whether a case needs the next planned look; the first look is 1.
bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy);

// The verdict after fresh pairs.
struct Confirmation {
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line
};
// Confirms a flag: it counts only if fresh pairs of the same case give the same verdict, otherwise the case
// is INCONCLUSIVE; any other verdict stays.
Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh);

// Returns whether the verdict is a flag: REGRESSED or FASTER.
bool needs_confirmation(const PairedComparison& comparison);

}  // namespace aqbench
