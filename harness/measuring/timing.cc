#include "harness/measuring/timing.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "harness/measuring/environment.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

// Processor time since boot on this process's processors, seconds.
struct ProcessorTimes {
  double busy_s = 0;   // by any program, excluding time stolen by the hypervisor
  double steal_s = 0;  // stolen by the hypervisor
};

// Reads these times; nullopt if the system does not report them.
std::optional<ProcessorTimes> processor_times() {
  static const std::vector<int> processors = affinity_processors();
  static const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  std::ifstream file("/proc/stat");
  std::string line;
  ProcessorTimes times;
  bool found = false;
  while (std::getline(file, line) && line.starts_with("cpu")) {
    if (line.size() < 4 || line[3] < '0' || line[3] > '9') continue;  // the sum over all
    std::istringstream fields(line.substr(3));
    int number = -1;
    double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(fields >> number >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) continue;
    if (std::ranges::find(processors, number) == processors.end()) continue;
    times.busy_s += (user + nice + system + irq + softirq) * tick_s;
    times.steal_s += steal * tick_s;
    found = true;
  }
  return found ? std::optional(times) : std::nullopt;
}

double processor_time_s(int of) {
  rusage usage{};
  ::getrusage(of, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns the processor time of the programs it has waited for, seconds.
double children_processor_time_s() { return processor_time_s(RUSAGE_CHILDREN); }

// Returns the processor time of this process, its threads, and the programs it has waited for, in seconds.
double own_processor_time_s() { return processor_time_s(RUSAGE_SELF) + children_processor_time_s(); }

// Observations since a watch began. nullopt: not reported by the system.
struct MachineLook {
  std::optional<double> others_cpus;  // processors used by other programs, on average
  std::optional<double> steal_cpus;   // processors stolen by the hypervisor, on average
  double seconds = 0;                 // time since the watch began
};

// Watches other programs from its construction on.
class MachineWatch {
 public:
  // Returns the observations so far.
  MachineLook look() const {
    MachineLook look;
    look.seconds = seconds_since(start_);
    const auto now = processor_times();
    if (!now || !times_ || look.seconds <= 0) return look;
    const double own_s = own_processor_time_s() - own_s_;
    look.others_cpus = std::max(0.0, (now->busy_s - times_->busy_s - own_s) / look.seconds);
    look.steal_cpus = std::max(0.0, (now->steal_s - times_->steal_s) / look.seconds);
    return look;
  }

 private:
  SteadyClock::time_point start_ = SteadyClock::now();
  std::optional<ProcessorTimes> times_ = processor_times();
  double own_s_ = own_processor_time_s();
};

// Returns whether other programs disturbed work that keeps `threads` of `processors` busy: they used more
// than half of the remaining processors and more than a tenth of one, or the hypervisor stole more than 2 %
// of one.
bool is_contaminated(const MachineLook& look, int threads, int processors) {
  const double left = std::max(0, processors - threads);
  return look.others_cpus.value_or(0) > 0.1 + 0.5 * left || look.steal_cpus.value_or(0) > 0.02;
}

// Returns the clock rate reported by the kernel; nullopt in most virtual machines.
std::optional<double> current_cpu_mhz() {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  double khz = 0;
  if (file >> khz && khz > 0) return khz / 1000;
  return std::nullopt;
}

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
    throw method_error("timing: only {} of {} repetitions have a time", samples.real_ms.size(), count);
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
    if (const auto load = load_average()) block.load_1m = load->front();
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
                         : counted(timing.warm_ms.size(), "sample") +
                               (timing.warm_ms.size() == 1 ? " is" : " are") + " too few for an interval");
}

std::optional<double> typical_ms(const Timing& timing) {
  if (timing.warm_ms.empty()) return timing.cold_ms;
  return summarize(timing.warm_ms).median;
}

}  // namespace aqbench
