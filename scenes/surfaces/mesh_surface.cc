#include "scenes/surfaces/mesh_surface.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "core/error.h"
#include "core/module.h"
#include "core/morton.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/surfaces/overlapping_bodies.h"
#include "scenes/surfaces/triangle_tree.h"

AQBENCH_MODULE_TABLE aqbench::MeshesTable aqbench_meshes_table;

namespace aqbench {
namespace {

constexpr double kMaxSpanM = 1e7;    // of faces; a vertex beyond is a broken file
constexpr double kMaxReachM = 1e50;  // of a vertex from the origin: products of five lengths are finite

void check_mesh(const TriangleMesh& mesh) {
  const auto refuse = [](const std::string& why) { throw Error(ErrorKind::input, "mesh: " + why); };
  constexpr std::size_t kMaxElements = std::size_t{1} << 31U;
  if (mesh.triangles.empty()) refuse("no triangles");
  if (mesh.vertices_m.size() >= kMaxElements || mesh.triangles.size() >= kMaxElements)
    refuse("more than 2^31 - 1 vertices or triangles");
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i)
    if (!mesh.vertices_m[i].allFinite()) refuse(fmt::format("vertex {} is not finite", i));
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i)
    if (!(mesh.vertices_m[i].cwiseAbs().maxCoeff() <= kMaxReachM))
      refuse(fmt::format("vertex {} is farther than {:g} m from the origin", i, kMaxReachM));
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (const std::uint32_t vertex : mesh.triangles[i])
      if (vertex >= mesh.vertices_m.size())
        refuse(fmt::format("triangle {}: vertex {} of {}", i, vertex, mesh.vertices_m.size()));
}

// Sides ab, bc, ca are 0, 1, 2, corners a, b, c are 3, 4, 5.
std::size_t number_of(TrianglePart part) {
  return static_cast<std::size_t>(part) - static_cast<std::size_t>(TrianglePart::edge_ab);
}

class MeshSurface final : public BorderedSurface, public RayTarget {
 public:
  MeshSurface(TriangleMesh mesh, MeshSide side, std::span<const Vec3> cameras_m)
      : mesh_(std::move(mesh)), side_(side) {
    check_mesh(mesh_);
    add_faces(cameras_m);
    add_side_normals();
    build_search();
  }

  void closest_points_and_borders(std::span<const Vec3> points, std::span<ClosestPoint> out,
                                  std::span<std::uint8_t> beyond_border) const override;
  double area_m2() const override { return area_to_.back(); }
  void sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out) const override;
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const override;
  TriangleMesh mesh(double) const override { return mesh_; }
  Eigen::AlignedBox3d bounds_m() const override { return bounds_m_; }
  const FaceCounts* face_counts() const override { return &counts_; }
  void first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const override;

 private:
  void add_faces(std::span<const Vec3> cameras_m);
  void add_side_normals();
  void build_search();
  // Whether the part of `face` lies on an edge that no other face has.
  bool is_on_border(std::size_t face, TrianglePart part) const;
  std::array<Vec3, 3> corners(std::size_t face) const {
    const Triangle& t = faces_[face];
    return {mesh_.vertices_m[t[0]], mesh_.vertices_m[t[1]], mesh_.vertices_m[t[2]]};
  }
  // The closest point of `face` or, walking over edges and corners, of what is nearer beyond them.
  std::pair<std::uint32_t, TrianglePoint> closest_from(std::uint32_t face, const Vec3& point) const;
  // Sum of the normals about the part of `face` that a closest point lies on.
  const Vec3& side_normal(std::size_t face, TrianglePart part) const;
  // Whether a point is on the negative side of its closest one.
  bool is_behind(const Vec3& point, std::size_t face, const TrianglePoint& closest) const;
  std::vector<std::uint32_t> faces_in_spatial_order() const;

  TriangleMesh mesh_;
  FaceCounts counts_;
  std::vector<Triangle> faces_;  // that have an area, each once, joined by place
  std::vector<Vec3> normals_;    // of faces_, on the positive side
  std::vector<bool> is_wall_;    // of faces_: within a closed part
  MeshSide side_;
  std::unique_ptr<const OverlappingBodies> bodies_;
  std::vector<double> area_to_;                       // of faces_, cumulative
  std::vector<std::array<Vec3, 3>> edge_normals_;     // of faces_: sums over the faces at ab, bc, ca
  std::vector<std::array<std::uint32_t, 3>> across_;  // of faces_: a face beyond ab, bc, ca; itself if none
  std::vector<Vec3> corner_normals_;                  // of vertices: sums weighted by angle
  std::vector<bool> on_border_;                       // of vertices: the end of an edge that one face has
  Eigen::AlignedBox3d bounds_m_;
  std::unique_ptr<const TriangleTree> search_;  // of faces_
  mutable std::once_flag ray_search_made_;
  mutable std::unique_ptr<FaceSearch> ray_search_;  // of faces_, made for the first ray
};

void MeshSurface::add_faces(std::span<const Vec3> cameras_m) {
  JoinedFaces joined = join_faces(mesh_.vertices_m, mesh_.triangles);
  counts_ = joined.counts;
  faces_ = std::move(joined.triangles);
  const std::vector<FaceStand> stands = find_stands(mesh_.vertices_m, faces_, cameras_m);
  double area = 0;
  for (std::size_t face = 0; face < faces_.size(); ++face) {
    const auto [a, b, c] = corners(face);
    const Vec3 cross = (b - a).cross(c - a);
    const double length = cross.norm();
    area += 0.5 * length;
    area_to_.push_back(area);
    const bool slopes = cameras_m.empty() && !stands[face].is_closed && cross.z() != 0;
    const bool inwards = side_ == MeshSide::inside && stands[face].is_closed;
    const bool turned = slopes ? cross.z() > 0 : stands[face].is_turned != inwards;
    normals_.push_back(cross * ((turned ? -1 : 1) / length));
    is_wall_.push_back(stands[face].is_wall);
  }
  if (faces_.empty() || !std::isfinite(area)) throw Error(ErrorKind::input, "mesh: no triangle has an area");
  bodies_ = std::make_unique<OverlappingBodies>(mesh_, faces_, stands, [](TriangleMesh own) {
    return std::make_shared<MeshSurface>(std::move(own), MeshSide::outside, std::span<const Vec3>());
  });
}

void MeshSurface::add_side_normals() {
  corner_normals_.assign(mesh_.vertices_m.size(), Vec3::Zero());
  edge_normals_.resize(faces_.size());
  across_.resize(faces_.size());
  on_border_.assign(mesh_.vertices_m.size(), false);
  for (std::uint32_t face = 0; face < faces_.size(); ++face) {
    if (is_wall_[face]) continue;
    const std::array<Vec3, 3> at = corners(face);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const Vec3 u = at[(k + 1) % 3] - at[k], v = at[(k + 2) % 3] - at[k];
      corner_normals_[faces_[face][k]] += std::atan2(u.cross(v).norm(), u.dot(v)) * normals_[face];
    }
  }
  const std::vector<FaceEdge> edges = edges_by_ends(faces_);
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    Vec3 sum = Vec3::Zero();
    for (const FaceEdge& edge : at)
      if (!is_wall_[edge.face]) sum += normals_[edge.face];
    for (std::size_t i = 0; i < at.size(); ++i) {
      edge_normals_[at[i].face][at[i].side] = sum;
      across_[at[i].face][at[i].side] = at[(i + 1) % at.size()].face;
    }
    if (at.size() > 1) return;
    on_border_[at.front().ends >> 32U] = true;
    on_border_[at.front().ends & 0xffffffff] = true;
  });
}

void MeshSurface::build_search() {
  for (const Triangle& t : faces_)
    for (const std::uint32_t vertex : t) bounds_m_.extend(mesh_.vertices_m[vertex]);
  if (const double span_m = bounds_m_.diagonal().maxCoeff(); !(span_m <= kMaxSpanM))
    throw input_error("mesh: spans {:.3g} m, more than {:g} m; check its unit", span_m, kMaxSpanM);
  search_ = std::make_unique<TriangleTree>(mesh_.vertices_m, faces_);
}

// The search may name a triangle that is farther by a rounding error; beyond its edges may be a nearer one.
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
  if (part == TrianglePart::face) return normals_[face];
  const std::size_t number = number_of(part);
  return number < 3 ? edge_normals_[face][number] : corner_normals_[faces_[face][number - 3]];
}

bool MeshSurface::is_behind(const Vec3& point, std::size_t face, const TrianglePoint& closest) const {
  if (bodies_->concern(face)) return bodies_->is_solid(point) != (side_ == MeshSide::inside);
  const Vec3& out = side_normal(face, closest.part);
  // Both sides of a wall are solid, and so is what lies about an edge of walls alone.
  if (is_wall_[face] && (closest.part == TrianglePart::face || out.isZero()))
    return side_ == MeshSide::outside;
  return std::signbit((point - closest.position_m).dot(out));
}

bool MeshSurface::is_on_border(std::size_t face, TrianglePart part) const {
  if (part == TrianglePart::face) return false;
  const std::size_t number = number_of(part);
  return number < 3 ? across_[face][number] == face : on_border_[faces_[face][number - 3]];
}

void MeshSurface::closest_points_and_borders(std::span<const Vec3> points, std::span<ClosestPoint> out,
                                             std::span<std::uint8_t> beyond_border) const {
  constexpr std::size_t kSearchBatch = 1 << 16;
  std::vector<std::uint32_t> faces;
  for (std::size_t begin = 0; begin < points.size(); begin += kSearchBatch) {
    const std::span<const Vec3> batch = points.subspan(begin, std::min(kSearchBatch, points.size() - begin));
    faces.resize(batch.size());
    search_->closest(batch, faces);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const auto [face, at] = closest_from(faces[i], batch[i]);
      const Vec3 away = batch[i] - at.position_m;
      out[begin + i] = {at.position_m, normals_[face],
                        is_behind(batch[i], face, at) ? -away.norm() : away.norm()};
      if (!beyond_border.empty()) beyond_border[begin + i] = is_on_border(face, at.part) ? 1 : 0;
    }
  }
}

void MeshSurface::first_hits(std::span<const SurfaceRay> rays, std::span<FaceHit> hits) const {
  const Vec3 centre_m = bounds_m_.center();  // origin of the search's float coordinates
  std::call_once(ray_search_made_, [&] {
    std::vector<float> vertices_xyz;
    vertices_xyz.reserve(3 * mesh_.vertices_m.size());
    for (const Vec3& vertex_m : mesh_.vertices_m)
      for (int axis = 0; axis < 3; ++axis)
        vertices_xyz.push_back(static_cast<float>(vertex_m[axis] - centre_m[axis]));
    ray_search_ = make_face_search(vertices_xyz, faces_);
  });
  std::vector<float> queries;
  queries.reserve(6 * rays.size());
  for (const SurfaceRay& ray : rays) {
    const Vec3 origin = ray.origin_m - centre_m;
    for (int axis = 0; axis < 3; ++axis) queries.push_back(static_cast<float>(origin[axis]));
    for (int axis = 0; axis < 3; ++axis) queries.push_back(static_cast<float>(ray.direction[axis]));
  }
  std::vector<std::uint32_t> faces(rays.size());
  ray_search_->first_faces(queries, faces);
  for (std::size_t i = 0; i < rays.size(); ++i) {
    hits[i] = {std::numeric_limits<double>::quiet_NaN(), Vec3::Zero()};
    if (faces[i] >= faces_.size()) continue;
    const Vec3& normal = normals_[faces[i]];
    const double to_plane_m = normal.dot(corners(faces[i])[0] - rays[i].origin_m);
    hits[i] = {to_plane_m / normal.dot(rays[i].direction), normal};
  }
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
  const Vec3 centre_m = 0.5 * bounds_m_.min() + 0.5 * bounds_m_.max();
  double extent = 0;
  for (const Triangle& t : faces_)
    extent = std::max(extent, (mesh_.vertices_m[t[0]] - centre_m).cwiseAbs().maxCoeff());
  const double scale = 0xfffff / extent;
  for (std::uint32_t face = 0; face < faces_.size(); ++face) {
    const Vec3 cell = (mesh_.vertices_m[faces_[face][0]] - centre_m) * scale + Vec3::Constant(0x100000);
    const auto place = [&](int axis) { return static_cast<std::uint32_t>(cell[axis]); };
    order[face] = {morton_encode(place(0), place(1), place(2)), face};
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
    throw usage_error("spacing_m: must be positive and give at most 2e9 samples, got {}", spacing_m);
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
  samples.each_m2 = area_m2() / static_cast<double>(count);
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

const MeshesTable& meshes_table() {
  return module_table<MeshesTable>(Module::meshes, "aqbench_meshes_table", &aqbench_meshes_table);
}

}  // namespace

void BorderedSurface::closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const {
  closest_points_and_borders(points, out, {});
}

void BorderedSurface::signed_distances(std::span<const Vec3> points, std::span<double> out) const {
  std::vector<ClosestPoint> closest(points.size());
  closest_points(points, closest);
  std::ranges::transform(closest, out.begin(), &ClosestPoint::signed_distance_m);
}

std::shared_ptr<const BorderedSurface> make_mesh_surface(TriangleMesh mesh, MeshSide side,
                                                         std::span<const Vec3> cameras_m) {
  return std::make_shared<MeshSurface>(std::move(mesh), side, cameras_m);
}

std::unique_ptr<FaceSearch> make_face_search(std::span<const float> vertices_xyz,
                                             std::span<const std::array<std::uint32_t, 3>> triangles) {
  return meshes_table().make_face_search(vertices_xyz, triangles);
}

}  // namespace aqbench
