#pragma once
// Verifies sampled views against the formula of the frames.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Returns the identities of views [frame][view]: their number, and their worst error against the formula,
// over all pixels and beside the seam, in levels. `more_tolerance` levels are allowed beyond
// sampling_tolerance(). The formula is slow: only the first and last frame are compared completely.
std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance);

// Returns the SHA-256 of the views' own hashes, in order.
std::string hash_of_views(const std::vector<ColourImage>& views);

}  // namespace aqbench
