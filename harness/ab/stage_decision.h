#pragma once
// What happened to the stages of one case, and what decision.h has in common with that.

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

// Returns the shortest run. Throws Error(input) for a unit that ended well without one.
double shortest_warm_run(const std::vector<double>& runs);

// Returns the values at these indices.
std::vector<double> values_at(const std::vector<double>& values, const std::vector<std::size_t>& indices);

// Compares the stages' self times in the pairs of one case, a[i] with b[i], by their shortest run in each
// unit.
std::vector<AbStageDecision> decide_stages(std::span<const Record* const> a, std::span<const Record* const> b,
                                           const PairedPolicy& policy);

}  // namespace aqbench
