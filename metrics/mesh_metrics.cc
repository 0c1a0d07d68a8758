#include "metrics/mesh_metrics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "metrics/completeness.h"
#include "scenes/cloud/measurable.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

using Polygon = std::vector<Vec3>;  // convex, in one plane

// Keeps the part with sign * (coordinate - limit) >= 0 (Sutherland and Hodgman, CACM 1974, for one side).
Polygon keep_side(const Polygon& polygon, int axis, double limit, double sign) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3& a = polygon[i];
    const Vec3& b = polygon[(i + 1) % polygon.size()];
    const double inside_a = sign * (a[axis] - limit), inside_b = sign * (b[axis] - limit);
    if (inside_a >= 0) kept.push_back(a);
    if ((inside_a > 0 && inside_b < 0) || (inside_a < 0 && inside_b > 0)) {
      Vec3 crossing = a + (b - a) * (inside_a / (inside_a - inside_b));
      crossing[axis] = limit;
      kept.push_back(crossing);
    }
  }
  return kept;
}

Vec3 area_vector(const std::array<Vec3, 3>& corners) {
  return 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]);
}

constexpr std::size_t kMeshGrain = 1 << 12;  // samples a chunk

// Sets of vertices, joined by triangles; with path halving.
class VertexSets {
 public:
  explicit VertexSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t vertex) {
    while (parent_[vertex] != vertex) vertex = parent_[vertex] = parent_[parent_[vertex]];
    return vertex;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent_[high] = low;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

std::size_t count_components(std::size_t vertices, std::span<const Triangle> triangles) {
  VertexSets sets(vertices);
  std::vector<bool> used(vertices);
  for (const Triangle& triangle : triangles) {
    sets.join(triangle[0], triangle[1]);
    sets.join(triangle[1], triangle[2]);
    for (const std::uint32_t vertex : triangle) used[vertex] = true;
  }
  std::size_t components = 0;
  for (std::uint32_t vertex = 0; vertex < used.size(); ++vertex) {
    if (used[vertex] && sets.root(vertex) == vertex) ++components;
  }
  return components;
}

MeshTopology topology_of(std::span<const Vec3> vertices_m, const JoinedFaces& joined) {
  MeshTopology topology;
  topology.faces = joined.counts;
  topology.components = count_components(vertices_m.size(), joined.triangles);
  const std::vector<FaceEdge> edges = edges_by_ends(joined.triangles);
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    if (at.size() >= 3) ++topology.nonmanifold_edges;
    if (at.size() == 1)
      topology.boundary_m +=
          (vertices_m[at.front().ends & 0xffffffffU] - vertices_m[at.front().ends >> 32U]).norm();
  });
  return topology;
}

struct MeshSums {
  double distance_m = 0, weight = 0, cosine = 0;
};

// Sums over chunks in parallel, combined in order.
template <class SumChunk>
MeshSums sum_chunks(std::size_t count, const SumChunk& sum_chunk) {
  std::vector<MeshSums> chunks((count + kMeshGrain - 1) / kMeshGrain);
  parallel_for(count, kMeshGrain, [&](std::size_t begin, std::size_t end) {
    chunks[begin / kMeshGrain] = sum_chunk(begin, end);
  });
  MeshSums total;
  for (const MeshSums& chunk : chunks) {
    total.distance_m += chunk.distance_m;
    total.weight += chunk.weight;
    total.cosine += chunk.cosine;
  }
  return total;
}

// Samples of the part of the soup that is scored; `area_m2` is that part's area.
struct ScoredSamples {
  std::vector<SoupSample> samples;
  double area_m2 = 0;
};

ScoredSamples scored_samples(const TriangleSoup& soup, const Surface& truth, const ScoreOptions& options) {
  constexpr double kMax = 2e6;
  const bool partial = options.part.is_partial();
  const double wanted = soup.area_m2() / (options.sample_spacing_m * options.sample_spacing_m);
  const auto count = static_cast<std::size_t>(std::clamp(wanted, partial ? 2.5e5 : 1e3, kMax));
  ScoredSamples scored{sample_by_area(soup, count, options.sample_seed), soup.area_m2()};
  if (!partial) return scored;
  std::vector<Vec3> positions_m(count);
  std::ranges::transform(scored.samples, positions_m.begin(), &SoupSample::position_m);
  std::vector<SoupSample> kept;
  for (const std::uint32_t i : score_points(positions_m, truth, options.part).index)
    kept.push_back(scored.samples[i]);
  scored.area_m2 *= static_cast<double>(kept.size()) / static_cast<double>(count);
  scored.samples = std::move(kept);
  return scored;
}

void measure_accuracy(const std::vector<SoupSample>& samples, const Surface& truth, MeshMetrics& metrics) {
  const MeshSums sums = sum_chunks(samples.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3> positions_m(end - begin);
    std::ranges::transform(std::span(samples).subspan(begin, end - begin), positions_m.begin(),
                           &SoupSample::position_m);
    std::vector<ClosestPoint> closest(positions_m.size());
    truth.closest_points(positions_m, closest);
    MeshSums chunk;
    for (std::size_t i = 0; i < closest.size(); ++i) {
      chunk.distance_m += std::abs(closest[i].signed_distance_m);
      chunk.cosine += std::abs(closest[i].normal.dot(samples[begin + i].normal));
      chunk.weight += 1;
    }
    return chunk;
  });
  metrics.accuracy_mean_m = sums.distance_m / sums.weight;
  metrics.normal_consistency = sums.cosine / sums.weight;
}

// Sums the distances of samples of the truth to the mesh by area.
MeshSums sum_to_mesh(const SurfaceSamples& samples, const TriangleMesh& mesh) {
  const std::shared_ptr<const Surface> surface = make_mesh_surface(mesh);
  return sum_chunks(samples.positions_m.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances_m(end - begin);
    surface->signed_distances(std::span(samples.positions_m).subspan(begin, end - begin), distances_m);
    MeshSums chunk;
    for (std::size_t i = 0; i < distances_m.size(); ++i) {
      chunk.distance_m += samples.weight_m2(begin + i) * std::abs(distances_m[i]);
      chunk.weight += samples.weight_m2(begin + i);
    }
    return chunk;
  });
}

}  // namespace

TriangleSoup cut_to_patch(std::span<const Vec3> vertices_m, std::span<const Triangle> triangles,
                          const Patch* patch) {
  TriangleSoup soup;
  double area_m2 = 0;
  const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
    const double part_m2 = area_vector({a, b, c}).norm();
    if (!(part_m2 > 0)) return;
    area_m2 += part_m2;
    soup.triangles_m.push_back({a, b, c});
    soup.area_up_to_m2.push_back(area_m2);
  };
  const auto inside = [&](const Vec3& corner) {
    return patch == nullptr || patch->contains(corner.x(), corner.y());
  };
  for (const auto& [a, b, c] : triangles) {
    const std::array<Vec3, 3> corners = {vertices_m[a], vertices_m[b], vertices_m[c]};
    if (std::ranges::all_of(corners, inside)) {
      add(corners[0], corners[1], corners[2]);
      continue;
    }
    Polygon polygon(corners.begin(), corners.end());
    polygon = keep_side(polygon, 0, patch->x_min_m, 1);
    polygon = keep_side(polygon, 0, patch->x_max_m, -1);
    polygon = keep_side(polygon, 1, patch->y_min_m, 1);
    polygon = keep_side(polygon, 1, patch->y_max_m, -1);
    for (std::size_t i = 2; i < polygon.size(); ++i) add(polygon[0], polygon[i - 1], polygon[i]);
  }
  return soup;
}

std::vector<SoupSample> sample_by_area(const TriangleSoup& soup, std::size_t count, std::uint64_t seed) {
  const RandomKey key{seed, RandomStream::mesh_sampling};
  std::vector<SoupSample> samples(count);
  parallel_for(count, 1 << 14, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double place_m2 =
          soup.area_m2() * ((static_cast<double>(i) + uniform01(key, i)) / static_cast<double>(count));
      const auto found = std::ranges::upper_bound(soup.area_up_to_m2, place_m2);
      const auto triangle =
          std::min(static_cast<std::size_t>(found - soup.area_up_to_m2.begin()), soup.triangles_m.size() - 1);
      const std::array<Vec3, 3>& corners = soup.triangles_m[triangle];
      // Uniform on a triangle: Osada et al., "Shape distributions", ACM TOG 2002, section 4.2.
      const auto [u, v] = uniform01_pair(key, i, 1);
      const double root = std::sqrt(u);
      samples[i] = {(1 - root) * corners[0] + root * (1 - v) * corners[1] + root * v * corners[2],
                    area_vector(corners).normalized()};
    }
  });
  return samples;
}

void check_mesh(const TriangleMesh& mesh) {
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i) {
    if (is_measurable(mesh.vertices_m[i])) continue;
    throw method_error("mesh.vertices_m[{}]: not finite", i);
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::uint32_t largest = std::ranges::max(mesh.triangles[i]);
    if (largest < mesh.vertices_m.size()) continue;
    throw method_error("mesh.triangles[{}]: vertex {} of {} vertices", i, largest, mesh.vertices_m.size());
  }
}

MeshMetrics measure_mesh(const TriangleMesh& mesh, const Surface& truth, const ScoreOptions& options) {
  check_mesh(mesh);
  MeshMetrics metrics;
  const JoinedFaces joined = join_faces(mesh.vertices_m, mesh.triangles);
  metrics.topology = topology_of(mesh.vertices_m, joined);
  const TriangleSoup soup = cut_to_patch(mesh.vertices_m, joined.triangles, truth.patch());
  if (soup.area_m2() == 0) {
    metrics.reason =
        mesh.triangles.empty() ? "the mesh has no triangles" : "no part of the mesh lies over the patch";
    return metrics;
  }
  const ScoredSamples scored = scored_samples(soup, truth, options);
  const Crop& crop = options.part.crop;
  const SurfaceSamples samples = samples_inside(truth, options.sample_spacing_m, options.sample_seed, crop);
  if (scored.samples.empty() || samples.positions_m.empty()) {
    metrics.reason =
        samples.positions_m.empty() ? kNoTruthInCrop : "no part of the mesh lies in the scored part";
    return metrics;
  }
  measure_accuracy(scored.samples, truth, metrics);
  const MeshSums reached = sum_to_mesh(samples, mesh);
  metrics.completeness_mean_m = reached.distance_m / reached.weight;
  // The area of a scan is unknown, and so is that of its part.
  const double whole_m2 = truth.area_m2();
  metrics.area_ratio =
      scored.area_m2 / (crop.parts.empty() || std::isnan(whole_m2) ? whole_m2 : reached.weight);
  return metrics;
}

std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const Vec3& up) {
  // Open parts look towards smaller z: the mesh stands on its head.
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(up, -Vec3::UnitZ());
  std::vector<Vec3> turned;
  turned.reserve(mesh.vertices_m.size());
  for (const Vec3& vertex : mesh.vertices_m) turned.push_back(turn * vertex);
  const JoinedFaces joined = join_faces(turned, mesh.triangles);
  const std::vector<FaceStand> stands = find_stands(turned, joined.triangles);
  std::vector<Vec3> normals(mesh.vertices_m.size(), Vec3::Zero());
  for (std::size_t i = 0; i < stands.size(); ++i) {
    if (stands[i].is_wall) continue;
    const auto& [a, b, c] = joined.triangles[i];
    const Vec3& corner = mesh.vertices_m[a];
    const Vec3 doubled = (mesh.vertices_m[b] - corner).cross(mesh.vertices_m[c] - corner);
    for (const std::uint32_t vertex : {a, b, c}) normals[vertex] += stands[i].is_turned ? -doubled : doubled;
  }
  for (Vec3& normal : normals)
    if (const double length = normal.norm(); length > 0) normal /= length;
  return normals;
}

}  // namespace aqbench
