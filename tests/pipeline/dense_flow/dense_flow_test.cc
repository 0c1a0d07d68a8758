#include "pipeline/dense_flow/dense_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include "core/stage_scope.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/orbit_scene.h"
#include "tests/pipeline/synthetic_views.h"
#include "tests/temporary_directory.h"

namespace aqbench::dense_flow {
namespace {

constexpr int kWidth = 120, kHeight = 90;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

const SyntheticPlane kTilted{1.178, Vec2(0.15, -0.1)};

// Where the plane's points that the reference sees lie in the source, by exact projection.
PairWarp true_warp(const DatasetView& reference, const DatasetView& source, const SyntheticPlane& plane) {
  PairWarp warp;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const WaterRay ray = *cast_ray(reference.camera, Vec2(x, y));
      const Vec2 pixel = project(source.camera, point_on_ray(ray, depth_on_plane(ray, plane)))->pixel;
      warp.x_px.push_back(static_cast<float>(pixel.x()));
      warp.y_px.push_back(static_cast<float>(pixel.y()));
      warp.confidence.push_back(1);
    }
  return warp;
}

std::vector<const DatasetView*> all_but_first(const std::vector<DatasetView>& views) {
  std::vector<const DatasetView*> sources;
  for (std::size_t i = 1; i < views.size(); ++i) sources.push_back(&views[i]);
  return sources;
}

// Root mean square of finite differences, and how many there are.
std::pair<double, std::size_t> rms_error(const std::vector<float>& found, const std::vector<float>& truth) {
  double squares = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(found[i])) continue;
    squares += std::pow(double{found[i]} - truth[i], 2);
    ++count;
  }
  return {std::sqrt(squares / static_cast<double>(std::max<std::size_t>(count, 1))), count};
}

double shifted_texture(int x, int y, double dx, double dy) {
  return synthetic_texture(0.002 * (x - dx), 0.002 * (y - dy));
}

TEST(DenseFlow, AShiftOfTheImageIsFoundAndNoiseIsNot) {
  std::vector<float> a, b, other;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      a.push_back(static_cast<float>(shifted_texture(x, y, 0, 0)));
      b.push_back(
          static_cast<float>(0.8 * shifted_texture(x, y, 1.3, -0.7) + 0.05));  // another gain and offset
      other.push_back(static_cast<float>(synthetic_texture(3 + 0.002 * y, 5 - 0.002 * x)));
    }
  const auto image = [](const std::vector<float>& grey) {
    return plane_sweep::GreyImage{kWidth, kHeight, grey.data()};
  };
  const PairWarp warp = flow_matcher({}).match(image(a), image(b));
  double squares = 0;
  int count = 0;
  for (int y = 8; y < kHeight - 8; ++y)
    for (int x = 8; x < kWidth - 8; ++x) {
      const auto i = static_cast<std::size_t>(y * kWidth + x);
      if (std::isnan(warp.x_px[i])) continue;
      squares += std::pow(warp.x_px[i] - x - 1.3, 2) + std::pow(warp.y_px[i] - y + 0.7, 2);
      ++count;
    }
  EXPECT_GT(count, (kWidth - 16) * (kHeight - 16) * 95 / 100);
  EXPECT_LT(std::sqrt(squares / count), 0.15);
  const PairWarp wrong = flow_matcher({}).match(image(a), image(other));
  EXPECT_LT(std::ranges::count_if(wrong.x_px, [](float x) { return !std::isnan(x); }), kWidth * kHeight / 2);
}

TEST(DenseFlow, ASourceAlignedAtTheTrueDepthsLooksLikeTheReference) {
  const auto views = synthetic_views(2, kWidth, kHeight, kTilted);
  const AlignedSource aligned = align_source(views[0], views[1], true_depths(views[0], kTilted));
  std::vector<float> grey = aligned.grey;
  for (std::size_t i = 0; i < grey.size(); ++i)
    if (aligned.seen[i] == 0) grey[i] = kNan;
  // What cubic interpolation loses of waves of 4 px.
  EXPECT_LT(rms_error(grey, views[0].grey).first, 0.03);
  EXPECT_GT(rms_error(grey, views[0].grey).second, grey.size() / 2);
  // A warp by nothing then leads to where the source sees the same points.
  PairWarp warp;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      warp.x_px.push_back(static_cast<float>(x));
      warp.y_px.push_back(static_cast<float>(y));
    }
  through_alignment(aligned, kWidth, kHeight, warp);
  const PairWarp truth = true_warp(views[0], views[1], kTilted);
  EXPECT_LT(rms_error(warp.x_px, truth.x_px).first, 2e-3);
  EXPECT_GT(rms_error(warp.y_px, truth.y_px).second, aligned.grey.size() / 2);
}

TEST(DenseFlow, ExactMatchesTriangulateToTheSurfaceAndOneWrongSourceIsOutvoted) {
  const auto views = synthetic_views(5, kWidth, kHeight, kTilted);
  const auto sources = all_but_first(views);
  std::vector<PairWarp> warps;
  for (const DatasetView* const source : sources) warps.push_back(true_warp(views[0], *source, kTilted));
  const std::vector<float> truth = true_depths(views[0], kTilted);
  const DepthEstimate exact = triangulate_matches(views[0], sources, warps, {});
  EXPECT_EQ(rms_error(exact.depth_m, truth).second, truth.size());
  EXPECT_LT(rms_error(exact.depth_m, truth).first, 1e-5);
  EXPECT_GT(*std::ranges::min_element(exact.confidence), 0.99);
  for (float& x : warps[1].x_px) x += 5;
  const DepthEstimate outvoted = triangulate_matches(views[0], sources, warps, {});
  EXPECT_LT(rms_error(outvoted.depth_m, truth).first, 1e-5);
  EXPECT_NEAR(outvoted.confidence[1000], 0.75, 0.01);
  for (const std::size_t s : {0, 2, 3}) std::ranges::fill(warps[s].x_px, kNan);
  EXPECT_EQ(rms_error(triangulate_matches(views[0], sources, warps, {}).depth_m, truth).second, 0u)
      << "one source is no agreement";
}

TEST(DenseFlow, RefinementFindsTheDepthsThatExplainAllImages) {
  const auto views = synthetic_views(4, kWidth, kHeight, kTilted);
  const std::vector<float> truth = true_depths(views[0], kTilted);
  DepthEstimate estimate{truth, std::vector<float>(truth.size(), 1.0F)};
  for (std::size_t i = 0; i < truth.size(); ++i)
    estimate.depth_m[i] += 0.003F * std::sin(0.1F * static_cast<float>(i % kWidth));
  const double before = rms_error(estimate.depth_m, truth).first;
  const RefinementOptions options{.iterations = 6};
  refine_depths(views[0], all_but_first(views), truth, options, estimate);
  const auto [after, count] = rms_error(estimate.depth_m, truth);
  EXPECT_LT(after, 0.1 * before);
  EXPECT_GT(count, truth.size() / 2);
}

TEST(DenseFlow, TheMeanPlaneIsFoundOrTheSearchSaysWhyNot) {
  const PlaneSearch found = find_mean_plane(synthetic_views(3, 160, 120, {1.25, Vec2::Zero()}));
  EXPECT_NEAR(found.z_m, 1.25, 0.003);
  EXPECT_THAT(error_of(ErrorKind::method, [] { find_mean_plane(synthetic_views(3, 64, 64, {}, 0)); }),
              testing::StartsWith("depth_range: the images agree on no plane below the water"));
}

DenseOptions small_options() {
  DenseOptions options;
  options.consistency.min_views = 2;
  options.surface.method = SurfaceMethod::heightfield;
  return options;
}

TEST(DenseFlow, ATiltedPlaneReconstructs) {
  const auto views = synthetic_views(4, kWidth, kHeight, kTilted);
  const Reconstruction found = reconstruct_densely(views, flow_matcher({}), small_options());
  ASSERT_EQ(found.depth_maps.size(), 4u);
  const auto [error_m, count] =
      rms_error(found.depth_maps[1].depth_along_ray_m, true_depths(views[1], kTilted));
  EXPECT_LT(error_m, 0.0005);
  EXPECT_GT(count, static_cast<std::size_t>(kWidth * kHeight / 2));
  double squares = 0;
  for (const Vec3& point : found.cloud.points_m)
    squares += std::pow(point.z() - kTilted.z_m - kTilted.slope.dot(point.head<2>()), 2);
  ASSERT_GT(found.cloud.points_m.size(), 5000u);
  EXPECT_LT(std::sqrt(squares / static_cast<double>(found.cloud.points_m.size())), 0.0004);
  EXPECT_TRUE(found.mesh.has_value());
}

// Names of the stages as they open.
class StageNames : public StageObserver {
 public:
  StageNames() { set_stage_observer(this); }
  ~StageNames() override { set_stage_observer(nullptr); }
  void enter(const char* stage) override { names.insert(stage); }
  void leave(const char*) noexcept override {}
  std::set<std::string> names;
};

TEST(DenseFlow, TheSameForAnyThreadCountInTheStagesItLists) {
  const auto views = synthetic_views(3, kWidth, kHeight, kTilted);
  StageNames stages;
  const auto found =
      on_threads<1, 3>([&] { return reconstruct_densely(views, flow_matcher({}), small_options()); });
  ASSERT_EQ(found[0].cloud.points_m.size(), found[1].cloud.points_m.size());
  EXPECT_EQ(std::memcmp(found[0].cloud.points_m.data(), found[1].cloud.points_m.data(),
                        found[0].cloud.points_m.size() * sizeof(Vec3)),
            0);
  EXPECT_EQ(found[0].mesh->triangles, found[1].mesh->triangles);
  const std::vector<std::string> listed = dense_stages();
  EXPECT_THAT(listed, testing::IsSupersetOf(stages.names));
  EXPECT_THAT(stages.names,
              testing::IsSupersetOf({"depth_range", "dense_matching", "triangulation", "fusion"}));
}

TEST(DenseFlow, WhatCannotBeReconstructedIsAnErrorWithAReason) {
  const auto one = synthetic_views(1, kWidth, kHeight, {});
  EXPECT_EQ(error_of(ErrorKind::input, [&] { reconstruct_densely(one, flow_matcher({}), {}); }),
            "dense matching needs two cameras, got 1");
  const auto tiny = synthetic_views(2, 20, 20, {});
  EXPECT_THAT(error_of(ErrorKind::input, [&] { reconstruct_densely(tiny, flow_matcher({}), {}); }),
              testing::HasSubstr("'cam00': images of 20 x 20 px are too small"));
  const PairMatcher none{[](const plane_sweep::GreyImage& a, const plane_sweep::GreyImage&) {
                           const std::vector<float> nowhere(a.pixel_count(), kNan);
                           return PairWarp{nowhere, nowhere, std::vector<float>(a.pixel_count(), 0.0F)};
                         },
                         true};
  const auto views = synthetic_views(3, 64, 64, {});
  EXPECT_THAT(error_of(ErrorKind::method, [&] { reconstruct_densely(views, none, {}); }),
              testing::HasSubstr("the cloud is empty"));
}

TEST(DenseFlow, EveryPresetGivesValidOptions) {
  for (const Preset& preset : presets()) {
    std::vector<Override> overrides = preset.overrides;
    for (Override& override_of : overrides) override_of.owner = "dense_flow";
    EXPECT_NO_THROW(dense_options(resolve_parameters("dense_flow", parameters(), overrides))) << preset.name;
  }
  const Parameters even =
      resolve_parameters("dense_flow", parameters(), {{"dense_flow", "refine_window_px", "8"}});
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { dense_options(even); }),
            "refine_window_px: must be odd and at least 3");
}

// Cameras all around an object: no plane fits, and no water bends the rays. Coarser than by default, since it
// takes half the time.
TEST(DenseFlow, CoversWhatAnOrbitSeesWell) {
  const orbit_testing::OrbitScene& scene = orbit_testing::orbit();
  MethodInput input;
  input.parameters = resolve_parameters("dense_flow", parameters(),
                                        {{"dense_flow", "surface", "none"},
                                         {"dense_flow", "finest_scale", "1"},
                                         {"dense_flow", "refine_iterations", "2"},
                                         {"dense_flow", "fusion_radius_m", "0"}});
  const Reconstruction made = run({scene.dir}, input);
  const orbit_testing::Coverage coverage = orbit_testing::coverage_of(scene, made.cloud.points_m, 4);
  const double rmse_footprints = orbit_testing::rmse_m(scene, made.cloud.points_m) / scene.footprint_m;
  RecordProperty("whole_pct", std::to_string(coverage.whole_pct));
  RecordProperty("well_seen_pct", std::to_string(coverage.well_seen_pct));
  RecordProperty("rmse_footprints", std::to_string(rmse_footprints));
  EXPECT_GE(coverage.well_seen_pct, 95) << "whole surface: " << coverage.whole_pct;
  EXPECT_LE(rmse_footprints, 1);
}

}  // namespace
}  // namespace aqbench::dense_flow
