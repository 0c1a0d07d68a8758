// Clouds: fusion, outliers and normals, nearest points, completeness, whole scores, distances to surfaces.

#include <open3d/core/Tensor.h>
#include <open3d/geometry/KDTreeSearchParam.h>
#include <open3d/geometry/PointCloud.h>
#include <open3d/t/geometry/RaycastingScene.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "benchmarks/performance/pair.h"
#include "core/random.h"
#include "metrics/completeness.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/score.h"
#include "pipeline/fusion/fusion.h"
#include "scenes/surfaces/shapes.h"

#ifdef AQBENCH_HAS_NANOFLANN
#include <nanoflann.hpp>
#endif

namespace aqbench {
namespace {

using Open3dCloud = open3d::geometry::PointCloud;

constexpr std::size_t kPoints = 1'000'000;
constexpr double kVoxel_m = 0.002;

std::shared_ptr<const Surface> truth() {
  static const std::shared_ptr<const Surface> surface = make_undulating({}, {});
  return surface;
}

// Points of the surface with noise of 1 mm on each axis, in random order.
const std::vector<Vec3>& noisy_points() {
  static const std::vector<Vec3> points = [] {
    std::vector<Vec3> out(kPoints);
    truth()->sample_positions(1, 0, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto [x, y] = normal_pair({1, RandomStream::point_noise}, i, 0);
      out[i] += 0.001 * Vec3(x, y, normal_pair({1, RandomStream::point_noise}, i, 1)[0]);
    }
    return out;
  }();
  return points;
}

std::shared_ptr<const SurfaceSamples> truth_samples() {
  static const auto samples =
      std::make_shared<const SurfaceSamples>(truth()->stratified_samples(ScoreOptions{}.sample_spacing_m, 1));
  return samples;
}

bool all_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  return std::ranges::equal(a, b, [=](double x, double y) { return std::abs(x - y) <= tolerance; });
}

// In single precision, as depth maps give them; the lowest corner is the middle of a voxel, where Open3D's
// grid begins half a voxel below.
std::vector<CameraPoints> camera_points() {
  CameraPoints camera;
  Vec3 low = noisy_points()[0];
  for (const Vec3& point : noisy_points()) {
    camera.points_m.push_back(point.cast<float>());
    low = low.cwiseMin(point);
  }
  camera.points_m.push_back((kVoxel_m * ((low / kVoxel_m).array().floor() - 0.5).matrix()).cast<float>());
  return {camera};
}

Vec3 position(const Surfels& surfels, std::size_t i) {
  return surfels.grid.origin_m + Vec3(surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]);
}

// Returns the surfels of the cameras' points, of which gathering takes a copy twice.
Surfels gathered(const std::vector<CameraPoints>& cameras) {
  return gather_voxels({cameras.size(), [&](std::size_t camera) { return cameras[camera]; }}, kVoxel_m);
}

// A point right on the side of a voxel may be rounded into either.
bool same_voxels(const Surfels& ours, const Open3dCloud& theirs) {
  std::map<std::uint64_t, Vec3> means;
  for (const Vec3& point : theirs.points_) means[ours.grid.key(point)] = point;
  std::size_t same = 0;
  for (std::size_t i = 0; i < ours.count(); ++i) {
    const auto found = means.find(ours.keys[i]);
    same += found != means.end() && (found->second - position(ours, i)).norm() < 1e-6 ? 1 : 0;
  }
  return same > 0.999 * static_cast<double>(ours.count()) && theirs.points_.size() < 1.001 * same;
}

Pair voxel_pair() {
  struct Work {
    std::vector<CameraPoints> cameras = camera_points();
    Open3dCloud cloud;
    Surfels ours;
    std::shared_ptr<Open3dCloud> theirs;
  };
  const auto work = std::make_shared<Work>();
  for (const Eigen::Vector3f& point : work->cameras[0].points_m)
    work->cloud.points_.push_back(point.cast<double>());
  const Surfels surfels = gathered(work->cameras);
  return {[work] { work->ours = gathered(work->cameras); },
          [work] { work->theirs = work->cloud.VoxelDownSample(kVoxel_m); },
          [work] { require(same_voxels(work->ours, *work->theirs), "the voxels differ"); }, 0,
          12.0 * kPoints + 40.0 * static_cast<double>(surfels.count())};
}

struct StatisticsWork {
  Surfels surfels = gathered(camera_points());
  FusionOptions options;
  Open3dCloud cloud;
  NeighbourStatistics ours;
  std::vector<bool> stays;
  std::vector<std::size_t> theirs;

  void run_ours() {
    ours = neighbour_statistics(surfels, options, kVoxel_m);
    stays = inliers(ours.mean_distance_m, options);
  }

  // The query counts as a neighbour of its own there.
  void run_theirs() {
    cloud.normals_.clear();
    cloud.EstimateNormals(open3d::geometry::KDTreeSearchParamHybrid(options.normal_radius_voxels * kVoxel_m,
                                                                    options.normal_neighbours));
    theirs = std::get<1>(cloud.RemoveStatisticalOutliers(
        static_cast<std::size_t>(options.outlier_neighbours) + 1, options.outlier_std));
  }

  // Ours keeps points within twice the median distance as well.
  void check() const {
    std::size_t wrong = 0, turned = 0;
    for (const std::size_t i : theirs) wrong += stays[i] ? 0 : 1;
    for (std::size_t i = 0; i < ours.normals.size(); ++i)
      turned += std::abs(ours.normals[i].cast<double>().dot(cloud.normals_[i])) < 0.999 ? 1 : 0;
    require(wrong * 10000 < theirs.size(), "ours removes points that Open3D keeps");
    require(turned * 1000 < ours.normals.size(), "the normals differ");
  }
};

Pair statistics_pair() {
  const auto work = std::make_shared<StatisticsWork>();
  for (std::size_t i = 0; i < work->surfels.count(); ++i)
    work->cloud.points_.push_back(position(work->surfels, i));
  return {[work] { work->run_ours(); }, [work] { work->run_theirs(); }, [work] { work->check(); }, 0,
          static_cast<double>(work->surfels.count()) * (24 + 16)};
}

struct DistanceWork {
  Open3dCloud cloud, samples;
  std::vector<double> ours, theirs;

  DistanceWork() : cloud(noisy_points()), samples(truth_samples()->positions_m) {}
};

constexpr double kPointBytes = 24, kDistanceBytes = 8;

double search_bytes(const DistanceWork& work) {
  return kPointBytes * static_cast<double>(work.cloud.points_.size()) +
         (kPointBytes + kDistanceBytes) * static_cast<double>(work.samples.points_.size());
}

void check_distances(const DistanceWork& work) {
  require(all_near(work.ours, work.theirs, 1e-12), "the distances differ");
}

Pair open3d_search_pair() {
  const auto work = std::make_shared<DistanceWork>();
  return {[work] { work->ours = cloud_to_cloud_distances_m(work->samples.points_, work->cloud.points_); },
          [work] { work->theirs = work->samples.ComputePointCloudDistance(work->cloud); },
          [work] { check_distances(*work); }, 0, search_bytes(*work)};
}

#ifdef AQBENCH_HAS_NANOFLANN
struct NanoflannPoints {
  const std::vector<Vec3>& points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const {
    return points[i][static_cast<Eigen::Index>(axis)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

std::vector<double> nanoflann_distances(const std::vector<Vec3>& queries, const std::vector<Vec3>& points) {
  using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, NanoflannPoints>,
                                                   NanoflannPoints, 3, std::size_t>;
  const NanoflannPoints adaptor{points};
  Tree tree(3, adaptor, nanoflann::KDTreeSingleIndexAdaptorParams(10));
  tree.buildIndex();
  std::vector<double> distances(queries.size());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    std::size_t index = 0;
    double squared = 0;
    tree.knnSearch(queries[i].data(), 1, &index, &squared);
    distances[i] = std::sqrt(squared);
  }
  return distances;
}

Pair nanoflann_search_pair() {
  const auto work = std::make_shared<DistanceWork>();
  return {[work] { work->ours = cloud_to_cloud_distances_m(work->cloud.points_, work->samples.points_); },
          [work] { work->theirs = nanoflann_distances(work->cloud.points_, work->samples.points_); },
          [work] { check_distances(*work); }, 0, search_bytes(*work)};
}
#endif

Pair completeness_pair() {
  const auto work = std::make_shared<DistanceWork>();
  return {[work] {
            work->ours = measure_completeness(SpanBlocks(work->cloud.points_), kPoints, *truth(),
                                              ScoreOptions{}.sample_spacing_m, 1, {}, truth_samples())
                             .value()
                             .distance_m;
          },
          [work] { work->theirs = work->samples.ComputePointCloudDistance(work->cloud); },
          [work] { check_distances(*work); }, 0, search_bytes(*work)};
}

Pair score_pair() {
  struct Work {
    Reconstruction reconstruction;
    DistanceWork clouds;
    ScoreOptions options{.samples = truth_samples()};
    std::optional<double> ours;
  };
  const auto work = std::make_shared<Work>();
  work->reconstruction.cloud.points_m = noisy_points();
  return {[work] {
            const Score score = score_reconstruction(work->reconstruction, *truth(), work->options);
            work->ours = find_metric(score.metrics, "completeness_mean_mm")->value;
          },
          [work] {
            work->clouds.theirs = work->clouds.samples.ComputePointCloudDistance(work->clouds.cloud);
            work->clouds.ours = work->clouds.cloud.ComputePointCloudDistance(work->clouds.samples);
          },
          [work] {
            double sum_m = 0, area_m2 = 0;
            for (std::size_t i = 0; i < work->clouds.theirs.size(); ++i) {
              const double area = truth_samples()->weight_m2(i);
              sum_m += area * work->clouds.theirs[i];
              area_m2 += area;
            }
            require(work->ours && std::abs(*work->ours - 1000 * sum_m / area_m2) < 1e-9,
                    "the mean distances of the samples differ");
          },
          0, 2 * search_bytes(work->clouds)};
}

struct SurfaceWork {
  std::vector<double> ours;
  std::vector<double> theirs;
  open3d::t::geometry::RaycastingScene scene{1};
  open3d::core::Tensor queries{{static_cast<std::int64_t>(kPoints), 3}, open3d::core::Float32};

  SurfaceWork() : ours(kPoints), theirs(kPoints) {
    const TriangleMesh mesh = truth()->mesh(0.001);
    using open3d::core::Tensor;
    Tensor vertices({static_cast<std::int64_t>(mesh.vertices_m.size()), 3}, open3d::core::Float32);
    Tensor triangles({static_cast<std::int64_t>(mesh.triangles.size()), 3}, open3d::core::UInt32);
    const auto fill = [](const std::vector<Vec3>& from, float* to) {
      for (const Vec3& p : from)
        for (int axis = 0; axis < 3; ++axis) *to++ = static_cast<float>(p[axis]);
    };
    fill(mesh.vertices_m, vertices.GetDataPtr<float>());
    fill(noisy_points(), queries.GetDataPtr<float>());
    auto* index = triangles.GetDataPtr<std::uint32_t>();
    for (const auto& triangle : mesh.triangles) index = std::copy(triangle.begin(), triangle.end(), index);
    scene.AddTriangles(vertices, triangles);
  }

  void run_theirs() {
    const auto distances = scene.ComputeDistance(queries, 1);
    std::copy_n(distances.GetDataPtr<float>(), theirs.size(), theirs.begin());
  }
};

Pair surface_pair() {
  const auto work = std::make_shared<SurfaceWork>();
  return {[work] { truth()->signed_distances(noisy_points(), work->ours); }, [work] { work->run_theirs(); },
          [work] {
            std::size_t differing = 0;  // beyond the patch's edges the mesh ends and the surface does not
            for (std::size_t i = 0; i < kPoints; ++i)
              differing += std::abs(std::abs(work->ours[i]) - work->theirs[i]) > 20e-6 ? 1 : 0;
            require(differing < kPoints / 50, "the distances to the surface differ");
          },
          0, (kPointBytes + kDistanceBytes) * kPoints};
}

}  // namespace

void add_cloud_pairs() {
  add_pair({"fusion_voxels", "1 M points, voxels of 2 mm", "Open3D VoxelDownSample",
            "ours also means confidences and directions, sums in double, stores floats in voxel order"},
           voxel_pair);
  add_pair({"normals_and_outliers", "voxels of the row above, 30 and 20 neighbours",
            "Open3D EstimateNormals, RemoveStatisticalOutliers",
            "ours searches once for both, turns normals to the cameras, and looks 16 voxels far at most"},
           statistics_pair);
  add_pair({"nearest_points", "1 M points, 340 k queries", "Open3D ComputePointCloudDistance",
            "none: both build an index in double precision; same distances"},
           open3d_search_pair);
#ifdef AQBENCH_HAS_NANOFLANN
  add_pair({"nearest_points_of_samples", "340 k points, 1 M queries", "nanoflann, leaves of 10",
            "none: both build an index in double precision; same distances"},
           nanoflann_search_pair);
#endif
  add_pair({"completeness", "1 M points, 340 k samples of the truth", "Open3D ComputePointCloudDistance",
            "none: samples are drawn before; same distances"},
           completeness_pair);
  add_pair({"cloud_score", "1 M points, all metrics", "Open3D ComputePointCloudDistance, both ways",
            "ours measures errors to the exact surface and gives all metrics; the peer distances alone"},
           score_pair);
  add_pair({"surface_distances", "1 M points", "Open3D ComputeDistance, 300 k triangles",
            "ours is exact and in double; the peer's mesh in single precision lies up to 10 um off"},
           surface_pair);
}

}  // namespace aqbench
