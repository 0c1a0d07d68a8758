#include "harness/ab/samples_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "metrics/metric_range.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

// How the name of a stage ends that ran beside the main thread: its time is no part of the run's.
constexpr std::string_view kBeside = " beside";
constexpr double kStageSlackMs = 1e-3;

std::string unit_problem(const AbUnit& unit, int warm_runs, bool cold_runs) {
  const bool ok = unit.status == Status::ok;
  if (ok != unit.reason.empty()) return ok ? "has a reason beside status ok" : "failed without a reason";
  if (!ok) return {};
  if (cold_runs && (!unit.cold_ms || !(*unit.cold_ms > 0))) return "has no cold time";
  if (unit.output_sha256.empty()) return "has no output hash";
  if (warm_runs > 0 && unit.warm_ms.size() != static_cast<std::size_t>(warm_runs))
    return fmt::format("has {} warm runs, {} were planned", unit.warm_ms.size(), warm_runs);
  if (warm_runs == 0 && unit.warm_ms.size() > 1)
    return fmt::format("has {} warm runs, none were planned", unit.warm_ms.size());
  for (const AbOutcomeSamples& outcome : unit.outcomes)
    if (!cold_runs && outcome.values.size() != unit.warm_ms.size())
      return fmt::format("has {} values of {} in {} runs", outcome.values.size(), outcome.name,
                         unit.warm_ms.size());
  for (std::size_t run = 0; run < unit.warm_ms.size(); ++run) {
    double stages_ms = 0;
    for (const AbStageSamples& stage : unit.stages)
      if (run < stage.self_ms.size() && !stage.name.ends_with(kBeside)) stages_ms += stage.self_ms[run];
    if (stages_ms > unit.warm_ms[run] * (1 + 1e-6) + kStageSlackMs)
      return fmt::format("has stages of {:.6g} ms in a run of {:.6g} ms", stages_ms, unit.warm_ms[run]);
  }
  return {};
}

}  // namespace

std::vector<std::string> sample_problems(const AbSamples& samples, int warm_runs, bool cold_runs) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < samples.units.size(); ++i)
    if (const std::string what = unit_problem(samples.units[i], warm_runs, cold_runs); !what.empty())
      problems.push_back(fmt::format("units[{}]: {}", i, what));
  for (std::size_t i = 0; i < samples.outputs.size(); ++i) {
    const MetricSet& metrics = samples.outputs[i].metrics;
    if (find_metric(metrics, "points") == nullptr) continue;  // of a workload
    for (const std::string& problem : metric_problems(metrics))
      problems.push_back(fmt::format("outputs[{}]: {}", i, problem));
  }
  return problems;
}

bool is_as_registered(const AbOutcome& metric) {
  const auto spec = std::ranges::find(metric_registry(), metric.name, &MetricSpec::name);
  return spec != metric_registry().end() && spec->unit == metric.unit && spec->better == metric.better;
}

double measured_s(const AbSamples& samples) {
  double sum_ms = 0;
  for (const AbUnit& unit : samples.units) {
    sum_ms += unit.cold_ms.value_or(0);
    for (const double ms : unit.warm_ms) sum_ms += ms;
  }
  return 1e-3 * sum_ms;
}

}  // namespace aqbench
