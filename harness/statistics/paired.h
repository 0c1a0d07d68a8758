#pragma once
// Is build B worse than build A? Units measured in pairs, judged as docs/statistics.md says: quietest half,
// exact signed-rank test, Hodges-Lehmann shift with its exact interval, Holm over all cases.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/hodges_lehmann.h"
#include "harness/statistics/policy.h"

namespace aqbench {

// One gated (case, metric). u_a[i] and u_b[i] were measured back to back, in an order drawn by chance.
struct PairedSeries {
  std::string name;
  std::vector<double> u_a, u_b;   // any unit, above 0; each the best of its process's warm runs (unit_of)
  bool higher_is_better = false;  // throughput: the shares are then of the throughput, 0.95 x at tau 5 %
  std::optional<double> tau;  // this case's own (calibrate_tau); the larger of this and the policy's holds
};

// One gated (case, metric) that is seeded but stochastic: differences per seed on the metric's own scale.
struct DifferenceSeries {
  std::string name;
  std::vector<double> differences;  // any sign; above 0 = B worse
  double tau = 0;                   // flagged above; >= 0
  double delta = 0;                 // PASS below; above 0, not below tau
};

enum class PairedVerdict {
  regressed,     // p <= alpha after Holm, and the shift is above tau
  faster,        // the mirror of it: better, for metrics that are not times
  pass,          // the interval's upper end is below delta
  inconclusive,  // none of these; never a pass
  refused,       // the case's own tau is above delta: too noisy to be gated here
};
std::string to_string(PairedVerdict verdict);  // "REGRESSED"

// What a shift is. Above 0 is always worse.
enum class ShiftScale {
  log_ratio,          // ln(u_b / u_a)
  inverse_log_ratio,  // ln(u_a / u_b), where higher is better
  difference,         // the metric's own unit
};

// What a shift means to a reader: u_b / u_a - 1 (0.04 = u_b is 4 % more), or the difference itself.
double change_of(ShiftScale scale, double shift);

struct PairedComparison {
  std::string name;
  ShiftScale scale = ShiftScale::log_ratio;
  std::size_t measured_pairs = 0;
  std::vector<std::size_t> kept;     // indices of the pairs that were analysed, ascending
  std::size_t zeros = 0;             // of these, without any difference (dropped by the test alone)
  bool ties = false;                 // mid-ranks were used
  std::optional<double> cv_a, cv_b;  // sd / mean of the kept units; nullopt for differences

  // On that scale:
  double shift = 0;                            // Hodges-Lehmann
  ShiftInterval interval;                      // of confidence 1 - alpha / looks
  std::optional<BootstrapInterval> bootstrap;  // cross-check, same confidence
  double flag_above = 0, flag_below = 0;       // REGRESSED above, FASTER below
  double pass_below = 0;
  std::optional<double> visible_shift;  // the smallest that the policy's power could have seen (resolution.h)

  double p_worse = 1, p_better = 1;            // one-sided
  double p_worse_holm = 1, p_better_holm = 1;  // adjusted over all cases that were not refused
  double level = 0;                            // alpha / looks, what these are held against

  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line, empty for pass
};

// Compares all gated cases of one look, with every pair measured so far.
// - Kept is the half of the pairs with the smallest u_a u_b (largest where higher is better), first ones on
//   equal products. That is symmetric in A and B, so a fair coin stays fair; nothing is selected on the
//   difference.
// - REGRESSED comes before PASS: a change can be above tau and certainly below delta.
// - Over all cases and looks the chance of any false REGRESSED is at most alpha, and so is that of any false
//   FASTER. The A/A table of docs/statistics.md has the rates with tau.
// Throws Error(input) naming case and field, "sweep: u_b[3] is nan, ...": values that are not finite and
// above 0, unequal lengths, no pairs or no cases, fewer kept pairs than minimum_kept_pairs(); Error(usage) as
// check() and for a tau below 0.
std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series, const PairedPolicy& policy);

// The same rule on differences, all of which are kept. The policy's tau and delta are not used.
std::vector<PairedComparison> compare_differences(std::span<const DifferenceSeries> series,
                                                  const PairedPolicy& policy);

// Whether a case goes on to the next planned look (1 is the first).
bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy);

// A flag counts only when fresh pairs of the same case give the same verdict. Otherwise the case is
// INCONCLUSIVE, whatever the fresh pairs say: the two disagree. A verdict that is no flag needs no
// confirmation and stays. Throws Error(input) if the names differ.
struct Confirmation {
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line
};
Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh);
bool needs_confirmation(const PairedComparison& comparison);  // REGRESSED or FASTER

}  // namespace aqbench
