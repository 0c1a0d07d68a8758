#pragma once
// Whether build B is worse than build A, from units measured in pairs. docs/statistics.md has the rule:
// quietest half, exact signed-rank test, Hodges-Lehmann shift with its exact interval, Holm over all cases.

#include <span>
#include <string>
#include <vector>

#include "harness/statistics/paired_comparison.h"
#include "harness/statistics/policy.h"

namespace aqbench {

// Compares all gated cases at one look, with every pair measured so far.
// - The half of the pairs with the smallest u_a u_b is kept (the largest where higher is better; of equal
//   products the first). That is symmetric in A and B, so a fair coin stays fair, and no pair is selected by
//   its difference.
// - REGRESSED comes before PASS: a change can be above tau and certainly below delta.
// - PASS takes all pairs and the median of each unit's runs; the kept pairs must agree. It is refused where B
//   certainly has more slow runs (slow_runs.h), and where their excess share could be kMaxUnseenShare or
//   more. So is FASTER, the latter only where B had more slow runs at all.
// - TRADE: B's typical run is faster and B has more slow runs, or the other way round. Where one side has
//   more slow runs, kept pairs with a slow unit are left out and the others compared by the median of their
//   usual runs.
// - Half a step of the clock (quality.h) widens the intervals. A step above a quarter of delta leaves the
//   case INCONCLUSIVE, unless the kept pairs' interval is beyond tau even if it is a whole step wider.
// - Of a series with a quality scale every pair is kept, and its p-values are two-sided, so that the
//   chance of calling it different at all is bounded. EQUIVALENT (pass) comes first: the interval lies
//   within the margin on both sides. Else it is WORSE (regressed) or BETTER (faster) where p says so. A bad
//   value, which is worse than the typical one by more than the margin, counts as a slow run does.
// - Over all cases and looks the chance of any false REGRESSED is at most alpha, and so is that of any false
//   FASTER. docs/statistics.md has the rates of A/A runs with tau.
// Throws Error(input) naming case and field, "sweep: u_b[3] is nan, ...", for values that are not finite and
// above 0, unequal lengths, no pairs, no cases, and fewer kept pairs than minimum_kept_pairs(); Error(usage)
// as check() and for a tau below 0.
std::vector<PairedComparison> compare_pairs(std::span<const PairedSeries> series, const PairedPolicy& policy);

// Returns whether a case needs the next planned look; the first look is 1.
bool needs_top_up(const PairedComparison& comparison, int look, const PairedPolicy& policy);

// The verdict after fresh pairs.
struct Confirmation {
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;  // one line
};
// Confirms a flag: it counts only if fresh pairs of the same case give the same verdict, otherwise the case
// is INCONCLUSIVE. A verdict that is no flag needs no confirmation and stays. Throws Error(input) if the
// names differ.
Confirmation confirm(const PairedComparison& first, const PairedComparison& fresh);

// Returns whether the verdict is a flag: REGRESSED or FASTER.
bool needs_confirmation(const PairedComparison& comparison);

}  // namespace aqbench
