#pragma once
// How large results.json may be.

#include <cstddef>
#include <cstdint>

#include "core/json.h"

namespace aqbench {

// A plan whose records are estimated to take more is refused before anything runs
// (harness/planning/plan_size.h).
inline constexpr std::uint64_t kMaxPlannedResultsBytes = std::uint64_t{256} << 20;

// What readers of results.json accept: twice of what is planned, so that a sweep that was let through is
// never lost because its records came out larger than estimated.
inline constexpr JsonLimits kResultsJson = {.max_bytes = 2 * kMaxPlannedResultsBytes};

}  // namespace aqbench
