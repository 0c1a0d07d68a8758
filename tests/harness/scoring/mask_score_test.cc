#include "harness/scoring/mask_score.h"

#include <gtest/gtest.h>

#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

// Of the left half of an image of 100 x 80 px only.
std::shared_ptr<const PixelMask> left_half() {
  PixelMask mask{100, 80, std::vector<bool>(100 * 80)};
  for (std::size_t i = 0; i < mask.counts.size(); ++i) mask.counts[i] = i % 100 < 50;
  return std::make_shared<const PixelMask>(mask);
}

Rig stereo_with_masks() {
  Rig rig = make_rig("stereo", {{"stereo", "width", "100"}, {"stereo", "height", "80"}}, 1);
  for (Camera& camera : rig.cameras) {
    camera.intrinsics.distortion = {0, 0, 0, 0, 0};
    camera.mask = left_half();
  }
  return rig;
}

// The cameras stand at x = -0.05 and 0.05 m and look along z from 0.8 m: the middles of their images show
// those x at z = 0, and the left halves what is left of them.
TEST(MaskScore, EveryMaskThatSeesAPointMustHaveIt) {
  const Rig rig = stereo_with_masks();
  PointCloud cloud;
  cloud.points_m = {{-0.1, 0, 0}, {0.0, 0, 0}, {0.1, 0, 0}, {0.2, 0, -5}};
  const MetricSet metrics = score_masks(cloud, rig);
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].first, "points_in_masks_pct");
  EXPECT_NEAR(metrics[0].second.value.value(), 100.0 / 3, 1e-9) << "the last point is behind both";
}

// x = 0.5 px right of the last pixel of the mask is within its rim of one pixel; 2 px are not.
TEST(MaskScore, ARimOfOnePixelCounts) {
  Rig rig = stereo_with_masks();
  rig.cameras.resize(1);
  const double metres_per_px = 0.8 / rig.cameras[0].intrinsics.K(0, 0);
  PointCloud near, far;
  near.points_m = {{-0.05 + (50.2 - 49.5) * metres_per_px, 0, 0}};
  far.points_m = {{-0.05 + (52 - 49.5) * metres_per_px, 0, 0}};
  EXPECT_EQ(score_masks(near, rig)[0].second.value, 100);
  EXPECT_EQ(score_masks(far, rig)[0].second.value, 0);
}

TEST(MaskScore, WithoutMasksThereIsNoMetricAndWithoutASeenPointNoValue) {
  Rig rig = stereo_with_masks();
  PointCloud behind;
  behind.points_m = {{0, 0, -5}};
  const MetricSet unseen = score_masks(behind, rig);
  EXPECT_FALSE(unseen.at(0).second.value.has_value());
  EXPECT_EQ(std::string(unseen.at(0).second.reason), "no image with a mask shows a point");
  for (Camera& camera : rig.cameras) camera.mask = nullptr;
  EXPECT_TRUE(score_masks(behind, rig).empty());
}

}  // namespace
}  // namespace aqbench
