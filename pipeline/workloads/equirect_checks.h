#pragma once
// Proves that sampled views are right: compares them with the formula that the frames were made by.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/workloads/equirect.h"
#include "pipeline/workloads/workload.h"

namespace aqbench {

// Returns the identities of views [frame][view]: how many there are, and their worst error against the
// formula, over all pixels and beside the seam, in levels. `more_tolerance` levels are allowed beyond
// sampling_tolerance(). The formula is slow: only the first and the last frame are compared.
std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance);

// Returns the SHA-256 of the views' own hashes, in their order.
std::string hash_of_views(const std::vector<ColourImage>& views);

}  // namespace aqbench
