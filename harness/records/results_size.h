#pragma once
// How large results.json may be.

#include <cstddef>
#include <cstdint>

#include "core/json.h"

namespace aqbench {

// The most bytes that the records of a plan may take by estimate; a plan that needs more is refused before
// anything runs (harness/planning/plan_size.h). 100 000 cases of a simulated method fit.
inline constexpr std::uint64_t kMaxPlannedResultsBytes = std::uint64_t{1} << 30;

// The largest results.json that is read: twice the limit of a plan, so that no sweep that was allowed is lost
// because its records came out larger than estimated. The file is read record by record.
inline constexpr std::uint64_t kMaxResultsFileBytes = 2 * kMaxPlannedResultsBytes;

// The limits of what is parsed at once: the text of one record, and of a file that is read whole.
inline constexpr JsonLimits kResultsJson = {.max_bytes = std::size_t{512} << 20};

}  // namespace aqbench
