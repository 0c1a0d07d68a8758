#include "harness/measuring/roofline.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <thread>

#include "core/multiversion.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

constexpr int kChains = 12;  // independent, so that latency is hidden
constexpr int kLanes = 16;
constexpr int kSteps = 20000;
constexpr int kRounds = 8;
constexpr std::size_t kTriadElements = std::size_t{1} << 22;  // 3 x 16 MiB a thread: beyond the caches

typedef float RoofLanes __attribute__((vector_size(4 * kLanes)));

AQBENCH_MULTIVERSION
float multiply_add_chains(float start) {
  RoofLanes chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = RoofLanes{} + (start + static_cast<float>(i));
  const RoofLanes factor = RoofLanes{} + 0.999F, term = RoofLanes{} + 0.001F;
  for (int step = 0; step < kSteps; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) chains[i] = chains[i] * factor + term;
  }
  RoofLanes sum = {};
  for (const RoofLanes& chain : chains) sum += chain;
  float total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
  return total;
}

AQBENCH_MULTIVERSION
void triad(const float* a, const float* b, float* c, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + 0.5F * b[i];
}

// The shortest of several rounds in which all threads do `body`.
double shortest_s(int threads, const std::function<void(int thread)>& body) {
  double best = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = SteadyClock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&body, i] { body(i); });
    body(0);
    for (std::thread& other : others) other.join();
    best = std::min(best, seconds_since(start));
  }
  return best;
}

}  // namespace

Roofline measure_roofline(int threads) {
  std::vector<float> sink(static_cast<std::size_t>(threads));
  const double arithmetic_s = shortest_s(threads, [&](int thread) {
    for (int i = 0; i < 8; ++i)
      sink[static_cast<std::size_t>(thread)] += multiply_add_chains(static_cast<float>(thread + i));
  });
  const std::size_t share = kTriadElements / static_cast<std::size_t>(threads);
  const std::size_t count = share * static_cast<std::size_t>(threads);
  std::vector<float> a(count, sink[0] > 0 ? 1.0F : 2.0F), b(count, 3.0F), c(count, 0.0F);
  const double triad_s = shortest_s(threads, [&](int thread) {
    const std::size_t first = share * static_cast<std::size_t>(thread);
    triad(a.data() + first, b.data() + first, c.data() + first, share);
  });
  Roofline roofline;
  roofline.flops_per_s = 8.0 * kSteps * kChains * kLanes * 2 * threads / arithmetic_s;
  roofline.bytes_per_s = static_cast<double>(3 * count * sizeof(float)) / triad_s;
  return roofline;
}

void add_roofline(const Roofline& roofline, double flops, double bytes, bool single_precision, double time_ms,
                  Figures& figures) {
  const double seconds = 1e-3 * time_ms;
  const double peak_flops_per_s = roofline.flops_per_s * (single_precision ? 1 : 0.5);
  figures.emplace_back("gflop", 1e-9 * flops);
  figures.emplace_back("gb", 1e-9 * bytes);
  figures.emplace_back("peak_gflops", 1e-9 * peak_flops_per_s);
  figures.emplace_back("peak_gb_per_s", 1e-9 * roofline.bytes_per_s);
  figures.emplace_back("gflops", 1e-9 * flops / seconds);
  // The least time that the work needs: arithmetic or memory, whichever is slower.
  const double least_s = std::max(flops / peak_flops_per_s, bytes / roofline.bytes_per_s);
  figures.emplace_back("roofline_share", least_s / seconds);
}

}  // namespace aqbench
