#pragma once
// How much of the true surface a cloud reaches: distances from samples of the surface to the nearest point.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

struct Completeness {
  SurfaceSamples samples;
  std::vector<double> distance_m;  // of each sample to the nearest finite point, inside the patch or not
};

// Draws the samples and measures them. Throws Error(method) if the cloud has no finite point.
Completeness measure_completeness(std::span<const Vec3> points_m, const Surface& truth, double spacing_m,
                                  std::uint64_t seed);

// Area share in percent, of the samples for which keep(i) holds, of those with distance <= tolerance_m;
// nullopt if no sample is kept.
std::optional<double> completeness_pct(const Completeness& completeness, double tolerance_m,
                                       const std::function<bool(std::size_t)>& keep);

struct CompletenessSummary {
  double mean_m, median_m, p95_m;  // weighted by area
};
CompletenessSummary summarize_completeness(const Completeness& completeness);

}  // namespace aqbench
