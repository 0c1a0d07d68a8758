#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "pipeline/depth_maps/consistency.h"
#include "tests/pipeline/opencl/device_here.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"

namespace aqbench::plane_sweep {
namespace {

struct Maps {
  std::vector<std::vector<float>> depth_m, confidence;
  std::vector<DepthView> views;
};

// True depths with errors about as large as the tolerance, holes, and pixels without confidence.
Maps noisy_maps(const std::vector<RefractiveCamera>& cameras, const SyntheticScene& scene) {
  Maps maps;
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    std::vector<float> image, depth_m;
    render_view(scene, cameras[k], k, image, &depth_m);
    std::vector<float> confidence(depth_m.size());
    for (std::size_t i = 0; i < depth_m.size(); ++i) {
      depth_m[i] += static_cast<float>(0.004 * (hashed_unit(k * depth_m.size() + i) - 0.5));
      if (i % 17 == k) depth_m[i] = std::numeric_limits<float>::quiet_NaN();
      confidence[i] = i % 13 == k ? 0.05F : 0.8F;
    }
    maps.depth_m.push_back(std::move(depth_m));
    maps.confidence.push_back(std::move(confidence));
  }
  for (std::size_t k = 0; k < cameras.size(); ++k)
    maps.views.push_back({cameras[k], maps.depth_m[k], maps.confidence[k]});
  return maps;
}

class DeviceMapsTest : public test::OnDevice {};

TEST_F(DeviceMapsTest, TheFilterAgreesWithTheProcessors) {
  SyntheticScene scene;
  scene.width_px = 90;
  scene.height_px = 70;
  scene.amplitude_m = 0.005;
  std::vector<RefractiveCamera> cameras;
  for (const int index : {0, 1, 2, 11}) cameras.push_back(ring_camera(scene, index));
  cameras[3].optics = &kStraightRays;  // its depths agree with nothing
  const Maps maps = noisy_maps(cameras, scene);
  for (const double per_square : {0.0, 0.05}) {
    ConsistencyOptions options;
    options.depth_tolerance_m = 0.0015;
    options.tolerance_per_m2 = per_square;
    options.min_views = 2;
    const FilteredDepth expected = filter_by_consistency(maps.views, 1, options);
    options.device = "opencl";
    const std::unique_ptr<opencl::DeviceMaps> there = on_device(maps.views, options);
    const FilteredDepth found = filter_by_consistency(maps.views, 1, options, there.get());
    std::size_t kept = 0, differing = 0;
    for (std::size_t i = 0; i < expected.views.size(); ++i) {
      kept += std::isnan(expected.depth_m[i]) ? 0 : 1;
      differing += expected.views[i] != found.views[i] ? 1 : 0;
      if (expected.views[i] == found.views[i]) {
        EXPECT_EQ(std::isnan(expected.depth_m[i]), std::isnan(found.depth_m[i]));
      }
    }
    EXPECT_GT(kept, expected.views.size() / 10);
    EXPECT_LT(kept, expected.views.size());
    // Differences as large as the tolerance to the last digit.
    EXPECT_LE(differing, expected.views.size() / 500);
  }
}

TEST_F(DeviceMapsTest, OnTheProcessorThereIsNone) { EXPECT_EQ(on_device({}, {}), nullptr); }

}  // namespace
}  // namespace aqbench::plane_sweep
