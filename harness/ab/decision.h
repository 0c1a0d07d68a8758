#pragma once
// What the measured pairs say about time and other outcomes, by the rule of docs/comparing.md. Everything
// here is a pure function of the samples, so that anybody can compute it again.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/ab/samples.h"
#include "harness/statistics/paired.h"

namespace aqbench {

// The least self time of a stage that is compared, ms: shorter ones are too short for the clock and for the
// recorder's own work.
inline constexpr double kMinStageMs = 0.01;

// What happened to the self time of one stage of one case, in the pairs of the look that decided. Stages are
// information and not gated; Holm's correction is over the stages of the case.
struct AbStageDecision {
  std::string name;
  std::optional<PairedComparison> comparison;  // nullopt: the reason says why there is none
  double median_a_ms = 0, median_b_ms = 0;     // over the units that were kept
  double change_ms = 0;                        // the relative shift times A's median
  std::string reason;
};

// Returns the median of a unit's runs. Throws Error(input) for a unit that ended well without one.
double unit_median(const std::vector<double>& runs);

// Returns the scale on which a metric is compared.
QualityScale quality_scale_of(const AbOutcome& outcome);

// Compares the stages' self times in the pairs of one case, a[i] with b[i], by their median in each unit.
std::vector<AbStageDecision> decide_stages(std::span<const Record* const> a, std::span<const Record* const> b,
                                           const PairedPolicy& policy);

// The rule that a comparison is judged by.
struct AbSettings {
  PairedPolicy policy;      // its looks are the planned ones
  bool confirm = true;      // a flag counts only if fresh pairs give the same verdict
  bool separately = false;  // each case is judged as if it were alone (no Holm), to check the statistics
  std::vector<AbOutcome> outcomes = {};  // judged beside the wall time
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
  DecidingTime decided_by = DecidingTime::wall;
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

// Decides each quantity, look by look; nullopt where a unit of it failed. Holm's correction at a look is over
// all that have not failed by then; one that an earlier look decided takes part with the pairs that decided
// it, so no later look changes it, and the bound on false flags holds. Throws Error(input) for one that was
// measured on after it had been decided, and as compare_pairs().
std::vector<std::optional<AbTimeDecision>> decide_times(std::span<const ComparedUnits> compared,
                                                        const AbSettings& settings);

// The verdicts on one case, and what has to be measured next.
struct AbCaseDecision {
  bool failed = false;                   // a unit failed: there is no verdict
  std::optional<AbTimeDecision> time;    // nullopt where a unit failed, and where wall times are not judged
  std::vector<AbTimeDecision> outcomes;  // Indexed as AbSettings::outcomes; empty where a unit failed.
  bool wants_top_up = false;             // wall time or a metric is open; a cost alone asks for no more pairs
  std::size_t confirmation_pairs = 0;    // fresh pairs that flags still need
};

// Returns the settings without what no verdict needs: bootstrap intervals, the smallest shift that could be
// seen.
AbSettings without_extras(AbSettings settings);

// Decides each case by the first units: its time and every outcome are quantities of decide_times(). An
// outcome that a unit lacks is worse where only B lacks it, else open, with a reason. Throws as
// decide_times().
std::vector<AbCaseDecision> decide_cases(const AbSamples& samples, const AbSettings& settings,
                                         std::size_t units = kMaxAbUnits);

// Returns the name of an outcome's verdict: "WORSE" of a metric, "REGRESSED" of a cost.
std::string outcome_verdict_text(const AbOutcome& outcome, PairedVerdict verdict);

// Returns how many outcomes of a case are judged, its wall time included: what plan_pairs() calls cases.
std::size_t judged_outcomes(const AbSettings& settings);

}  // namespace aqbench
