#include "harness/planning/plan_size.h"

#include <algorithm>

#include "core/parameters.h"
#include "harness/planning/plan_basis.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/results.h"

namespace aqbench {
namespace {

// Measured on the bundles of docs/bundles/ (tests/harness/planning/plan_size_test.cc), indented as in
// results.json, and rounded up.
constexpr std::uint64_t kFileBytes = 12500;         // run, metric definitions, and environment
constexpr std::uint64_t kRecordBytes = 1100;        // without names, options, metrics, stages and samples
constexpr std::uint64_t kMetricsBytes = 4400;       // of a cloud without images
constexpr std::uint64_t kImageMetricsBytes = 7600;  // with depth maps and a diagnosis
constexpr std::uint64_t kWorkloadMetricsBytes = 700;
constexpr std::uint64_t kStageBytes = 200;
constexpr std::uint64_t kSampleBytes = 24;   // a number on a line of its own
constexpr std::uint64_t kTimingBytes = 600;  // without samples and blocks
constexpr std::uint64_t kBlockBytes = 300;   // a process of its own, and its cold call
constexpr std::uint64_t kOptionBytes = 32;   // value and indentation

std::size_t declared_stages(const Case& planned, const Catalogue& catalogue) {
  if (!planned.workload.empty()) {
    const auto found = std::ranges::find(catalogue.workloads, planned.workload, &WorkloadSpec::name);
    return found == catalogue.workloads.end() ? 0 : found->stages.size();
  }
  const auto found = std::ranges::find(catalogue.methods, planned.method, &MethodSpec::name);
  return found == catalogue.methods.end() ? 0 : found->stages.size();
}

std::uint64_t timed_repetitions(const TimingPlan& timing) {
  if (!timing.times_warm()) return 1;
  const bool adaptive = timing.min_time_s > 0 || timing.precision > 0;
  const int each = adaptive ? std::max(timing.repetitions, timing.max_repetitions) : timing.repetitions;
  return static_cast<std::uint64_t>(each) * static_cast<std::uint64_t>(std::max(1, timing.blocks));
}

std::uint64_t estimate_record_bytes(const Case& planned, const Catalogue& catalogue) {
  std::uint64_t bytes = kRecordBytes + 2 * planned.name.size();
  for (const NamedValues* values : {&planned.options, &planned.defaults})
    for (const auto& [name, value] : *values) bytes += name.text().size() + kOptionBytes;
  bytes += !planned.workload.empty()                       ? kWorkloadMetricsBytes
           : planned.images || looks_at_recording(planned) ? kImageMetricsBytes
                                                           : kMetricsBytes;
  const std::uint64_t stages = declared_stages(planned, catalogue),
                      samples = timed_repetitions(planned.timing);
  bytes += stages * (kStageBytes + 2 * samples * kSampleBytes);  // wall and self time
  if (planned.timing.times_warm())
    bytes += kTimingBytes + static_cast<std::uint64_t>(std::max(1, planned.timing.blocks)) * kBlockBytes +
             2 * samples * kSampleBytes;  // wall and CPU time
  return bytes;
}

}  // namespace

std::uint64_t estimate_results_bytes(const SweepPlan& plan, const Catalogue& catalogue) {
  std::uint64_t bytes = kFileBytes;
  for (const Case& planned : plan.cases) bytes += estimate_record_bytes(planned, catalogue);
  return bytes;
}

void require_records_fit(const SweepPlan& plan, const Catalogue& catalogue) {
  const std::uint64_t bytes = estimate_results_bytes(plan, catalogue);
  if (bytes <= kMaxPlannedResultsBytes) return;
  refuse_plan(
      "the records of these {} cases would take about {} MiB, but results.json is limited to {}; "
      "plan fewer cases or repetitions, or split them into several bundles",
      plan.cases.size(), bytes >> 20, kMaxPlannedResultsBytes >> 20);
}

}  // namespace aqbench
