#include "pipeline/fusion/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numbers>

#include "core/random.h"
#include "core/text.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

using Height = std::function<double(double x_m, double y_m)>;

constexpr double kHalf_m = 0.03;  // of the square patch

double flat_height(double, double) { return 1.178; }

double waves(double x_m, double y_m) {
  const double turn = 2 * std::numbers::pi;
  return 1.178 + 0.005 * (std::sin(turn * x_m / 0.05) + std::sin(turn * y_m / 0.065));
}

// Points of the patch that `count` cameras above it see: a grid shifted from camera to camera, with vertical
// noise, independent from point to point, and some outliers.
std::vector<CameraPoints> observe(const Height& height, int count, double pitch_m, double sigma_m,
                                  double outliers = 0) {
  std::vector<CameraPoints> cameras(static_cast<std::size_t>(count));
  const RandomKey key{7, RandomStream::point_noise}, other{7, RandomStream::dropout};
  std::uint64_t index = 0;
  for (int c = 0; c < count; ++c) {
    CameraPoints& camera = cameras[static_cast<std::size_t>(c)];
    const double turn = 2 * std::numbers::pi * c / count;
    camera.centre_m = {0.6 * std::cos(turn), 0.6 * std::sin(turn), 0};
    const auto [shift_x, shift_y] = uniform01_pair(other, static_cast<std::uint64_t>(c), 9);
    for (double x = -kHalf_m + shift_x * pitch_m; x <= kHalf_m; x += pitch_m)
      for (double y = -kHalf_m + shift_y * pitch_m; y <= kHalf_m; y += pitch_m, ++index) {
        double z = height(x, y) + sigma_m * normal_pair(key, index)[0];
        if (uniform01(other, index, 1) < outliers) z += 0.02 * (uniform01(other, index, 2) - 0.5);
        camera.points_m.push_back(Vec3(x, y, z).cast<float>());
        camera.confidence.push_back(0.8F);
      }
  }
  return cameras;
}

CameraPointSource given(std::vector<CameraPoints> cameras) {
  const std::size_t count = cameras.size();
  return {count, [all = std::move(cameras)](std::size_t camera) { return all[camera]; }};
}

struct HeightErrors {
  double mean_m = 0, rmse_m = 0, max_m = 0;
  std::size_t count = 0;
};

HeightErrors errors_of(
    const PointCloud& cloud, const Height& height,
    const std::function<bool(const Vec3&)>& counted = [](const Vec3&) { return true; }) {
  HeightErrors errors;
  for (const Vec3& point : cloud.points_m) {
    if (!counted(point)) continue;
    const double error = point.z() - height(point.x(), point.y());
    errors.mean_m += error;
    errors.rmse_m += error * error;
    errors.max_m = std::max(errors.max_m, std::abs(error));
    ++errors.count;
  }
  errors.mean_m /= static_cast<double>(errors.count);
  errors.rmse_m = std::sqrt(errors.rmse_m / static_cast<double>(errors.count));
  return errors;
}

bool near_edge(const Vec3& point) {
  return std::max(std::abs(point.x()), std::abs(point.y())) > kHalf_m - 0.001;
}

bool inside(const Vec3& point) {
  return std::max(std::abs(point.x()), std::abs(point.y())) < kHalf_m - 0.005;
}

TEST(Fusion, AVoxelHasTheMeanWeightedByConfidence) {
  CameraPoints a, b;
  a.points_m = {{0.1002F, 0.2002F, 1.1002F}};
  a.confidence = {0.2F};
  b.points_m = {{0.1006F, 0.2006F, 1.1006F}, {0.5F, 0.5F, 1.2F}};
  b.confidence = {0.6F, 1.0F};
  const FusionOptions options{.refine_radius_m = 0};
  const PointCloud cloud = fuse(given({a, b}), options);
  ASSERT_EQ(cloud.points_m.size(), 2u);
  const auto fused = std::ranges::find_if(cloud.points_m, [](const Vec3& p) { return p.x() < 0.3; });
  EXPECT_LT((*fused - Vec3(0.1005, 0.2005, 1.1005)).norm(), 1e-6);
  const auto at = static_cast<std::size_t>(fused - cloud.points_m.begin());
  EXPECT_NEAR(cloud.confidence[at], (0.2 * 0.2 + 0.6 * 0.6) / 0.8, 1e-6);
  EXPECT_TRUE(cloud.normals[at].hasNaN()) << "two points have no normal";
}

TEST(Fusion, TwelveNoisyViewsOfAPlaneAverage) {
  const double sigma = 0.001;
  const auto cameras = observe(flat_height, 12, 0.0008, sigma);
  const PointCloud cloud = fuse(given(cameras), {});
  const HeightErrors inner = errors_of(cloud, flat_height, inside);
  // A disc of radius r holds n = pi r^2 * 12 / pitch^2 points. At the centre of a disc, a quadratic fit with
  // weights (1 - r^2)^2 is a mean with the kernel (1 - s)^2 (8 - 20 s), s = r^2, which is 1, as its first
  // moment is 0, by integrals of polynomials; the integral of its square is 12.8 - 32/3 + 400/105 = 5.943.
  const double n = std::numbers::pi * 0.004 * 0.004 * 12 / (0.0008 * 0.0008);
  const double expected = sigma * std::sqrt(5.943 / n);
  EXPECT_NEAR(inner.rmse_m, expected, 0.15 * expected);
  // Neighbouring points share their data: about as many independent ones as discs.
  EXPECT_LT(std::abs(inner.mean_m), 3 * expected / std::sqrt(50 * 50 / (std::numbers::pi * 4 * 4)));
  EXPECT_GT(inner.count, 50u * 50u * 95 / 100);
  const FusionOptions means_alone{.refine_radius_m = 0};
  EXPECT_GT(errors_of(fuse(given(cameras), means_alone), flat_height, inside).rmse_m, 5 * inner.rmse_m);
}

TEST(Fusion, EdgesOfAPatchAreKeptAndHaveNoBias) {
  for (const Height& height :
       {Height(flat_height), Height([](double x, double y) { return 1.178 + 0.6 * x - 0.3 * y; })}) {
    const PointCloud cloud = fuse(given(observe(height, 12, 0.0008, 0.0005)), {});
    const HeightErrors edge = errors_of(cloud, height, near_edge);
    EXPECT_GT(edge.count, 4u * 60u * 8 / 10);
    EXPECT_LT(std::abs(edge.mean_m), 4 * edge.rmse_m / std::sqrt(static_cast<double>(edge.count) / 4));
    EXPECT_LT(edge.rmse_m, 3e-4);
  }
}

TEST(Fusion, WavesAreNotSmoothedAway) {
  const HeightErrors clean = errors_of(fuse(given(observe(waves, 6, 0.001, 0)), {}), waves);
  EXPECT_LT(clean.rmse_m, 1e-5);
  EXPECT_LT(clean.max_m, 6e-5);
  EXPECT_LT(errors_of(fuse(given(observe(waves, 6, 0.001, 0.0005)), {}), waves, inside).rmse_m, 8.5e-5);
}

TEST(Fusion, OutliersDoNotPullTheSurface) {
  const auto close = [](const Vec3& point) { return std::abs(point.z() - 1.178) < 0.001; };
  const PointCloud many = fuse(given(observe(flat_height, 12, 0.0008, 0.0003, 0.1)), {});
  const HeightErrors on = errors_of(many, flat_height, close);
  EXPECT_LT(on.rmse_m, 5e-5);
  EXPECT_LT(std::abs(on.mean_m), 1e-5);
  const PointCloud few = fuse(given(observe(flat_height, 12, 0.0008, 0.0003, 0.01)), {});
  EXPECT_GT(static_cast<double>(std::ranges::count_if(few.points_m, close)),
            0.95 * static_cast<double>(few.points_m.size()));
}

TEST(Fusion, NormalsStandOnTheSurfaceTowardsTheCameras) {
  const Height tilted = [](double x, double y) { return 1.178 + 0.4 * x + 0.2 * y; };
  const PointCloud cloud = fuse(given(observe(tilted, 6, 0.001, 0.0001)), {});
  const Vec3 truth = Vec3(0.4, 0.2, -1).normalized();
  ASSERT_EQ(cloud.normals.size(), cloud.points_m.size());
  for (const Vec3& normal : cloud.normals) {
    EXPECT_NEAR(normal.norm(), 1, 1e-6);
    EXPECT_GT(normal.dot(truth), std::cos(3 * std::numbers::pi / 180));
  }
}

TEST(Fusion, FloatersGoAndCornersStay) {
  std::vector<CameraPoints> cameras = observe(flat_height, 1, 0.001, 0);
  const std::size_t on_plane = cameras[0].points_m.size();
  for (int i = 0; i < 20; ++i) {
    cameras[0].points_m.emplace_back(0.003F * static_cast<float>(i) - 0.03F, 0.0F, 1.1F);
    cameras[0].confidence.push_back(1);
  }
  const FusionOptions all{.outlier_neighbours = 0};
  const std::size_t kept = fuse(given(cameras), {}).points_m.size();
  EXPECT_EQ(kept, fuse(given(cameras), all).points_m.size() - 20);
  EXPECT_NEAR(static_cast<double>(kept), static_cast<double>(on_plane), 0.01 * on_plane);
}

TEST(Fusion, PointsSparserThanVoxelsHaveNormalsToo) {
  const FusionOptions options{.voxel_m = 0.0005};
  const PointCloud cloud = fuse(given(observe(flat_height, 1, 0.005, 0)), options);
  EXPECT_GT(cloud.points_m.size(), 100u);
  for (const Vec3& normal : cloud.normals) EXPECT_LT((normal - Vec3(0, 0, -1)).norm(), 1e-3);
}

TEST(Fusion, TheSameForAnyThreadCount) {
  const auto cameras = observe(waves, 3, 0.001, 0.0007, 0.05);
  const auto clouds = on_threads<1, 2, 5>([&] { return fuse(given(cameras), {}); });
  for (const PointCloud& cloud : clouds) {
    ASSERT_EQ(cloud.points_m.size(), clouds[0].points_m.size());
    const auto same = [&](const auto& a, const auto& b) {
      return std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
    };
    EXPECT_TRUE(same(cloud.points_m, clouds[0].points_m));
    EXPECT_TRUE(same(cloud.normals, clouds[0].normals));
    EXPECT_TRUE(same(cloud.confidence, clouds[0].confidence));
  }
}

TEST(Fusion, UnusableInputIsLeftOutOrRefused) {
  EXPECT_TRUE(fuse({}, {}).points_m.empty());
  CameraPoints camera;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  camera.points_m = {{nan, 0, 1}, {0, 0, 1}, {0.1F, 0, 1}, {0.2F, 0, 1}};
  camera.confidence = {1, 0, nan, 0.5F};
  EXPECT_EQ(fuse(given({camera}), {}).points_m.size(), 1u);
  camera.confidence = {};
  camera.points_m[0] = {1e6F, 0, 0};
  EXPECT_THAT(error_of(ErrorKind::method, [&] { fuse(given({camera}), {}); }),
              testing::HasSubstr("2^21 voxels"));
}

TEST(Fusion, NeighbourDistancesAgreeWithBruteForce) {
  const RandomKey key{3, RandomStream::point_noise};
  std::vector<CameraPoints> cameras(1);
  for (std::uint64_t i = 0; i < 600; ++i) {
    const auto [x, y] = uniform01_pair(key, i);
    cameras[0].points_m.push_back(Vec3(0.03 * x * x, 0.03 * y, 0.002 * uniform01(key, i, 1)).cast<float>());
  }
  const Surfels surfels = gather_voxels(given(cameras), 0.0005);
  const NeighbourStatistics statistics = neighbour_statistics(surfels, {}, spacing_m(surfels));
  for (std::size_t i = 0; i < surfels.count(); ++i) {
    std::vector<double> distances;
    for (std::size_t j = 0; j < surfels.count(); ++j)
      distances.push_back(std::hypot(double{surfels.x_m[i]} - surfels.x_m[j],
                                     double{surfels.y_m[i]} - surfels.y_m[j],
                                     double{surfels.z_m[i]} - surfels.z_m[j]));
    std::ranges::sort(distances);
    double sum = 0;
    for (std::size_t k = 1; k <= 20; ++k) sum += distances[k];
    EXPECT_NEAR(statistics.mean_distance_m[i], sum / 20, 1e-6) << i;
  }
}

TEST(Fusion, DepthMapsBecomePointsOnTheirRays) {
  const Rig rig = make_rig("ring12", {}, 0);
  Camera camera = rig.cameras[2];
  camera.intrinsics.width_px = 40;
  camera.intrinsics.height_px = 30;
  const RefractiveCamera prepared = refractive_camera(camera);
  DepthMap map{"c", 40, 30, std::vector<float>(1200, std::numeric_limits<float>::quiet_NaN()),
               std::vector<float>(1200, 0.5F)};
  map.depth_along_ray_m[5 * 40 + 7] = 0.25F;
  map.depth_along_ray_m[29 * 40 + 39] = 0.3F;
  const CameraPoints points = points_of_depth_map(prepared, map);
  ASSERT_EQ(points.points_m.size(), 2u);
  EXPECT_LT((points.points_m[0].cast<double>() - point_on_ray(*cast_ray(prepared, {7, 5}), 0.25)).norm(),
            1e-6);
  EXPECT_LT((points.points_m[1].cast<double>() - point_on_ray(*cast_ray(prepared, {39, 29}), 0.3F)).norm(),
            1e-6);
  EXPECT_EQ(points.confidence[1], 0.5F);
}

}  // namespace
}  // namespace aqbench
