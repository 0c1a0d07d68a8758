#include "aqbench/metrics.h"

#include <fmt/format.h>

#include <utility>

#include "aqbench/hidden.h"
#include "metrics/registry.h"
#include "metrics/score.h"

namespace aqbench::v1 {
namespace {

// The default options of `aqbench eval`.
ScoreOptions default_options(const Surface& truth, std::size_t points) {
  ScoreOptions options;
  options.sample_spacing_m = auto_spacing_m(truth, points);
  options.tile_m = auto_tile_m(truth);
  return options;
}

}  // namespace

std::optional<double> ideal_of(const std::string& metric) { return metric_ideal(metric); }

std::vector<Metric> score(std::span<const double> points_m, const Scene& scene,
                          std::span<const double> normals) {
  if (points_m.size() % 3 != 0) throw Failure(2, "points_m: must hold n x 3 values");
  if (!normals.empty()) require_length("normals", normals.size(), points_m.size());
  return with_failures([&] {
    const Surface& truth = *scene.data().scene.truth.surface;
    return metrics_of(score_blocks(SpanBlocks(as_points(points_m), as_points(normals)), nullptr, truth,
                                   default_options(truth, points_m.size() / 3))
                          .metrics);
  });
}

std::vector<Metric> score_mesh(std::span<const double> vertices_m, std::span<const std::uint32_t> triangles,
                               const Scene& scene) {
  if (vertices_m.size() % 3 != 0) throw Failure(2, "vertices_m: must hold n x 3 values");
  if (triangles.size() % 3 != 0) throw Failure(2, "triangles: must hold m x 3 indices");
  for (const std::uint32_t index : triangles)
    if (index >= vertices_m.size() / 3)
      throw Failure(2, fmt::format("triangles: index {} of {} vertices", index, vertices_m.size() / 3));
  return with_failures([&] {
    Reconstruction reconstruction;
    const auto vertices = as_points(vertices_m);
    reconstruction.cloud.points_m.assign(vertices.begin(), vertices.end());
    TriangleMesh& mesh = reconstruction.mesh.emplace();
    mesh.vertices_m = reconstruction.cloud.points_m;
    mesh.triangles.reserve(triangles.size() / 3);
    for (std::size_t i = 0; i < triangles.size(); i += 3)
      mesh.triangles.push_back({triangles[i], triangles[i + 1], triangles[i + 2]});
    const Surface& truth = *scene.data().scene.truth.surface;
    return metrics_of(
        score_reconstruction(reconstruction, truth, default_options(truth, vertices.size())).metrics);
  });
}

std::vector<Metric> score_depth(std::span<const float> predicted_m, std::span<const float> truth_m) {
  return with_failures([&] { return metrics_of(depth_metrics(predicted_m, truth_m)); });
}

}  // namespace aqbench::v1
