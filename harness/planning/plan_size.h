#pragma once
// Estimates how large the records of a plan will be, so that no sweep is begun whose results could not be
// read again.

#include <cstdint>

#include "harness/planning/catalogue.h"
#include "harness/planning/plan.h"

namespace aqbench {

// Estimates the bytes of results.json from what records measured: the names of the case and its options, its
// metrics, its stages, and a number for each timed repetition. At most twice the real size, and not below it
// where methods open the stages that they declare; adaptive timing counts with its largest number of
// repetitions.
std::uint64_t estimate_results_bytes(const SweepPlan& plan,
                                     const Catalogue& catalogue = registered_catalogue());

// Throws Error(usage) with both sizes where the estimate is above kMaxPlannedResultsBytes.
void require_records_fit(const SweepPlan& plan, const Catalogue& catalogue = registered_catalogue());

}  // namespace aqbench
