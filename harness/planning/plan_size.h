#pragma once
// Estimates the size of a plan's records, so that no sweep starts whose results could not be read again.

#include <cstdint>

#include "harness/planning/catalogue.h"
#include "harness/planning/plan.h"

namespace aqbench {

// Estimates the bytes of results.json from measured records: the names of the case and its options, its
// metrics, its stages, and a number for each timed repetition. At most twice the real size, and at least it
// if methods open the stages they declare; adaptive timing counts its maximum number of repetitions.
std::uint64_t estimate_results_bytes(const SweepPlan& plan,
                                     const Catalogue& catalogue = registered_catalogue());

// Throws Error(usage) with both sizes if the estimate exceeds kMaxPlannedResultsBytes.
void require_records_fit(const SweepPlan& plan, const Catalogue& catalogue = registered_catalogue());

}  // namespace aqbench
