#include "metrics/mesh_metrics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "metrics/mesh_sampling.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

constexpr std::size_t kMeshGrain = 1 << 12;  // samples a chunk

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

void measure_accuracy(const TriangleSoup& soup, const Surface& truth, const MeshScoreOptions& options,
                      MeshMetrics& metrics) {
  const double wanted = soup.area_m2() / (options.sample_spacing_m * options.sample_spacing_m);
  const auto count = static_cast<std::size_t>(std::clamp(wanted, 1e3, 2e6));
  const std::vector<SoupSample> samples = sample_by_area(soup, count, options.seed);
  const MeshSums sums = sum_chunks(samples.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<Vec3> positions_m;
    for (std::size_t i = begin; i < end; ++i) positions_m.push_back(samples[i].position_m);
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

double mean_distance_to_mesh_m(const TriangleMesh& mesh, const Surface& truth,
                               const MeshScoreOptions& options) {
  const SurfaceSamples samples = truth.stratified_samples(options.sample_spacing_m, options.seed);
  const std::shared_ptr<const Surface> surface = make_mesh_surface(mesh);
  const MeshSums sums = sum_chunks(samples.positions_m.size(), [&](std::size_t begin, std::size_t end) {
    std::vector<double> distances_m(end - begin);
    surface->signed_distances(std::span(samples.positions_m).subspan(begin, end - begin), distances_m);
    MeshSums chunk;
    for (std::size_t i = 0; i < distances_m.size(); ++i) {
      chunk.distance_m += samples.weights[begin + i] * std::abs(distances_m[i]);
      chunk.weight += samples.weights[begin + i];
    }
    return chunk;
  });
  return sums.distance_m / sums.weight;
}

}  // namespace

MeshMetrics measure_mesh(const TriangleMesh& mesh, const Surface& truth, const MeshScoreOptions& options) {
  check_mesh(mesh);
  MeshMetrics metrics;
  metrics.topology = mesh_topology(mesh);
  const TriangleSoup soup = cut_to_patch(mesh, truth.patch());
  if (soup.area_m2() == 0) {
    metrics.reason =
        mesh.triangles.empty() ? "the mesh has no triangles" : "no part of the mesh lies over the patch";
    return metrics;
  }
  measure_accuracy(soup, truth, options, metrics);
  metrics.completeness_mean_m = mean_distance_to_mesh_m(mesh, truth, options);
  metrics.area_ratio = soup.area_m2() / truth.area_m2();
  return metrics;
}

}  // namespace aqbench
