#pragma once
// Size limits of results.json.

#include <cstddef>
#include <cstdint>

#include "core/json.h"

namespace aqbench {

// The maximum estimated size of a plan's records; a larger plan is refused before a run
// (harness/planning/plan_size.h). 100 000 cases of a simulated method fit.
inline constexpr std::uint64_t kMaxPlannedResultsBytes = std::uint64_t{1} << 30;

// The maximum size of a results.json that is read: twice a plan's limit, so that no permitted sweep is lost
// because its records exceed the estimate. The file is read record by record.
inline constexpr std::uint64_t kMaxResultsFileBytes = 2 * kMaxPlannedResultsBytes;

// The limits of text parsed at once: one record, or a whole file.
inline constexpr JsonLimits kResultsJson = {.max_bytes = std::size_t{512} << 20};

}  // namespace aqbench
