#pragma once
// When two kernels agree, and a scene to see it on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"

namespace aqbench::plane_sweep {

inline constexpr float kMaxDepthDifference_steps = 0.02F;

// The costs of at most `stray_costs` of all (pixel, depth) may differ by more than the tolerance; of the
// valid depths 99.5 % lie within 0.02 of a step.
inline void expect_agreement(const Result& found, const Result& reference, double cost_tolerance,
                             double stray_costs = 0) {
  ASSERT_EQ(found.volume.size(), reference.volume.size());
  double largest = 0;
  std::size_t strays = 0;
  for (std::size_t i = 0; i < found.volume.size(); ++i) {
    const double difference = std::abs(found.volume[i] - reference.volume[i]);
    largest = std::max(largest, difference);
    if (!(difference <= cost_tolerance)) ++strays;
  }
  EXPECT_LE(static_cast<double>(strays), stray_costs * static_cast<double>(found.volume.size()))
      << "largest " << largest;
  const float step_m = reference.depths_m[1] - reference.depths_m[0];
  std::size_t valid = 0, far = 0, unsure = 0;
  for (std::size_t i = 0; i < found.depth_m.size(); ++i) {
    ASSERT_FALSE(std::isnan(found.confidence[i]));
    if (std::isnan(reference.depth_m[i])) continue;
    ++valid;
    if (!(std::abs(found.depth_m[i] - reference.depth_m[i]) <= kMaxDepthDifference_steps * step_m)) ++far;
    if (!(std::abs(found.confidence[i] - reference.confidence[i]) <= 1e-2)) ++unsure;
  }
  EXPECT_LE(static_cast<double>(far), 0.005 * static_cast<double>(valid));
  EXPECT_LE(static_cast<double>(unsure), 0.005 * static_cast<double>(valid));
}

// Runs a kernel that keeps its volume.
inline Result run_kernel(const Input& input, Options options, Kernel kernel) {
  options.kernel = kernel;
  options.keep_volume = true;
  return run(input, options);
}

inline void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0);
}

// An undulating, noisy surface whose views overlap in part: samples leave the sources on every side.
inline SyntheticViews small_scene(int width_px, int height_px, int sources) {
  const SyntheticScene scene{.width_px = width_px,
                             .height_px = height_px,
                             .focal_px = 0.94 * std::max(width_px, height_px),
                             .sources = sources,
                             .amplitude_m = 0.005,
                             .noise = 0.005,
                             .wavelength_min_m = 0.02,
                             .wavelength_max_m = 0.08};
  return render_synthetic(scene, 0.15, 0.3);
}

}  // namespace aqbench::plane_sweep
