#include "pipeline/fusion/surface_reconstruction.h"

#include <open3d/geometry/PointCloud.h>
#include <open3d/geometry/TriangleMesh.h>
#include <open3d/utility/Logging.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "core/error.h"
#include "core/stage_scope.h"
#include "core/text.h"
#include "pipeline/fusion/heightfield_surface.h"

namespace aqbench {
namespace {

// Keeps Open3D's warnings off stdout, which is for results.
class QuietOpen3d {
 public:
  QuietOpen3d() { open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error); }
  ~QuietOpen3d() { open3d::utility::SetVerbosityLevel(before_); }
  QuietOpen3d(const QuietOpen3d&) = delete;
  QuietOpen3d& operator=(const QuietOpen3d&) = delete;

 private:
  open3d::utility::VerbosityLevel before_ = open3d::utility::GetVerbosityLevel();
};

[[noreturn]] void fail_surface(SurfaceMethod method, const std::string& why) {
  throw Error(ErrorKind::method,
              std::string("surface_reconstruction: ") + surface_method_name(method) + " " + why);
}

open3d::geometry::PointCloud oriented_points(const PointCloud& cloud, SurfaceMethod method) {
  constexpr std::size_t kFewestPoints = 10;
  open3d::geometry::PointCloud points;
  for (std::size_t i = 0; i < cloud.points_m.size() && i < cloud.normals.size(); ++i) {
    if (!cloud.points_m[i].allFinite() || !cloud.normals[i].allFinite()) continue;
    points.points_.push_back(cloud.points_m[i]);
    points.normals_.push_back(cloud.normals[i]);
  }
  if (points.points_.size() < kFewestPoints)
    fail_surface(method, "needs at least " + std::to_string(kFewestPoints) + " points with normals, got " +
                             std::to_string(points.points_.size()) + " of " +
                             std::to_string(cloud.points_m.size()));
  return points;
}

std::shared_ptr<open3d::geometry::TriangleMesh> poisson_mesh(const PointCloud& cloud,
                                                             const SurfaceOptions& options) {
  auto [mesh, densities] = open3d::geometry::TriangleMesh::CreateFromPointCloudPoisson(
      oriented_points(cloud, options.method), static_cast<std::size_t>(options.poisson_depth), 0.0F, 1.1F,
      false, 1);
  std::vector<double> sorted = densities;
  const auto dropped =
      static_cast<std::size_t>(options.poisson_density_quantile * static_cast<double>(sorted.size()));
  if (dropped == 0) return mesh;
  const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(dropped);
  std::nth_element(sorted.begin(), limit, sorted.end());
  std::vector<bool> low(densities.size());
  for (std::size_t i = 0; i < densities.size(); ++i) low[i] = densities[i] < *limit;
  mesh->RemoveVerticesByMask(low);
  return mesh;
}

std::shared_ptr<open3d::geometry::TriangleMesh> ball_pivoting_mesh(const PointCloud& cloud,
                                                                   const SurfaceOptions& options) {
  const open3d::geometry::PointCloud points = oriented_points(cloud, options.method);
  const std::vector<double> nearest_m = points.ComputeNearestNeighborDistance();
  const double spacing_m =
      std::accumulate(nearest_m.begin(), nearest_m.end(), 0.0) / static_cast<double>(nearest_m.size());
  if (!(spacing_m > 0)) fail_surface(options.method, "all points coincide");
  std::vector<double> radii_m;
  for (const double radius : options.ball_radii) radii_m.push_back(radius * spacing_m);
  return open3d::geometry::TriangleMesh::CreateFromPointCloudBallPivoting(points, radii_m);
}

open3d::geometry::TriangleMesh to_open3d(const TriangleMesh& mesh) {
  open3d::geometry::TriangleMesh converted;
  converted.vertices_ = mesh.vertices_m;
  for (const auto& [a, b, c] : mesh.triangles)
    converted.triangles_.emplace_back(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
  return converted;
}

TriangleMesh from_open3d(const open3d::geometry::TriangleMesh& mesh) {
  TriangleMesh converted;
  converted.vertices_m = mesh.vertices_;
  for (const Eigen::Vector3i& triangle : mesh.triangles_)
    converted.triangles.push_back({static_cast<std::uint32_t>(triangle[0]),
                                   static_cast<std::uint32_t>(triangle[1]),
                                   static_cast<std::uint32_t>(triangle[2])});
  return converted;
}

TriangleMesh build(const PointCloud& cloud, const SurfaceOptions& options) {
  if (options.method == SurfaceMethod::heightfield) return heightfield_surface(cloud, options.grid_m);
  try {
    const auto mesh = options.method == SurfaceMethod::poisson ? poisson_mesh(cloud, options)
                                                               : ball_pivoting_mesh(cloud, options);
    mesh->RemoveUnreferencedVertices();
    return from_open3d(*mesh);
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {  // Open3D's messages have several lines and colours
    fail_surface(options.method, "failed in Open3D: " + escape_bytes(error.what()));
  }
}

}  // namespace

std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options) {
  check(options);
  if (options.method == SurfaceMethod::none) return std::nullopt;
  const StageScope scope("surface_reconstruction");
  const QuietOpen3d quiet;
  TriangleMesh mesh = build(cloud, options);
  if (mesh.triangles.empty())
    fail_surface(options.method,
                 "found no triangle among " + std::to_string(cloud.points_m.size()) + " points");
  const auto target = static_cast<std::size_t>(options.target_triangles);
  if (target > 0 && mesh.triangles.size() > target)
    mesh = from_open3d(*to_open3d(mesh).SimplifyQuadricDecimation(
        static_cast<int>(target), std::numeric_limits<double>::infinity(), 1.0));
  return mesh;
}

}  // namespace aqbench
