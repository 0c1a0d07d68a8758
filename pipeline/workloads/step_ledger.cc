#include "pipeline/workloads/step_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace aqbench {
namespace {

constexpr std::array<const char*, kSteps> kStepNames = {"load",   "decode",  "stack",  "copy",
                                                        "sample", "convert", "encode", "write"};
constexpr double kBoundShare = 0.5;

double sum_of(const std::array<double, kSteps>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

double at(const std::array<double, kSteps>& seconds, Step step) {
  return seconds[static_cast<std::size_t>(step)];
}

std::string verdict_of(const Attribution& times) {
  const double io_share = 1 - times.io_free_s / times.wall_s;
  std::array<double, kSteps> seconds = times.main_s;
  // Work of other threads delays the main thread only while it waits for a frame.
  const double ahead_s = sum_of(times.ahead_s);
  for (std::size_t i = 0; i < kSteps && ahead_s > 0; ++i)
    seconds[i] += times.queue_wait_s * times.ahead_s[i] / ahead_s;
  const auto largest = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
  const bool io_is_largest =
      largest == static_cast<std::size_t>(Step::load) || largest == static_cast<std::size_t>(Step::write);
  if (io_share >= kBoundShare || io_is_largest)
    return fmt::format("I/O-bound: {:.0f} % of the time goes to reading and writing", 100 * io_share);
  return fmt::format("{}-bound: {:.0f} % of the time; reading and writing {:.0f} %", kStepNames[largest],
                     100 * seconds[largest] / times.wall_s, 100 * io_share);
}

}  // namespace

const char* to_string(Step step) { return kStepNames[static_cast<std::size_t>(step)]; }

std::vector<std::string> step_names() { return {kStepNames.begin(), kStepNames.end()}; }

void StepLedger::add(Step step, double seconds) {
  const std::lock_guard lock(mutex_);
  auto& times = std::this_thread::get_id() == main_ ? times_.main_s : times_.ahead_s;
  times[static_cast<std::size_t>(step)] += seconds;
}

Attribution StepLedger::finish() {
  const std::lock_guard lock(mutex_);
  Attribution times = times_;
  times.wall_s = std::max(seconds_since(start_), 1e-9);
  const double main_s = sum_of(times.main_s), ahead_s = sum_of(times.ahead_s);
  times.unattributed_s = std::max(0.0, times.wall_s - main_s - times.queue_wait_s);
  times.overlap_s = std::clamp(ahead_s - times.queue_wait_s, 0.0, main_s);
  // A wait for a frame counts as reading and decoding, in proportion.
  const double load_share = ahead_s > 0 ? at(times.ahead_s, Step::load) / ahead_s : 0;
  times.io_free_s = times.wall_s - at(times.main_s, Step::load) - at(times.main_s, Step::write) -
                    load_share * times.queue_wait_s;
  times.verdict = verdict_of(times);
  return times;
}

std::vector<WorkloadFigure> figures_of(const Attribution& times) {
  std::vector<WorkloadFigure> figures;
  for (std::size_t i = 0; i < kSteps; ++i) {
    figures.push_back({fmt::format("{}_ms", kStepNames[i]), 1e3 * (times.main_s[i] + times.ahead_s[i])});
    if (times.ahead_s[i] > 0)
      figures.push_back({fmt::format("{}_ahead_ms", kStepNames[i]), 1e3 * times.ahead_s[i]});
  }
  figures.push_back({"wall_ms", 1e3 * times.wall_s});
  figures.push_back({"queue_wait_ms", 1e3 * times.queue_wait_s});
  figures.push_back({"overlap_ms", 1e3 * times.overlap_s});
  figures.push_back({"unattributed_ms", 1e3 * times.unattributed_s});
  figures.push_back({"unattributed_share", times.unattributed_s / times.wall_s});
  figures.push_back({"io_free_ms", 1e3 * times.io_free_s});
  return figures;
}

}  // namespace aqbench
