// Exact nearest points, on one thread, beside nanoflann's k-d tree on the same data in the same run: from
// samples of a plane to a cloud on it, and from the cloud to the samples. Building counts, since a score
// builds once. Open3D beside the whole score: cloud_metrics_benchmark.
//   build/release/nearest_neighbour_benchmark
// Counter: nanoflann_ratio = nanoflann's time / ours, medians of CPU time (at least 1 is asked for).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nanoflann.hpp>
#include <stdexcept>
#include <vector>

#include "core/parallel.h"
#include "core/random.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace {

using namespace aqbench;

struct NanoflannPoints {
  const std::vector<Vec3>& points;
  std::size_t kdtree_get_point_count() const { return points.size(); }
  double kdtree_get_pt(std::size_t i, std::size_t axis) const {
    return points[i][static_cast<Eigen::Index>(axis)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};

using Tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, NanoflannPoints>,
                                                 NanoflannPoints, 3, std::size_t>;

// Points of a plane of 0.5 x 0.3 m with noise of 1 mm, in random order.
std::vector<Vec3> noisy_plane(std::size_t count, std::uint64_t seed) {
  std::vector<Vec3> points;
  const RandomKey key{seed, RandomStream::point_noise};
  for (std::size_t i = 0; i < count; ++i) {
    const auto [x, y] = uniform01_pair(key, i);
    points.emplace_back(0.5 * x, 0.3 * y, 1 + 0.001 * normal_pair(key, i, 1)[0]);
  }
  return points;
}

double cpu_seconds(const auto& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void BM_BesideNanoflann(benchmark::State& state) {
  set_thread_count(1);
  const auto queries = noisy_plane(static_cast<std::size_t>(state.range(0)), 1),
             points = noisy_plane(static_cast<std::size_t>(state.range(1)), 2);
  std::vector<double> ours(queries.size()), theirs(queries.size()), our_s, their_s;
  for ([[maybe_unused]] auto iteration : state) {
    our_s.push_back(cpu_seconds([&] { ours = cloud_to_cloud_distances_m(queries, points); }));
    their_s.push_back(cpu_seconds([&] {
      const NanoflannPoints adaptor{points};
      const Tree tree(3, adaptor, nanoflann::KDTreeSingleIndexAdaptorParams(10));
      for (std::size_t i = 0; i < queries.size(); ++i) {
        std::size_t index = 0;
        double squared = 0;
        tree.knnSearch(queries[i].data(), 1, &index, &squared);
        theirs[i] = std::sqrt(squared);
      }
    }));
    state.SetIterationTime(our_s.back());
  }
  for (std::size_t i = 0; i < ours.size(); ++i)
    if (std::abs(ours[i] - theirs[i]) > 1e-12) throw std::logic_error("the distances differ");
  state.counters["ours_ns_a_query"] = 1e9 * median(our_s) / static_cast<double>(queries.size());
  state.counters["nanoflann_ratio"] = median(their_s) / median(our_s);
}
BENCHMARK(BM_BesideNanoflann)
    ->Args({340000, 1000000})
    ->Args({1000000, 340000})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
