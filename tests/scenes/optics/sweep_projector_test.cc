#include "scenes/optics/sweep_projector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::testing;

std::vector<RefractiveCamera> prepared(const Rig& rig) {
  std::vector<RefractiveCamera> out;
  for (const Camera& camera : rig.cameras) out.push_back(refractive_camera(camera, rig.water));
  return out;
}

bool in_image(const RefractiveCamera& camera, const Vec2& pixel) {
  return pixel.x() >= -0.5 && pixel.x() <= camera.width_px - 0.5 && pixel.y() >= -0.5 &&
         pixel.y() <= camera.height_px - 0.5;
}

// Worst distance to the exact projection over whole rows of the reference image, where the source sees it.
struct Comparison {
  double worst_px = 0;
  std::size_t seen = 0;
};

Comparison compare(const RefractiveCamera& reference, const RefractiveCamera& source, const SweepRange& range,
                   const SweepProjector& projector, Draws& draws) {
  Comparison out;
  SweepBlock block;
  const int first = 3, count = reference.width_px - 7;  // not a multiple of the group
  std::vector<float> u(static_cast<std::size_t>(count)), v(u.size());
  for (int r = 0; r <= 6; ++r) {
    const int row = r * (reference.height_px - 1) / 6;
    projector.fit(row, first, u.size(), block);
    for (int k = 0; k < 7; ++k) {
      const double depth_m = k == 0   ? range.min_depth_m
                             : k == 1 ? range.max_depth_m
                                      : draws.uniform(range.min_depth_m, range.max_depth_m);
      project_row(block, projector.parameter(depth_m), u, v);
      for (std::size_t i = static_cast<std::size_t>(draws.uniform(0, 5)); i < u.size(); i += 5) {
        const auto ray = cast_ray(reference, Vec2(first + static_cast<double>(i), row));
        const auto exact = project(source, point_on_ray(ray.value(), std::max(depth_m, 1e-9)));
        if (!exact || !in_image(source, exact->pixel)) continue;
        ++out.seen;
        const double error_px = (exact->pixel - Vec2(u[i], v[i])).norm();
        out.worst_px = error_px <= out.worst_px ? out.worst_px : error_px;  // a NaN sticks
      }
    }
  }
  return out;
}

TEST(SweepProjector, StaysWithinItsToleranceOverTheWholeImage) {
  Draws draws{41};
  const Rig rig = make_rig("ring12", {}, 0);
  const auto cameras = prepared(rig);
  for (const SweepRange& range :
       {SweepRange{0.05, 0.5}, SweepRange{0.1, 0.3}, SweepRange{0, 1}, SweepRange{0, 2}}) {
    for (const auto& [reference, source] :
         {std::pair{0, 1}, std::pair{0, 6}, std::pair{3, 12}, std::pair{12, 7}, std::pair{5, 9}}) {
      const RefractiveCamera &ref = cameras[static_cast<std::size_t>(reference)],
                             &src = cameras[static_cast<std::size_t>(source)];
      for (const double tolerance_px : {5e-3, 2e-3, 1e-3}) {
        const SweepProjector projector(ref, src, range, tolerance_px);
        EXPECT_LE(projector.measured_error_px(), tolerance_px / 2);
        EXPECT_GT(projector.measured_samples(), 100u);
        const Comparison comparison = compare(ref, src, range, projector, draws);
        EXPECT_LT(comparison.worst_px, tolerance_px)
            << reference << " -> " << source << ", " << range.min_depth_m << " to " << range.max_depth_m
            << " m, degree " << projector.degree();
        EXPECT_GT(comparison.seen, 500u);
      }
    }
  }
}

TEST(SweepProjector, FollowsJitteredRigsOtherWatersAndNone) {
  Draws draws{42};
  for (const double n_water : {1.0, 1.333, 1.5}) {
    const Rig rig = make_rig("sparse4",
                             {{"sparse4", "n_water", std::to_string(n_water)},
                              {"sparse4", "jitter_position_m", "0.03"},
                              {"sparse4", "jitter_angle_deg", "3"}},
                             7);
    const auto cameras = prepared(rig);
    const SweepRange range{0.02, 0.6};
    const SweepProjector projector(cameras[0], cameras[1], range);
    const Comparison comparison = compare(cameras[0], cameras[1], range, projector, draws);
    EXPECT_LT(comparison.worst_px, 2e-3) << n_water;
    EXPECT_GT(comparison.seen, 500u);
  }
}

TEST(SweepProjector, TakesMoreCoefficientsForLongerRanges) {
  const auto cameras = prepared(make_rig("ring12", {}, 0));
  const SweepProjector near(cameras[0], cameras[1], {0.15, 0.25});
  const SweepProjector far(cameras[0], cameras[1], {0, 2});
  EXPECT_LT(near.degree(), far.degree());
}

// The block's pixels do not depend on how the row is cut.
TEST(SweepProjector, PixelsDoNotDependOnTheirNeighbours) {
  const auto cameras = prepared(make_rig("ring12", {}, 0));
  const SweepProjector projector(cameras[2], cameras[5], {0.05, 0.5});
  SweepBlock whole, part;
  projector.fit(300, 0, 1600, whole);
  std::vector<float> u(1600), v(1600);
  project_row(whole, 0.37f, u, v);
  for (const auto& [first, count] :
       {std::pair{0, 1}, std::pair{17, 31}, std::pair{100, 64}, std::pair{1599, 1}}) {
    projector.fit(300, first, static_cast<std::size_t>(count), part);
    std::vector<float> pu(static_cast<std::size_t>(count)), pv(pu.size());
    project_row(part, 0.37f, pu, pv);
    for (std::size_t i = 0; i < pu.size(); ++i) {
      EXPECT_NEAR(pu[i], u[static_cast<std::size_t>(first) + i], 2e-4);
      EXPECT_NEAR(pv[i], v[static_cast<std::size_t>(first) + i], 2e-4);
    }
  }
}

TEST(SweepProjector, ParameterRunsFromEndToEndAndEndsThere) {
  const auto cameras = prepared(make_rig("ring12", {}, 0));
  const SweepProjector projector(cameras[0], cameras[1], {0.1, 0.4});
  EXPECT_NEAR(projector.parameter(0.1), -1, 1e-6);
  EXPECT_NEAR(projector.parameter(0.4), 1, 1e-6);
  EXPECT_LT(projector.parameter(0.2), projector.parameter(0.21));
  EXPECT_TRUE(std::isnan(projector.parameter(0.09)));
  EXPECT_TRUE(std::isnan(projector.parameter(0.41)));
  EXPECT_TRUE(std::isnan(projector.parameter(std::numeric_limits<double>::quiet_NaN())));
}

TEST(SweepProjector, PixelsWithoutARayAreNaN) {
  Rig rig = make_rig("single_pair", {}, 0);
  // Level: the upper half of the image looks above the horizon.
  CameraFromWorld& pose = rig.cameras[0].camera_from_world;
  pose.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  pose.translation_m.setZero();
  const auto cameras = prepared(rig);
  const SweepProjector projector(cameras[0], cameras[1], {0.05, 0.2});
  SweepBlock block;
  std::vector<float> u(20), v(20);
  projector.fit(100, 0, 20, block);
  project_row(block, 0, u, v);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_TRUE(std::isnan(u[i]) && std::isnan(v[i]));
}

TEST(SweepProjector, RefusesWhatItCannotDo) {
  const Rig rig = make_rig("ring12", {}, 0);
  const auto cameras = prepared(rig);
  EXPECT_THROW(SweepProjector(cameras[0], cameras[1], {0.5, 0.5}), Error);
  EXPECT_THROW(SweepProjector(cameras[0], cameras[1], {-0.1, 0.5}), Error);
  EXPECT_THROW(SweepProjector(cameras[0], cameras[1], {0.1, std::numeric_limits<double>::infinity()}), Error);
  EXPECT_THROW(SweepProjector(cameras[0], cameras[1], {0.1, 0.5}, 1e-5), Error);
  EXPECT_THAT(error_of([&] {
                SweepProjector(cameras[0], cameras[6], {0, 100});
              }),
              ::testing::HasSubstr("narrow the range"));
  const RefractiveCamera other = refractive_camera(rig.cameras[1], {0.9, 1, 1.333});
  EXPECT_THAT(error_of([&] {
                SweepProjector(cameras[0], other, {0.1, 0.5});
              }),
              ::testing::HasSubstr("different water"));
  SweepBlock block;
  SweepProjector(cameras[0], cameras[1], {0.1, 0.5}).fit(0, 0, 8, block);
  std::vector<float> eight(8), nine(9);
  EXPECT_THROW(project_row(block, 0, eight, nine), Error);
}

}  // namespace
}  // namespace aqbench
