#pragma once
// What the measured pairs say about time, by the rule of docs/comparing.md. Everything here is a pure
// function of the samples, so that anybody can compute it again.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/ab/samples.h"
#include "harness/ab/stage_decision.h"
#include "harness/statistics/paired.h"

namespace aqbench {

// The rule that a comparison is judged by.
struct AbSettings {
  PairedPolicy policy;      // its looks are the planned ones
  bool confirm = true;      // a flag counts only if fresh pairs give the same verdict
  bool separately = false;  // each case is judged as if it were alone (no Holm), to check the statistics
  std::vector<AbOutcome> outcomes = {};  // judged beside the wall time (outcome_decision.h)
  bool wall_time = true;                 // false where units were not run in pairs: their times say nothing
  bool outputs_may_differ = false;       // other outputs do not make B invalid

  template <class Row>
  static void members(const Row& row) {
    row.part(&AbSettings::policy);
    row("confirm", &AbSettings::confirm);
    row("separately", &AbSettings::separately);
    row("outcomes", &AbSettings::outcomes, kLeftOut);
    row("wall_time", &AbSettings::wall_time, kLeftOut);
    row("outputs_may_differ", &AbSettings::outputs_may_differ, kLeftOut);
  }
};

// The verdict on the time of one case.
struct AbTimeDecision {
  std::string name;
  PairedVerdict verdict = PairedVerdict::inconclusive;
  std::string reason;                            // one line, empty for pass
  int look = 0;                                  // the look that decided; 0: too few pairs for any look
  std::optional<PairedComparison> comparison;    // at that look
  std::optional<PairedComparison> confirmation;  // of the fresh pairs, where some were measured
  std::vector<AbStageDecision> stages;
  // Medians: of the units that the verdict rests on (shown_shift()), of the cold runs over all pairs.
  std::optional<double> median_a_ms, median_b_ms, cold_a_ms, cold_b_ms;

  // What has to be measured next, if anything.
  bool wants_top_up = false, wants_confirmation = false;
};

// One quantity of a case that is compared, and the units whose values are taken, in the order in which they
// were measured. Where `of` has an outcome, each that ended well has it.
struct ComparedUnits {
  AbCase of;
  std::vector<const Record*> units;
};

// Decides the time of each case, look by look, whatever the settings say of other outcomes. Returns one
// decision for each of samples.cases, nullopt where a unit of the case failed. Holm's correction at a look is
// over all cases that have not failed by then. A case that an earlier look decided takes part with the pairs
// that decided it, so no later look changes what an earlier one said. The bound on false flags holds: a false
// flag needs a true null hypothesis whose p, at this look or at the look that decided it, is below that
// look's share of alpha. Throws Error(input) for a case that was measured on after it had been decided, and
// as compare_pairs(). Only so many of the first units are known to it.
std::vector<std::optional<AbTimeDecision>> decide_times(const AbSamples& samples, const AbSettings& settings,
                                                        std::size_t units = kMaxAbUnits);
// Does the same for these quantities as cases.
std::vector<std::optional<AbTimeDecision>> decide_times(std::span<const ComparedUnits> compared,
                                                        const AbSettings& settings);

}  // namespace aqbench
