#pragma once
// How much of the true surface a cloud reaches: distances from samples of the surface to the nearest point.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/crop.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Samples of the true surface and how far each is from the cloud.
struct Completeness {
  SurfaceSamples samples;
  std::vector<double> distance_m;  // of each sample to the nearest finite point, inside the patch or not
  bool is_thinned = false;         // a scan has more points than samples
};

// The reason for values of the truth where none of it is scored.
inline constexpr const char* kNoTruthInCrop = "no part of the truth lies in the crop";

// Draws the samples of the true surface that lie in the crop.
SurfaceSamples samples_inside(const Surface& truth, double spacing_m, std::uint64_t seed, const Crop& crop);

// Draws samples of the true surface, of its part in the crop, and measures their distances; the whole cloud
// counts for these. Throws Error(method) if the cloud has no finite point.
Completeness measure_completeness(std::span<const Vec3> points_m, const Surface& truth, double spacing_m,
                                  std::uint64_t seed, const Crop& crop = {});

// Measures the same of a cloud that is searched in blocks of at most `longest` points, some 70 bytes each;
// nullopt if it has no finite point. Every sample is searched for in every block.
std::optional<Completeness> measure_completeness(const CloudBlocks& cloud, std::size_t longest,
                                                 const Surface& truth, double spacing_m, std::uint64_t seed,
                                                 const Crop& crop = {});

// Returns the percentage of area with distance <= tolerance_m, among the samples for which keep(i) holds;
// nullopt if no sample is kept.
std::optional<double> completeness_pct(const Completeness& completeness, double tolerance_m,
                                       const std::function<bool(std::size_t)>& keep);

// Returns the standard error of completeness_pct() of all samples that comes from the sampling of the truth
// alone, percent: 0 where every point of a scan is a sample. Each sample stands for one part of the area, its
// neighbour in the list for a part beside it, so that sum((x_i - x_(i-1))^2 w^2) / 2 estimates the variance,
// a little too high (Wolter, "Introduction to Variance Estimation", 2007, section 8.2, estimator v2).
double sampling_se_pct(const Completeness& completeness, double tolerance_m);

// The area of a group of samples, and the part of it that the cloud reaches.
struct GroupArea {
  double area_m2 = 0, reached_m2 = 0;

  // Returns the percentage that is reached; nullopt for a group without area.
  std::optional<double> completeness_pct() const {
    return area_m2 > 0 ? std::optional(100 * reached_m2 / area_m2) : std::nullopt;
  }
};

// Returns the areas of groups 0 to groups - 1, where sample i belongs to group group_of(i). A sample is
// reached if its distance is <= tolerance_m.
std::vector<GroupArea> areas_by_group(const Completeness& completeness, double tolerance_m,
                                      std::size_t groups,
                                      const std::function<std::size_t(std::size_t sample)>& group_of);

// Distances from the true surface to the cloud, weighted by area.
struct CompletenessSummary {
  double mean_m, median_m, p95_m;
  double area_m2;  // of all samples
};

// Summarizes the distances. There must be samples.
CompletenessSummary summarize_completeness(const Completeness& completeness);

}  // namespace aqbench
