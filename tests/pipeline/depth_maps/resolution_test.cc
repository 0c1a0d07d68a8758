#include "pipeline/depth_maps/resolution.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/error.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

constexpr double kFocal_px = 600;

// A camera at (x_m, 0, -1) that looks straight down; the water has the index of air, so rays are straight.
DatasetView straight_view(const char* name, double x_m, bool is_auxiliary = false) {
  DatasetView view;
  view.name = name;
  view.is_auxiliary = is_auxiliary;
  view.camera.width_px = 101;
  view.camera.height_px = 81;
  view.camera.fx_px = view.camera.fy_px = kFocal_px;
  view.camera.cx_px = 50;
  view.camera.cy_px = 40;
  set_pose(view.camera, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-x_m, 0, 1});
  set_water(view.camera, 0, 1, 1);
  return view;
}

// Stereo of two parallel cameras: disparity = f B / Z, so that a pixel of it is Z^2 / (f B) of depth.
TEST(PixelResolution, IsThatOfStereoWhereRaysAreStraight) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("b", 0.2),
                                          straight_view("c", -0.1)};
  const double z_m = 1.5;  // 0.5 below the water, the middle of the range
  const std::vector<std::size_t> one = {1}, both = {1, 2};
  const PixelResolution pair = pixel_resolution(views, 0, one, {0.4, 0.6});
  EXPECT_NEAR(pair.footprint_m, z_m / kFocal_px, 1e-6);
  EXPECT_NEAR(pair.depth_per_pixel_m, z_m * z_m / (kFocal_px * 0.2), 1e-5);
  const double root_mean_square_m = std::sqrt((0.2 * 0.2 + 0.1 * 0.1) / 2);
  EXPECT_NEAR(pixel_resolution(views, 0, both, {0.4, 0.6}).depth_per_pixel_m,
              z_m * z_m / (kFocal_px * root_mean_square_m), 1e-5);
}

TEST(PixelResolution, OfADatasetIsTheFinestFootprintAndTheCoarsestDepth) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("b", 0.2),
                                          straight_view("aux", 0.05, true)};
  const std::vector<sparse::DepthRange> ranges = {{0.4, 0.6}, {0.9, 1.1}, {5, 6}};
  const std::vector<std::size_t> of_b = {0, 2};
  const PixelResolution all = dataset_resolution(views, ranges, 1);
  EXPECT_NEAR(all.footprint_m, 1.5 / kFocal_px, 1e-6);
  EXPECT_EQ(all.depth_per_pixel_m, pixel_resolution(views, 1, of_b, ranges[1]).depth_per_pixel_m);
}

TEST(PixelResolution, RefusesCamerasInOnePlace) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("twin", 0)};
  const std::vector<std::size_t> sources = {1};
  EXPECT_EQ(error_of(ErrorKind::method,
                     [&] {
                       pixel_resolution(views, 0, sources, {0.4, 0.6});
                     }),
            "plane_sweep: no other camera resolves depths of a");
}

}  // namespace
}  // namespace aqbench
