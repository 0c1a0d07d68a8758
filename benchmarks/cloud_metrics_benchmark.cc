// The full set of cloud metrics, on one thread, beside Open3D's nearest-neighbour distances both ways on the
// same data; how time grows from 1 M to 10 M points; and by how much scoring 10 M points grows the process.
//   build/release/cloud_metrics_benchmark
// Counters: open3d_ratio = Open3D's time / ours (medians; at least 3 is asked for), time_ratio = t(10 M) /
// t(1 M) (at most 12), memory_ratio = growth of resident memory / the points as doubles (at most 3).

#include <benchmark/benchmark.h>
#include <malloc.h>
#include <omp.h>
#include <open3d/geometry/PointCloud.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "metrics/completeness.h"
#include "metrics/score.h"
#include "metrics/scored_points.h"
#include "scenes/surfaces/shapes.h"

namespace {

using namespace aqbench;

// A surface and area-uniform points on it with noise of 1 mm on three axes, like roma_like.
struct NoisyCloud {
  std::shared_ptr<const Surface> surface;
  Reconstruction reconstruction;
};

NoisyCloud noisy_cloud(const std::string& surface, std::int64_t count, int threads = 1) {
  set_thread_count(threads);
  NoisyCloud cloud{surface == "undulating" ? make_undulating({}, {}) : make_plane({}, {}), {}};
  std::vector<Vec3>& points_m = cloud.reconstruction.cloud.points_m;
  points_m.resize(static_cast<std::size_t>(count));
  cloud.surface->sample_positions(1, 0, points_m);
  parallel_for(points_m.size(), 1 << 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const RandomKey key{1, RandomStream::point_noise};
      const auto [nx, ny] = normal_pair(key, i);
      points_m[i] += 0.001 * Vec3(nx, ny, normal_pair(key, i, 1)[0]);
    }
  });
  return cloud;
}

struct Seconds {
  double wall, cpu;  // cpu: of this process; fairer on a busy machine
};

template <class Work>
Seconds seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  work();
  const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu};
}

double median_of(const std::vector<Seconds>& samples, double Seconds::*which) {
  std::vector<double> values;
  for (const Seconds& sample : samples) values.push_back(sample.*which);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double ratio_of(const std::vector<Seconds>& above, const std::vector<Seconds>& below,
                double Seconds::*which) {
  return median_of(above, which) / median_of(below, which);
}

Seconds score(const NoisyCloud& noisy) {
  return seconds(
      [&] { benchmark::DoNotOptimize(score_reconstruction(noisy.reconstruction, *noisy.surface, {})); });
}

// Alternates ours and Open3D, so that a slow moment of the machine affects both.
void beside_open3d(benchmark::State& state, const std::string& surface_name) {
  const NoisyCloud noisy = noisy_cloud(surface_name, state.range(0));
  omp_set_num_threads(1);
  open3d::geometry::PointCloud cloud(noisy.reconstruction.cloud.points_m);
  open3d::geometry::PointCloud samples(
      noisy.surface->stratified_samples(ScoreOptions{}.sample_spacing_m, 1).positions_m);
  std::vector<Seconds> ours, open3d;
  for ([[maybe_unused]] auto iteration : state) {
    ours.push_back(score(noisy));
    open3d.push_back(seconds([&] {
      benchmark::DoNotOptimize(cloud.ComputePointCloudDistance(samples));
      benchmark::DoNotOptimize(samples.ComputePointCloudDistance(cloud));
    }));
    state.SetIterationTime(ours.back().wall);
  }
  state.counters["open3d_ms"] = 1000 * median_of(open3d, &Seconds::wall);
  state.counters["open3d_ratio"] = ratio_of(open3d, ours, &Seconds::wall);
  state.counters["cpu_ms"] = 1000 * median_of(ours, &Seconds::cpu);
  state.counters["open3d_cpu_ratio"] = ratio_of(open3d, ours, &Seconds::cpu);
  state.counters["samples"] = static_cast<double>(samples.points_.size());
}

// The parts of the full set, timed separately.
void accuracy(benchmark::State& state, const std::string& surface_name) {
  const NoisyCloud noisy = noisy_cloud(surface_name, state.range(0));
  for ([[maybe_unused]] auto iteration : state) {
    const ScoredPoints scored = score_points(noisy.reconstruction.cloud.points_m, *noisy.surface);
    benchmark::DoNotOptimize(summarize_errors(scored.signed_error_m));
  }
}

void completeness(benchmark::State& state, const std::string& surface_name) {
  const NoisyCloud noisy = noisy_cloud(surface_name, state.range(0));
  for ([[maybe_unused]] auto iteration : state)
    benchmark::DoNotOptimize(measure_completeness(SpanBlocks(noisy.reconstruction.cloud.points_m),
                                                  noisy.reconstruction.cloud.points_m.size(), *noisy.surface,
                                                  ScoreOptions{}.sample_spacing_m, 1));
}

void scaling(benchmark::State& state, const std::string& surface_name) {
  const NoisyCloud one = noisy_cloud(surface_name, 1000000), ten = noisy_cloud(surface_name, 10000000);
  std::vector<Seconds> ones, tens;
  for ([[maybe_unused]] auto iteration : state) {
    ones.push_back(score(one));
    tens.push_back(score(ten));
    state.SetIterationTime(tens.back().wall);
  }
  state.counters["time_ratio"] = ratio_of(tens, ones, &Seconds::wall);
  state.counters["cpu_time_ratio"] = ratio_of(tens, ones, &Seconds::cpu);
}

// A line of /proc/self/status in bytes.
double status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return 1024 * std::stod(line.substr(field.size() + 1));
  return 0;
}

void memory(benchmark::State& state, const std::string& surface_name) {
  const NoisyCloud noisy = noisy_cloud(surface_name, state.range(0), available_processors());
  double growth_bytes = 0;
  for ([[maybe_unused]] auto iteration : state) {
    malloc_trim(0);                               // memory freed by earlier benchmarks must not hide growth
    std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak to the current resident size
    const double before_bytes = status_bytes("VmRSS");
    benchmark::DoNotOptimize(score_reconstruction(noisy.reconstruction, *noisy.surface, {}));
    growth_bytes = std::max(growth_bytes, status_bytes("VmHWM") - before_bytes);
  }
  state.counters["growth_MB"] = growth_bytes / 1e6;
  state.counters["memory_ratio"] = growth_bytes / (24.0 * static_cast<double>(state.range(0)));
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string name : {"flat_plane", "undulating"}) {
    const auto add = [&](const char* what, auto function) {
      return benchmark::RegisterBenchmark((std::string(what) + "/" + name).c_str(), function, name)
          ->Unit(benchmark::kMillisecond);
    };
    add("cloud_set_beside_open3d", beside_open3d)->Arg(1000000)->Iterations(3)->UseManualTime();
    add("accuracy", accuracy)->Arg(1000000);
    add("completeness", completeness)->Arg(1000000);
    add("scaling", scaling)->Iterations(3)->UseManualTime();
    add("memory", memory)->Arg(10000000)->Iterations(1);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
