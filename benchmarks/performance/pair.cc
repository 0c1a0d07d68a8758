#include "benchmarks/performance/pair.h"

#include <benchmark/benchmark.h>

#include <ctime>
#include <memory>
#include <optional>
#include <stdexcept>

#include "core/random.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

// Processor time of the process in seconds: less than wall time under the influence of other programs.
double seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct LazyPair {
  std::function<Pair()> make;
  std::optional<Pair> pair;
  std::uint64_t runs = 0;

  // Makes the input, runs each side once (which also warms it up) and compares them.
  void prepare() {
    if (pair) return;
    pair = make();
    pair->ours();
    if (pair->peer) pair->peer();
    if (pair->check) pair->check();
  }
};

void run_pair(benchmark::State& state, LazyPair& lazy) {
  lazy.prepare();
  const Pair& pair = *lazy.pair;
  double ours_s = 0, peer_s = 0;
  for ([[maybe_unused]] auto iteration : state) {
    const bool ours_first = uniform01({1, RandomStream::pair_order}, lazy.runs++) < 0.5;
    if (!ours_first && pair.peer) peer_s = seconds(pair.peer);
    const auto start = SteadyClock::now();
    ours_s = seconds(pair.ours);
    state.SetIterationTime(seconds_since(start));
    if (ours_first && pair.peer) peer_s = seconds(pair.peer);
  }
  state.counters["ours_s"] = ours_s;
  if (pair.peer) state.counters["peer_s"] = peer_s;
  if (pair.flops > 0) state.counters["flops"] = pair.flops;
  if (pair.bytes > 0) state.counters["bytes"] = pair.bytes;
}

}  // namespace

void add_pair(const PairText& text, const std::function<Pair()>& make) {
  benchmark::AddCustomContext(text.name, text.input + " | " + text.peer + " | " + text.unequal);
  const auto lazy = std::make_shared<LazyPair>(LazyPair{make, {}, 0});
  benchmark::RegisterBenchmark(text.name.c_str(), [lazy](benchmark::State& state) { run_pair(state, *lazy); })
      ->Iterations(1)
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

void require(bool holds, const char* message) {
  if (!holds) throw std::logic_error(message);
}

}  // namespace aqbench
