#pragma once
// Whether build B is worse than build A, from units measured in pairs. docs/statistics.md has the rule:
// quietest half, exact signed-rank test, Hodges-Lehmann shift with its exact interval, Holm over all cases.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/policy.h"

namespace aqbench {

// Says how a value that tells how good a result is, not how long it took, is compared: a metric over seeds or
// runs. All its pairs are kept, the test is two-sided, and the margin takes the place of tau and delta.
struct QualityScale {
  enum class Better { lower, higher, near_zero };
  Better better = Better::lower;
  double margin = 0.05;          // a share of A's value, or where it is absolute in the values' unit; above 0
  bool margin_absolute = false;  // needed where values are 0 or below, and for near_zero
};

// Holds the pairs of one gated (case, metric). u_a[i] and u_b[i] were measured one after the other, in an
// order that a coin decided.
struct PairedSeries {
  std::string name;
  std::vector<double> u_a, u_b;   // above 0, in any unit; each the best of its process's warm runs (unit_of)
  bool higher_is_better = false;  // a throughput: tau 5 % then means 0.95 x the throughput
  std::optional<double> tau;      // of this case (tau_of_case); the larger of this and the policy's holds
  std::optional<QualityScale> quality;  // then u_a and u_b are a metric, and neither tau nor delta counts
};

// Says what became of one case.
enum class PairedVerdict {
  regressed,     // p <= alpha after Holm, and the shift is above tau
  faster,        // the same in the other direction
  pass,          // the interval's upper end is below delta
  inconclusive,  // none of these; never a pass
  refused,       // this case's tau is above delta: too noisy to be gated here
};
// Returns "REGRESSED" and so on.
std::string to_string(PairedVerdict verdict);
// Returns what the verdict is called for a metric: "WORSE", "BETTER", "EQUIVALENT", "INCONCLUSIVE".
std::string quality_text(PairedVerdict verdict);

// Says in which scale a shift is. Above 0 is always worse.
enum class ShiftScale {
  log_ratio,           // ln(u_b / u_a)
  inverse_log_ratio,   // ln(u_a / u_b), where higher is better
  difference,          // u_b - u_a, of a metric with an absolute margin
  inverse_difference,  // u_a - u_b
  distance_from_zero,  // |u_b| - |u_a|
};

// Returns u_b / u_a - 1 for a shift: 0.04 means that u_b is 4 % more. For a scale of differences returns
// u_b - u_a, or |u_b| - |u_a|, in the unit of the values.
double change_of(ShiftScale scale, double shift);

// Returns whether the shift is a difference in the unit of the values and no ratio.
bool is_difference(ShiftScale scale);

// Returns change_of() for a reader: "+4.10 %", or "+0.123" for a difference.
std::string shift_text(ShiftScale scale, double shift);

// Holds the verdict on one case and what it follows from.
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
  double shift = 0;                            // Hodges-Lehmann
  ShiftInterval interval;                      // of confidence 1 - alpha / looks
  std::optional<BootstrapInterval> bootstrap;  // to check the interval, same confidence
  double flag_above = 0, flag_below = 0;       // REGRESSED above, FASTER below
  double pass_below = 0;
  std::optional<double> visible_shift;  // smallest_visible_shift() at the policy's power

  double p_worse = 1, p_better = 1;            // one-sided
  double p_worse_holm = 1, p_better_holm = 1;  // adjusted over all cases that were not refused
  double level = 0;                            // alpha / looks, the bound for the adjusted p

  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line, empty for pass
};

// Compares all gated cases at one look, with every pair measured so far.
// - The half of the pairs with the smallest u_a u_b is kept (the largest where higher is better; of equal
//   products the first). That is symmetric in A and B, so a fair coin stays fair, and no pair is selected by
//   its difference.
// - REGRESSED comes before PASS: a change can be above tau and certainly below delta.
// - Of a series with a quality scale every pair is kept, and its p-values are two-sided, so that the chance
// of
//   calling it different at all is bounded. EQUIVALENT (pass) comes first: the interval lies within the
//   margin on both sides. Else it is WORSE (regressed) or BETTER (faster) where p says so.
// - Over all cases and looks the chance of any false REGRESSED is at most alpha, and so is that of any false
//   FASTER. docs/statistics.md has the rates of A/A runs with tau.
// Throws Error(input) naming case and field, "sweep: u_b[3] is nan, ...", for values that are not finite and
// above 0, unequal lengths, no pairs, no cases, and fewer kept pairs than minimum_kept_pairs(); Error(usage)
// as check() and for a tau below 0.
std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series, const PairedPolicy& policy);

// Returns whether a case needs the next planned look; the first look is 1.
bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy);

// Holds the verdict after fresh pairs.
struct Confirmation {
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line
};
// Confirms a flag: it counts only if fresh pairs of the same case give the same verdict, otherwise the case
// is INCONCLUSIVE. A verdict that is no flag needs no confirmation and stays. Throws Error(input) if the
// names differ.
Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh);

// Returns the verdict's name: quality_text() of a metric, else to_string().
std::string verdict_text(const PairedComparison& comparison);

// Returns whether the verdict is a flag: REGRESSED or FASTER.
bool needs_confirmation(const PairedComparison& comparison);

}  // namespace aqbench
