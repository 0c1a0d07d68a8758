#include "harness/measuring/timing.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "harness/measuring/environment.h"
#include "harness/measuring/machine_watch.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

constexpr double kBlock_s = 0.25;     // a block is judged as a whole, so it should be short
constexpr double kLeastLook_s = 0.1;  // /proc/stat counts in hundredths of a second
constexpr auto kFirstLook = std::chrono::milliseconds(100);
constexpr double kTooManyContaminated = 0.5;

// Stores the times of each repetition and prints nothing.
class SampleKeeper final : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      real_ms.push_back(run.GetAdjustedRealTime());
      cpu_ms.push_back(run.GetAdjustedCPUTime());
    }
  }
  std::vector<double> real_ms, cpu_ms;
};

// Runs one repetition: a single iteration with manual time, then the untimed check of its output.
void repeat_once(benchmark::State& state, const TimedCall& call, const std::string& expected_sha256,
                 std::vector<double>& children_ms) {
  const double children_s = children_processor_time_s();
  for (auto _ : state) {
    const auto start = SteadyClock::now();
    call.run();
    state.SetIterationTime(seconds_since(start));
  }
  children_ms.push_back(1e3 * (children_processor_time_s() - children_s));
  if (call.after) call.after();
  if (call.output_sha256() != expected_sha256)
    throw InvalidOutput("a repetition's output differs from the first run's");
}

SampleKeeper run_repetitions(int count, const TimedCall& call, const std::string& expected_sha256) {
  std::exception_ptr failure;
  std::vector<double> children_ms;  // CPU time of ended programs, which the process clock excludes
  benchmark::ClearRegisteredBenchmarks();
  benchmark::RegisterBenchmark("case",
                               [&](benchmark::State& state) {
                                 if (failure) return state.SkipWithError("failed before");
                                 try {
                                   repeat_once(state, call, expected_sha256, children_ms);
                                 } catch (...) {
                                   failure = std::current_exception();
                                   state.SkipWithError("failed");
                                 }
                               })
      ->Iterations(1)
      ->Repetitions(count)
      ->UseManualTime()
      ->MeasureProcessCPUTime()
      ->Unit(benchmark::kMillisecond);
  SampleKeeper samples;
  benchmark::RunSpecifiedBenchmarks(&samples, nullptr, "case");
  benchmark::ClearRegisteredBenchmarks();
  if (failure) std::rethrow_exception(failure);
  if (samples.real_ms.size() != static_cast<std::size_t>(count))
    throw Error(ErrorKind::method,
                fmt::format("timing: only {} of {} repetitions have a time", samples.real_ms.size(), count));
  for (std::size_t i = 0; i < samples.cpu_ms.size(); ++i) samples.cpu_ms[i] += children_ms.at(i);
  return samples;
}

std::optional<double> relative_half_width(const std::vector<double>& samples) {
  const auto interval = summarize(samples, 0.95).median_interval;
  return interval ? interval->relative_half_width : std::nullopt;
}

// Returns why sampling ends here; empty: it continues.
std::string stop_reason(const TimingPlan& plan, const std::vector<double>& samples_ms, double elapsed) {
  const auto count = static_cast<int>(samples_ms.size());
  const double sum_s = 1e-3 * std::accumulate(samples_ms.begin(), samples_ms.end(), 0.0);
  bool enough = count >= plan.repetitions && sum_s >= plan.min_time_s;
  std::string reason = plan.min_time_s > 0 ? "min_time" : "repetitions";
  if (enough && plan.precision > 0) {
    const auto width = relative_half_width(samples_ms);
    enough = width && *width <= plan.precision;
    reason = "precision";
  }
  if (enough) return reason;
  if (count >= plan.max_repetitions) return "max_repetitions";
  if (elapsed >= plan.max_time_s) return "max_time";
  return {};
}

// Returns how many repetitions fit into a block, at most the remaining number.
int next_block_size(const TimingPlan& plan, const std::vector<double>& samples_ms, double guess_ms,
                    double elapsed) {
  double typical = guess_ms;
  if (!samples_ms.empty()) typical = *std::ranges::min_element(samples_ms);
  typical = std::max(typical, 1e-4);
  double count = 1e3 * std::min(kBlock_s, std::max(0.0, plan.max_time_s - elapsed)) / typical;
  const auto done = static_cast<int>(samples_ms.size());
  const int wanted = done < plan.repetitions ? plan.repetitions - done : std::max(8, done / 4);
  count = std::min({count, static_cast<double>(wanted), static_cast<double>(plan.max_repetitions - done)});
  return std::max(1, static_cast<int>(count));
}

}  // namespace

void time_warm_runs(const TimingPlan& plan, const TimedCall& call, const std::string& expected_sha256,
                    int threads, Timing& timing) {
  for (int i = 0; i < plan.warmup; ++i) call.run();
  const int processors = available_processors();
  MachineWatch before;
  std::this_thread::sleep_for(kFirstLook);
  bool busy_before = is_contaminated(before.look(), threads, processors);
  const auto start = SteadyClock::now();
  std::vector<double> samples_ms, cpu_ms;
  std::string stopped;
  while ((stopped = stop_reason(plan, samples_ms, seconds_since(start))).empty()) {
    TimedBlock block;
    block.first = timing.warm_ms.size() + samples_ms.size();
    if (const auto load = load_average()) block.load_1m = load->values[0];
    block.cpu_mhz = current_cpu_mhz();
    const MachineWatch watch;
    const SampleKeeper kept =
        run_repetitions(next_block_size(plan, samples_ms, timing.cold_ms.value_or(1), seconds_since(start)),
                        call, expected_sha256);
    const MachineLook look = watch.look();
    block.count = kept.real_ms.size();
    block.others_cpus = look.others_cpus;
    block.steal_cpus = look.steal_cpus;
    block.contaminated =
        look.seconds >= kLeastLook_s ? is_contaminated(look, threads, processors) : busy_before;
    busy_before = block.contaminated;
    timing.blocks.push_back(block);
    samples_ms.insert(samples_ms.end(), kept.real_ms.begin(), kept.real_ms.end());
    cpu_ms.insert(cpu_ms.end(), kept.cpu_ms.begin(), kept.cpu_ms.end());
  }
  timing.warm_ms.insert(timing.warm_ms.end(), samples_ms.begin(), samples_ms.end());
  timing.cpu_ms.insert(timing.cpu_ms.end(), cpu_ms.begin(), cpu_ms.end());
  timing.stopped = stopped;
  judge_timing(plan, timing);
}

void judge_timing(const TimingPlan& plan, Timing& timing) {
  timing.precision.reset();
  timing.note.clear();
  if (timing.warm_ms.empty()) return;
  timing.precision = relative_half_width(timing.warm_ms);
  std::uint64_t contaminated = 0;
  for (const TimedBlock& block : timing.blocks)
    if (block.contaminated) contaminated += block.count;
  const auto say = [&](const std::string& what) { timing.note += (timing.note.empty() ? "" : "; ") + what; };
  if (static_cast<double>(contaminated) > kTooManyContaminated * static_cast<double>(timing.warm_ms.size()))
    say(fmt::format("noisy: other programs were in the way of {} of {} samples", contaminated,
                    timing.warm_ms.size()));
  if (plan.precision > 0 && !(timing.precision && *timing.precision <= plan.precision))
    say(timing.precision ? fmt::format("the median is known to {:.2g} %, not to the {:.2g} % asked for",
                                       100 * *timing.precision, 100 * plan.precision)
                         : fmt::format("{} samples are too few for an interval", timing.warm_ms.size()));
}

std::optional<double> typical_ms(const Timing& timing) {
  if (timing.warm_ms.empty()) return timing.cold_ms;
  return summarize(timing.warm_ms).median;
}

}  // namespace aqbench
