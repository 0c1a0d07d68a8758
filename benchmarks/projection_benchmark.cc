// Projection through the water surface: exact scalar, batched float and double, and the table for whole
// images, one thread each, beside the machine's own FMA rate measured in the same run.
//
// Counters: projections (or rays) per second; GFLOP/s counts an FMA as 2 and a division or square root as 1;
// share_of_peak is that over the FMA rate found at start-up.
//
//   build/release/projection_benchmark --benchmark_min_time=0.5

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "benchmarks/machine_limits.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/optics/projection_table.h"
#include "scenes/optics/refraction_batch.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

double measured_peak() {
  set_thread_count(1);
  static const double peak = peak_flops();
  return peak;
}

void report(benchmark::State& state, const char* what, double count, double flops_each) {
  state.counters[what] = benchmark::Counter(count, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["GFLOP/s"] =
      benchmark::Counter(count * flops_each * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["share_of_peak"] =
      benchmark::Counter(count * flops_each / measured_peak(), benchmark::Counter::kIsIterationInvariantRate);
}

const std::vector<RefractiveCamera>& ring() {
  static const std::vector<RefractiveCamera> cameras = [] {
    std::vector<RefractiveCamera> out;
    const Rig rig = make_rig("ring12", {}, 0);
    for (const Camera& camera : rig.cameras) out.push_back(refractive_camera(camera));
    return out;
  }();
  return cameras;
}

// Random points of the scored patch, 4096 of them: they stay in the first-level cache.
struct Points {
  std::vector<float> x, y, z;
};

Points patch_points() {
  Points points;
  for (std::uint64_t i = 0; i < 4096; ++i) {
    const auto [a, b] = uniform01_pair({1, RandomStream::surface_position}, i);
    points.x.push_back(static_cast<float>(0.5 * a - 0.25));
    points.y.push_back(static_cast<float>(0.3 * b - 0.15));
    points.z.push_back(static_cast<float>(1.0 + 0.3 * uniform01({2, RandomStream::surface_position}, i)));
  }
  return points;
}

void project_exact(benchmark::State& state) {
  const Points points = patch_points();
  for ([[maybe_unused]] auto iteration : state)
    for (std::size_t i = 0; i < points.x.size(); ++i)
      benchmark::DoNotOptimize(project(ring()[0], Vec3(points.x[i], points.y[i], points.z[i])));
  report(state, "projections/s", static_cast<double>(points.x.size()), 90);  // 3 Newton steps
}
BENCHMARK(project_exact);

void project_batch(benchmark::State& state) {
  const Points points = patch_points();
  std::vector<float> u(points.x.size()), v(points.x.size());
  for ([[maybe_unused]] auto iteration : state) {
    project_points(ring()[0], {points.x, points.y, points.z}, {u, v, {}});
    benchmark::ClobberMemory();
  }
  report(state, "projections/s", static_cast<double>(points.x.size()), 4 * 14 + 40);
}
BENCHMARK(project_batch);

void cast_exact(benchmark::State& state) {
  for ([[maybe_unused]] auto iteration : state)
    for (int column = 0; column < 1600; ++column)
      benchmark::DoNotOptimize(cast_ray(ring()[0], Vec2(column, 600)));
  report(state, "rays/s", 1600, 45);
}
BENCHMARK(cast_exact);

void cast_batch(benchmark::State& state) {
  std::vector<float> columns(1600), rows(1600, 600), ox(1600), oy(1600), oz(1600), dx(1600), dy(1600),
      dz(1600);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<float>(i);
  for ([[maybe_unused]] auto iteration : state) {
    cast_rays(ring()[0], columns, rows, {ox, oy, oz, dx, dy, dz});
    benchmark::ClobberMemory();
  }
  report(state, "rays/s", 1600, 35);
}
BENCHMARK(cast_batch);

void project_double_batch(benchmark::State& state) {
  const Points points = patch_points();
  PointBatch batch;
  batch.x_m.assign(points.x.begin(), points.x.end());
  batch.y_m.assign(points.y.begin(), points.y.end());
  batch.z_m.assign(points.z.begin(), points.z.end());
  batch.resize(points.x.size());
  for ([[maybe_unused]] auto iteration : state) {
    project_points(ring()[0], batch);
    benchmark::ClobberMemory();
  }
  report(state, "projections/s", static_cast<double>(points.x.size()), 4 * 14 + 40);
}
BENCHMARK(project_double_batch);

std::vector<float> depths_from_5_to_50_cm(std::int64_t count) {
  std::vector<float> depths_m;
  for (std::int64_t k = 0; k < count; ++k)
    depths_m.push_back(0.05F + 0.45F * static_cast<float>(k) / static_cast<float>(count - 1));
  return depths_m;
}

// The table of a whole 1600 x 1200 image against one source. Argument: depths. What it saves is shown by
// exact_image, one depth of the same image.
void table_image(benchmark::State& state) {
  const std::vector<float> depths_m = depths_from_5_to_50_cm(state.range(0));
  set_thread_count(1);
  ProjectionTable table;
  for ([[maybe_unused]] auto iteration : state) {
    table = make_projection_table(ring()[0], ring()[1], depths_m);
    benchmark::DoNotOptimize(table.u.data());
  }
  state.counters["nodes"] = table.nodes;
  state.counters["error_px"] = table.error_px;
}
BENCHMARK(table_image)->ArgName("depths")->Arg(64)->Arg(128)->Arg(256)->Unit(benchmark::kMillisecond);

void exact_image(benchmark::State& state) {
  std::vector<float> u(std::size_t{1600} * 1200), v(u.size());
  set_thread_count(1);
  for ([[maybe_unused]] auto iteration : state) {
    exact_positions(ring()[0], ring()[1], 0.2F, u, v);
    benchmark::ClobberMemory();
  }
  report(state, "projections/s", static_cast<double>(u.size()), 4 * 14 + 40 + 45);
}
BENCHMARK(exact_image)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace aqbench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  std::fprintf(stderr, "FMA peak, one thread: %.1f GFLOP/s\n", aqbench::measured_peak() * 1e-9);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
