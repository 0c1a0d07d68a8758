#include "benchmarks/machine_limits.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <numeric>
#include <vector>

#include "core/multiversion.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

using Float16 = float __attribute__((vector_size(64)));
using Float8 = float __attribute__((vector_size(32)));

constexpr std::size_t kRounds = 4'000'000;
constexpr int kChains = 12;

// `chains` independent multiply-adds hide the latency; enough of them for two units, few enough for the
// registers.
template <class Vector, int chains>
AQBENCH_INLINE float fma_chains(std::size_t rounds, float a, float b) {
  Vector sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = Vector{} + static_cast<float>(i);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < chains; ++i) sums[i] = sums[i] * a + b;
  }
  Vector total{};
  for (int i = 0; i < chains; ++i) total += sums[i];
  return total[0];
}

AQBENCH_MULTIVERSION
float fma_wide(std::size_t rounds, float a, float b) { return fma_chains<Float16, kChains>(rounds, a, b); }

AQBENCH_MULTIVERSION
float fma_narrow(std::size_t rounds, float a, float b) { return fma_chains<Float8, kChains>(rounds, a, b); }

AQBENCH_MULTIVERSION
void triad(double* __restrict a, const double* __restrict b, const double* __restrict c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0 * c[i];
}

struct TriadArrays {
  static constexpr std::size_t kCount = std::size_t{1} << 26;
  std::vector<double> a = std::vector<double>(kCount), b = std::vector<double>(kCount, 1),
                      c = std::vector<double>(kCount, 2);

  void move(std::size_t begin, std::size_t end) { triad(&a[begin], &b[begin], &c[begin], end - begin); }
};

TriadArrays& triad_arrays() {
  static TriadArrays arrays;
  return arrays;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Returns the best of several runs of all threads at once: the sum of their rates, each of `work` a second of
// the thread's own processor time.
double best_of_all_threads(double work, const std::function<void(std::size_t thread)>& run) {
  const auto threads = static_cast<std::size_t>(thread_count());
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    std::vector<double> rates(threads);
    parallel_for(threads, 1, [&](std::size_t thread, std::size_t) {
      const double begin_s = thread_seconds();
      run(thread);
      rates[thread] = work / (thread_seconds() - begin_s);
    });
    best = std::max(best, std::accumulate(rates.begin(), rates.end(), 0.0));
  }
  return best;
}

}  // namespace

double peak_flops() {
  const auto best = [](auto kernel, double flops_per_round) {
    return best_of_all_threads(flops_per_round * kRounds, [&](std::size_t) {
      benchmark::DoNotOptimize(kernel(kRounds, 0.999f, 1e-3f));
    });
  };
  return std::max(best(fma_wide, kChains * 16 * 2), best(fma_narrow, kChains * 8 * 2));
}

double triad_bytes_per_s() {
  TriadArrays& arrays = triad_arrays();
  const auto threads = static_cast<std::size_t>(thread_count());
  const std::size_t part = TriadArrays::kCount / threads;
  return best_of_all_threads(24.0 * static_cast<double>(part), [&](std::size_t thread) {
    arrays.move(thread * part, (thread + 1) * part);
    benchmark::ClobberMemory();
  });
}

}  // namespace aqbench
