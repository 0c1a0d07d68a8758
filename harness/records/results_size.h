#pragma once
// How large results.json may be.

#include <cstddef>
#include <cstdint>

#include "core/json.h"

namespace aqbench {

// A plan whose records are estimated to take more is refused before anything runs
// (harness/planning/plan_size.h): 100 000 cases of a simulated method fit.
inline constexpr std::uint64_t kMaxPlannedResultsBytes = std::uint64_t{1} << 30;

// What readers of results.json accept: twice of what is planned, so that a sweep that was let through is
// never lost because its records came out larger than estimated. The file is read record by record.
inline constexpr std::uint64_t kMaxResultsFileBytes = 2 * kMaxPlannedResultsBytes;

// The same of what is parsed at once: the text of one record, and of a file that is read whole.
inline constexpr JsonLimits kResultsJson = {.max_bytes = std::size_t{512} << 20};

}  // namespace aqbench
