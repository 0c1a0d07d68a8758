#pragma once
// What the measured pairs say about time, by the rule of docs/comparing.md. A pure function of the samples,
// so that anybody can work it out again.

#include <optional>
#include <string>
#include <vector>

#include "harness/ab/samples.h"
#include "harness/statistics/paired.h"

namespace aqbench {

struct AbSettings {
  PairedPolicy policy;      // looks: the planned ones
  bool confirm = true;      // a flag needs fresh pairs before it counts
  bool separately = false;  // each case is judged as if it were alone (no Holm): for checking the statistics
};

// A stage that takes less is too short for the clock and its own bookkeeping.
inline constexpr double kShortestStageMs = 0.01;

// One stage of one case, from the pairs of the look that decided. For information: stages are not gated. Holm
// over the stages of the case.
struct AbStageDecision {
  std::string name;
  std::optional<PairedComparison> comparison;  // of self time; nullopt: see reason
  double median_a_ms = 0, median_b_ms = 0;     // of the units that were kept
  double change_ms = 0;                        // the shift's share of A's median
  std::string reason;
};

struct AbTimeDecision {
  std::string name;
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;                            // one line, empty for pass
  int look = 0;                                  // the one that decided; 0: there are too few pairs for any
  std::optional<PairedComparison> comparison;    // at that look
  std::optional<PairedComparison> confirmation;  // of fresh pairs, where they were measured
  std::vector<AbStageDecision> stages;
  // Medians over the pairs that were kept, of the units and, for the cold runs, of all.
  std::optional<double> median_a_ms, median_b_ms, cold_a_ms, cold_b_ms;

  // What has to be measured next, if anything.
  bool wants_top_up = false, wants_confirmation = false;
};

// In the order of samples.cases; nullopt for a case of which a unit failed. Look by look: Holm over all cases
// that have not failed by then, those that were decided earlier with the pairs that decided them; so what a
// look said never changes. That is safe: a false flag at a look needs a true null whose p, at this look or at
// the one that decided it, is below that look's share of alpha.
// Throws Error(input) for a case that was measured on after it had been decided, and as compare_pairs().
std::vector<std::optional<AbTimeDecision>> decide_times(const AbSamples& samples, const AbSettings& settings);

}  // namespace aqbench
