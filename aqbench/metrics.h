#pragma once
// Scores of a reconstruction against exact truth: a stable interface for C++ programs (target
// aqbench::metrics; aqbench/scenes.h states the guarantee). Metrics are those of docs/metrics.md, bit for bit
// equal to `aqbench eval` without options.

#include <cstdint>
#include <span>
#include <vector>

#include "aqbench/metric.h"
#include "aqbench/scenes.h"

namespace aqbench::v1 {

// Scores a cloud of n points: points_m n x 3, metres in the scene's world frame; normals n x 3, unit, or
// empty. Points that are not finite are counted and ignored. Copies nothing. Throws Failure.
std::vector<Metric> score(std::span<const double> points_m, const Scene& scene,
                          std::span<const double> normals = {});

// Scores a mesh: vertices_m n x 3, metres in the scene's world frame; triangles m x 3 indices. The cloud's
// metrics are those of its vertices. Throws Failure, also for an index beyond the vertices.
std::vector<Metric> score_mesh(std::span<const double> vertices_m, std::span<const std::uint32_t> triangles,
                               const Scene& scene);

// Scores a depth map against the true one of the same size: metres along the refracted ray from the water
// surface; NaN or 0 if missing. Copies nothing. Throws Failure.
std::vector<Metric> score_depth(std::span<const float> predicted_m, std::span<const float> truth_m);

}  // namespace aqbench::v1
