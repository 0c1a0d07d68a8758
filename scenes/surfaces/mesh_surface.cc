#include "scenes/surfaces/mesh_surface.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/surfaces/face_search.h"
#include "scenes/surfaces/ray_target.h"
#include "scenes/surfaces/triangle_geometry.h"

namespace aqbench {
namespace {

using Triangle = std::array<std::uint32_t, 3>;

constexpr double kMaxReachM = 8192;  // of a mesh from its centre along each axis: floats are 1 mm apart there
constexpr double kSearchReachM = 1e6;  // of a point from the centre, in the search alone

void check_mesh(const TriangleMesh& mesh) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::input, "mesh: " + why); };
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  if (mesh.triangles.empty()) refuse("no triangles");
  if (mesh.vertices_m.size() >= kMost || mesh.triangles.size() >= kMost)
    refuse("more vertices or triangles than 32 bits count");
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i)
    if (!mesh.vertices_m[i].allFinite()) refuse(fmt::format("vertex {} is not finite", i));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const std::uint32_t vertex : mesh.triangles[i])
      if (vertex >= mesh.vertices_m.size())
        refuse(fmt::format("triangle {}: vertex {} of {}", i, vertex, mesh.vertices_m.size()));
}

// Spreads the low 21 bits so that two zeros follow each.
std::uint64_t spread_bits(std::uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

class MeshSurface final : public Surface, public RayTarget {
 public:
  explicit MeshSurface(TriangleMesh mesh) : mesh_(std::move(mesh)) {
    check_mesh(mesh_);
    add_faces();
    add_side_normals();
    build_search();
  }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override;
  void signed_distances(std::span<const Vec3> points, std::span<double> out) const override;
  double area_m2() const override { return area_to_.back(); }
  void sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out) const override;
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const override;
  TriangleMesh mesh(double) const override { return mesh_; }
  const Patch* patch() const override { return nullptr; }
  void first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const override;

 private:
  void add_faces();
  void add_side_normals();
  void build_search();
  std::vector<float> centred(std::span<const Vec3> positions_m) const;
  std::array<Vec3, 3> corners(std::size_t face) const {
    const Triangle& t = faces_[face];
    return {mesh_.vertices_m[t[0]], mesh_.vertices_m[t[1]], mesh_.vertices_m[t[2]]};
  }
  // The closest point of `face` or, walking over edges and corners, of what is nearer beyond them.
  std::pair<std::uint32_t, TrianglePoint> closest_from(std::uint32_t face, const Vec3& point) const;
  // Sum of the camera-facing normals about the part of `face` that a closest point lies on.
  const Vec3& side_normal(std::size_t face, TrianglePart part) const;
  std::vector<std::uint32_t> faces_in_spatial_order() const;

  TriangleMesh mesh_;
  std::vector<Triangle> faces_;                       // the triangles that have an area
  std::vector<Vec3> normals_;                         // of faces_, towards the cameras
  std::vector<double> area_to_;                       // of faces_, cumulative
  std::vector<std::array<Vec3, 3>> edge_normals_;     // of faces_: sums over the faces at ab, bc, ca
  std::vector<std::array<std::uint32_t, 3>> across_;  // of faces_: a face beyond ab, bc, ca; itself if none
  std::vector<Vec3> corner_normals_;                  // of vertices: sums weighted by angle
  Vec3 centre_m_ = Vec3::Zero();                      // origin of the search's float coordinates
  std::unique_ptr<FaceSearch> search_;                // of faces_
};

void MeshSurface::add_faces() {
  double area = 0;
  for (const Triangle& t : mesh_.triangles) {
    const Vec3 a = mesh_.vertices_m[t[0]];
    const Vec3 cross = (mesh_.vertices_m[t[1]] - a).cross(mesh_.vertices_m[t[2]] - a);
    const double length = cross.norm();
    if (!(length > 0)) continue;  // a line or a point: its ends belong to its neighbours
    area += 0.5 * length;
    faces_.push_back(t);
    area_to_.push_back(area);
    normals_.push_back(cross * ((cross.z() > 0 ? -1 : 1) / length));
  }
  if (faces_.empty() || !std::isfinite(area)) throw Error(ErrorKind::input, "mesh: no triangle has an area");
}

void MeshSurface::add_side_normals() {
  corner_normals_.assign(mesh_.vertices_m.size(), Vec3::Zero());
  edge_normals_.resize(faces_.size());
  across_.resize(faces_.size());
  struct Edge {
    std::uint64_t ends;
    std::uint32_t face;
    std::uint32_t side;
  };
  std::vector<Edge> edges;
  edges.reserve(3 * faces_.size());
  for (std::uint32_t face = 0; face < faces_.size(); ++face) {
    const Triangle& t = faces_[face];
    const std::array<Vec3, 3> at = corners(face);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t next = (k + 1) % 3, last = (k + 2) % 3;
      const Vec3 u = at[next] - at[k], v = at[last] - at[k];
      corner_normals_[t[k]] += std::atan2(u.cross(v).norm(), u.dot(v)) * normals_[face];
      const auto [low, high] = std::minmax(t[k], t[next]);
      edges.push_back({std::uint64_t{low} << 32 | high, face, k});
    }
  }
  std::ranges::sort(edges, {}, [](const Edge& e) { return std::pair(e.ends, e.face); });
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    Vec3 sum = Vec3::Zero();
    for (end = begin; end < edges.size() && edges[end].ends == edges[begin].ends; ++end)
      sum += normals_[edges[end].face];
    for (std::size_t i = begin; i < end; ++i) {
      edge_normals_[edges[i].face][edges[i].side] = sum;
      across_[edges[i].face][edges[i].side] = edges[i + 1 < end ? i + 1 : begin].face;
    }
  }
}

void MeshSurface::build_search() {
  Vec3 low = mesh_.vertices_m[faces_[0][0]], high = low;
  for (const Triangle& t : faces_) {
    for (const std::uint32_t vertex : t) {
      low = low.cwiseMin(mesh_.vertices_m[vertex]);
      high = high.cwiseMax(mesh_.vertices_m[vertex]);
    }
  }
  centre_m_ = 0.5 * low + 0.5 * high;
  const double reach_m = (high - centre_m_).cwiseAbs().maxCoeff();
  if (!(reach_m <= kMaxReachM))
    throw Error(ErrorKind::input,
                fmt::format("mesh: spans {:.3g} m; single precision, in which faces are searched, holds a "
                            "millimetre up to {:g} m",
                            2 * reach_m, 2 * kMaxReachM));
  search_ = make_face_search(centred(mesh_.vertices_m), faces_);
}

// Positions as x, y, z about the centre, where floats are finest. The search multiplies up to five lengths: a
// position far away is drawn towards the centre, so that no product leaves the range of floats.
std::vector<float> MeshSurface::centred(std::span<const Vec3> positions_m) const {
  std::vector<float> coordinates;
  coordinates.reserve(3 * positions_m.size());
  for (const Vec3& position : positions_m) {
    Vec3 from_centre_m = position - centre_m_;
    const double far_m = from_centre_m.cwiseAbs().maxCoeff();
    if (far_m > kSearchReachM) from_centre_m *= kSearchReachM / far_m;
    for (int axis = 0; axis < 3; ++axis) coordinates.push_back(static_cast<float>(from_centre_m[axis]));
  }
  return coordinates;
}

// Open3D compares distances as floats, so that near an edge it may name the second-best triangle; its
// distance is right to 1e-9 m or so, but its foot only to a few micrometres.
std::pair<std::uint32_t, TrianglePoint> MeshSurface::closest_from(std::uint32_t face,
                                                                  const Vec3& point) const {
  TrianglePoint best = closest_on_triangle(point, corners(face));
  for (int step = 0; step < 16 && best.part != TrianglePart::face; ++step) {
    // Sides ab, bc, ca are 0, 1, 2; corner a lies on ca and ab, b on ab and bc, c on bc and ca.
    const int part = static_cast<int>(best.part) - static_cast<int>(TrianglePart::edge_ab);
    const std::array<int, 2> sides = part < 3 ? std::array{part, part} : std::array{part - 3, (part - 1) % 3};
    bool moved = false;
    const std::array<std::uint32_t, 3> beyond = across_[face];
    for (const int side : sides) {
      const std::uint32_t next = beyond[static_cast<std::size_t>(side)];
      const TrianglePoint there = closest_on_triangle(point, corners(next));
      if ((there.position_m - point).squaredNorm() < (best.position_m - point).squaredNorm()) {
        best = there;
        face = next;
        moved = true;
      }
    }
    if (!moved) break;
  }
  return {face, best};
}

const Vec3& MeshSurface::side_normal(std::size_t face, TrianglePart part) const {
  switch (part) {
    case TrianglePart::edge_ab:
      return edge_normals_[face][0];
    case TrianglePart::edge_bc:
      return edge_normals_[face][1];
    case TrianglePart::edge_ca:
      return edge_normals_[face][2];
    case TrianglePart::corner_a:
      return corner_normals_[faces_[face][0]];
    case TrianglePart::corner_b:
      return corner_normals_[faces_[face][1]];
    case TrianglePart::corner_c:
      return corner_normals_[faces_[face][2]];
    case TrianglePart::face:
      break;
  }
  return normals_[face];
}

void MeshSurface::closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const {
  constexpr std::size_t kRaycastBatch = 1 << 16;
  std::vector<std::uint32_t> faces;
  for (std::size_t begin = 0; begin < points.size(); begin += kRaycastBatch) {
    const std::span<const Vec3> batch = points.subspan(begin, std::min(kRaycastBatch, points.size() - begin));
    faces.resize(batch.size());
    search_->closest_faces(centred(batch), faces);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (faces[i] >= faces_.size())
        throw Error(ErrorKind::input, fmt::format("mesh: no face was found closest to ({:g}, {:g}, {:g}) m",
                                                  batch[i].x(), batch[i].y(), batch[i].z()));
      const auto [face, at] = closest_from(faces[i], batch[i]);
      const Vec3 away = batch[i] - at.position_m;
      out[begin + i] = {at.position_m, normals_[face],
                        std::copysign(away.norm(), away.dot(side_normal(face, at.part)))};
    }
  }
}

void MeshSurface::first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const {
  std::vector<float> queries;
  queries.reserve(6 * rays.size());
  for (const SurfaceRay& ray : rays) {
    const Vec3 origin = ray.origin_m - centre_m_;
    for (int axis = 0; axis < 3; ++axis) queries.push_back(static_cast<float>(origin[axis]));
    for (int axis = 0; axis < 3; ++axis) queries.push_back(static_cast<float>(ray.direction[axis]));
  }
  std::vector<std::uint32_t> faces(rays.size());
  search_->first_faces(queries, faces);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    hits[i] = {std::numeric_limits<double>::quiet_NaN(), Vec3::Zero()};
    if (faces[i] >= faces_.size()) continue;
    const Vec3& normal = normals_[faces[i]];
    const double to_plane_m = normal.dot(corners(faces[i])[0] - rays[i].origin_m);
    hits[i] = {to_plane_m / normal.dot(rays[i].direction), normal};
  }
}

void MeshSurface::signed_distances(std::span<const Vec3> points, std::span<double> out) const {
  std::vector<ClosestPoint> closest(points.size());
  closest_points(points, closest);
  std::ranges::transform(closest, out.begin(), &ClosestPoint::signed_distance_m);
}

void MeshSurface::sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out) const {
  const RandomKey key{seed, RandomStream::surface_position};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto [u, v] = uniform01_pair(key, first_index + i);
    const auto at = std::ranges::upper_bound(area_to_, u * area_to_.back());
    const auto face =
        std::min<std::size_t>(static_cast<std::size_t>(at - area_to_.begin()), faces_.size() - 1);
    out[i] = point_along_triangle(corners(face), v);
  }
}

std::vector<std::uint32_t> MeshSurface::faces_in_spatial_order() const {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order(faces_.size());
  double extent = 0;
  for (const Triangle& t : faces_)
    extent = std::max(extent, (mesh_.vertices_m[t[0]] - centre_m_).cwiseAbs().maxCoeff());
  const double scale = 0xfffff / extent;
  for (std::uint32_t face = 0; face < faces_.size(); ++face) {
    const Vec3 cell = (mesh_.vertices_m[faces_[face][0]] - centre_m_) * scale + Vec3::Constant(0x100000);
    order[face] = {spread_bits(static_cast<std::uint64_t>(cell.x())) |
                       spread_bits(static_cast<std::uint64_t>(cell.y())) << 1 |
                       spread_bits(static_cast<std::uint64_t>(cell.z())) << 2,
                   face};
  }
  std::ranges::sort(order);
  std::vector<std::uint32_t> faces(faces_.size());
  std::ranges::transform(order, faces.begin(), [](const auto& entry) { return entry.second; });
  return faces;
}

// The faces in spatial order, each run through along its own curve, make one line on which length is area:
// one sample in each of its equal parts.
SurfaceSamples MeshSurface::stratified_samples(double spacing_m, std::uint64_t seed) const {
  const double wanted = std::round(area_m2() / (spacing_m * spacing_m));
  if (!(spacing_m > 0) || wanted > 2e9)
    throw Error(ErrorKind::usage,
                fmt::format("spacing_m: must be positive and give at most 2e9 samples, got {}", spacing_m));
  const std::vector<std::uint32_t> order = faces_in_spatial_order();
  std::vector<double> line(faces_.size());
  double total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t face = order[i];
    total += face == 0 ? area_to_[0] : area_to_[face] - area_to_[face - 1];
    line[i] = total;
  }
  const auto count = static_cast<std::size_t>(std::max(1.0, wanted));
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  samples.positions_m.resize(count);
  samples.weights.assign(count, area_m2() / static_cast<double>(count));
  const RandomKey key{seed, RandomStream::completeness_samples};
  parallel_for(count, 4096, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double at = (static_cast<double>(i) + uniform01(key, i)) / static_cast<double>(count) * total;
      const auto found = static_cast<std::size_t>(std::ranges::upper_bound(line, at) - line.begin());
      const std::size_t k = std::min(found, order.size() - 1);
      const double before = k == 0 ? 0 : line[k - 1];
      const double t = std::clamp((at - before) / (line[k] - before), 0.0, 1 - 1e-15);
      samples.positions_m[i] = point_along_triangle(corners(order[k]), t);
    }
  });
  return samples;
}

}  // namespace

std::shared_ptr<const Surface> make_mesh_surface(TriangleMesh mesh) {
  return std::make_shared<MeshSurface>(std::move(mesh));
}

}  // namespace aqbench
