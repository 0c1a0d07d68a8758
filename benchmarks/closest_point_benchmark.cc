// Closest points of the true surfaces on one thread, beside Open3D's closest points on a mesh of 300 k
// triangles of the undulating surface, also on one thread (ComputeClosestPoints(queries, nthreads = 1)).
//   build/release/closest_point_benchmark
// items_per_second is points per second. Clouds lie on the patch with Gaussian noise of 1 mm per axis;
// "outliers" lie 20 mm from the surface along z, on either side.

#include <benchmark/benchmark.h>
#include <open3d/core/Tensor.h>
#include <open3d/t/geometry/RaycastingScene.h>

#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

constexpr std::size_t kPoints = 200'000;

std::vector<Vec3> cloud(const Surface& surface, double noise_m, double outlier_m) {
  std::vector<Vec3> points(kPoints);
  surface.sample_positions(1, 0, points);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const auto [a, b] = normal_pair({1, RandomStream::point_noise}, i, 0);
    const auto [c, d] = normal_pair({1, RandomStream::point_noise}, i, 1);
    points[i] += Vec3(a, b, c) * noise_m;
    points[i].z() += d > 0 ? outlier_m : -outlier_m;
  }
  return points;
}

void closest_points(benchmark::State& state, const char* scene, double noise_m, double outlier_m) {
  const auto surface = make_scene(scene, {}).truth.surface;
  const std::vector<Vec3> points = cloud(*surface, noise_m, outlier_m);
  std::vector<ClosestPoint> out(points.size());
  for (auto _ : state) {
    surface->closest_points(points, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * points.size()));
}

void signed_distances(benchmark::State& state, const char* scene, double noise_m, double outlier_m) {
  const auto surface = make_scene(scene, {}).truth.surface;
  const std::vector<Vec3> points = cloud(*surface, noise_m, outlier_m);
  std::vector<double> out(points.size());
  for (auto _ : state) {
    surface->signed_distances(points, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * points.size()));
}

// The peer: its own float tensors, made before the clock starts.
void open3d_closest_points(benchmark::State& state, double noise_m, double outlier_m) {
  const auto surface = make_scene("undulating", {}).truth.surface;
  const TriangleMesh mesh = surface->mesh(0.001);  // 500 x 300 cells: 300 000 triangles
  using open3d::core::Tensor;
  Tensor vertices({static_cast<std::int64_t>(mesh.vertices_m.size()), 3}, open3d::core::Float32);
  Tensor triangles({static_cast<std::int64_t>(mesh.triangles.size()), 3}, open3d::core::UInt32);
  Tensor queries({static_cast<std::int64_t>(kPoints), 3}, open3d::core::Float32);
  const auto fill = [](const std::vector<Vec3>& from, float* to) {
    for (const Vec3& p : from)
      for (int axis = 0; axis < 3; ++axis) *to++ = static_cast<float>(p[axis]);
  };
  fill(mesh.vertices_m, vertices.GetDataPtr<float>());
  fill(cloud(*surface, noise_m, outlier_m), queries.GetDataPtr<float>());
  auto* index = triangles.GetDataPtr<std::uint32_t>();
  for (const auto& triangle : mesh.triangles) index = std::copy(triangle.begin(), triangle.end(), index);
  open3d::t::geometry::RaycastingScene scene(1);
  scene.AddTriangles(vertices, triangles);
  for (auto _ : state) benchmark::DoNotOptimize(scene.ComputeClosestPoints(queries, 1));
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kPoints));
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
}

void stratified_samples(benchmark::State& state, const char* scene) {
  set_thread_count(1);
  const auto surface = make_scene(scene, {}).truth.surface;
  std::size_t samples = 0;
  for (auto _ : state) samples = surface->stratified_samples(0.002 / 3, 1).positions_m.size();
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * samples));
}

void sample_positions(benchmark::State& state, const char* scene) {
  const auto surface = make_scene(scene, {}).truth.surface;
  std::vector<Vec3> out(kPoints);
  for (auto _ : state) {
    surface->sample_positions(1, 0, out);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kPoints));
}

constexpr double kNoise = 0.001, kFar = 0.020;

BENCHMARK_CAPTURE(closest_points, flat_plane, "flat_plane", kNoise, 0);
BENCHMARK_CAPTURE(closest_points, undulating, "undulating", kNoise, 0);
BENCHMARK_CAPTURE(open3d_closest_points, undulating_mesh_300k, kNoise, 0);
BENCHMARK_CAPTURE(closest_points, undulating_outliers, "undulating", kNoise, kFar);
BENCHMARK_CAPTURE(open3d_closest_points, undulating_mesh_300k_outliers, kNoise, kFar);
BENCHMARK_CAPTURE(closest_points, tilted_plane, "tilted_plane", kNoise, 0);
BENCHMARK_CAPTURE(closest_points, step, "step", kNoise, 0);
BENCHMARK_CAPTURE(closest_points, step_outliers, "step", kNoise, kFar);
BENCHMARK_CAPTURE(closest_points, mound, "mound", kNoise, 0);
BENCHMARK_CAPTURE(closest_points, mound_outliers, "mound", kNoise, kFar);
BENCHMARK_CAPTURE(closest_points, ripple_field, "ripple_field", kNoise, 0);
BENCHMARK_CAPTURE(closest_points, ripple_field_outliers, "ripple_field", kNoise, kFar);
BENCHMARK_CAPTURE(signed_distances, flat_plane, "flat_plane", kNoise, 0);
BENCHMARK_CAPTURE(signed_distances, undulating, "undulating", kNoise, 0);
BENCHMARK_CAPTURE(signed_distances, undulating_outliers, "undulating", kNoise, kFar);
BENCHMARK_CAPTURE(signed_distances, ripple_field, "ripple_field", kNoise, 0);
BENCHMARK_CAPTURE(sample_positions, flat_plane, "flat_plane");
BENCHMARK_CAPTURE(sample_positions, undulating, "undulating");
BENCHMARK_CAPTURE(sample_positions, ripple_field, "ripple_field");
BENCHMARK_CAPTURE(stratified_samples, flat_plane, "flat_plane")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stratified_samples, undulating, "undulating")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(stratified_samples, ripple_field, "ripple_field")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aqbench

BENCHMARK_MAIN();
