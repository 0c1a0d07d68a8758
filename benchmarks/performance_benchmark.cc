// Each stage of a reconstruction and of a score on one thread, beside the limits of the machine and beside
// its peer: the record of docs/performance.md.
//   make performance
// Counters: ours_s and peer_s, seconds of processor time of one repetition; flops and bytes, what ours has to
// do at least; of the limits flops_per_s and bytes_per_s.

#include <benchmark/benchmark.h>
#include <omp.h>

#include <fstream>
#include <string>

#include "benchmarks/machine_limits.h"
#include "benchmarks/performance/pair.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

void add_limit(const char* name, const char* counter, double (*measure)(), int threads) {
  benchmark::RegisterBenchmark(name,
                               [=](benchmark::State& state) {
                                 set_thread_count(threads);
                                 double rate = 0;
                                 for ([[maybe_unused]] auto iteration : state) rate = measure();
                                 state.counters[counter] = rate;
                                 set_thread_count(1);
                               })
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

// "model name" of /proc/cpuinfo.
std::string processor() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return "unknown";
}

}  // namespace
}  // namespace aqbench

int main(int argc, char** argv) {
  using namespace aqbench;
  omp_set_num_threads(1);
  set_thread_count(1);
  benchmark::AddCustomContext("cpu", processor());
  add_limit("limit_fma", "flops_per_s", peak_flops, 1);
  add_limit("limit_memory", "bytes_per_s", triad_bytes_per_s, 1);
  add_limit("limit_fma_all_threads", "flops_per_s", peak_flops, available_processors());
  add_limit("limit_memory_all_threads", "bytes_per_s", triad_bytes_per_s, available_processors());
  add_depth_pairs();
  add_cloud_pairs();
  add_file_pairs();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::ClearRegisteredBenchmarks();  // Open3D refuses to free its tensors after main()
  return ran > 0 ? 0 : 1;
}
