#pragma once
// The verdicts on all that is compared of a case: its wall time and the other outcomes of its units, as one
// family for Holm's correction. A pure function of the samples, as decision.h.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/ab/decision.h"
#include "harness/ab/samples.h"

namespace aqbench {

// The verdicts on one case, and what has to be measured next.
struct AbCaseDecision {
  bool failed = false;                   // a unit failed: there is no verdict
  std::optional<AbTimeDecision> time;    // nullopt where a unit failed, and where wall times are not judged
  std::vector<AbTimeDecision> outcomes;  // Indexed as AbSettings::outcomes; empty where a unit failed.
  bool wants_top_up = false;             // wall time or a metric is open; a cost alone asks for no more pairs
  std::size_t confirmation_pairs = 0;    // fresh pairs that flags still need
};

// Whether the parts of a decision that no verdict needs are computed: bootstrap intervals, and the smallest
// shift that could have been seen.
enum class Extras { none, all };

// Decides each case. Every outcome of every case takes part in Holm's correction and in the looks as a case
// of decide_times() does: one that an early look decided stays decided, whatever pairs others still get. An
// outcome that a unit lacks cannot be compared: it is worse where only B lacks it, else open, with a reason.
// Throws as decide_times(); `units` as there.
std::vector<AbCaseDecision> decide_cases(const AbSamples& samples, const AbSettings& settings,
                                         Extras extras = Extras::all, std::size_t units = kMaxAbUnits);

// Returns the name of an outcome's verdict: "WORSE" of a metric, "REGRESSED" of a cost.
std::string outcome_verdict_text(const AbOutcome& outcome, PairedVerdict verdict);

// Returns how many outcomes of a case are judged, its wall time included: what plan_pairs() calls cases.
std::size_t judged_outcomes(const AbSettings& settings);

}  // namespace aqbench
