#include "harness/ab/samples_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/text.h"
#include "harness/records/case.h"
#include "metrics/metric_range.h"
#include "metrics/metric_relations.h"
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
  if (cold_runs && unit.output_sha256.empty()) return "has no output hash";
  if (warm_runs > 0 && unit.warm_ms.size() != static_cast<std::size_t>(warm_runs))
    return fmt::format("has {} warm runs, {} were planned", unit.warm_ms.size(), warm_runs);
  if (cold_runs && warm_runs == 0 && unit.warm_ms.size() > 1)
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

// One metric without the others that it comes with.
constexpr ScoredAs kOneAlone = {
    .surface = false, .default_tolerances = false, .default_tiles = false, .default_outliers = false};

bool same_values(const std::vector<AbOutcomeSamples>& a, const std::vector<AbOutcomeSamples>& b) {
  return std::ranges::equal(a, b, [](const AbOutcomeSamples& one, const AbOutcomeSamples& other) {
    return one.name == other.name && one.values == other.values;
  });
}

// A workload is proved by identities: they are no metrics of a score and should be equal.
bool is_identity(const std::string& name, const Metric& metric) {
  return !is_metric_name(name) && metric.unit == "1" && metric.better == Better::equal && metric.value;
}

std::vector<std::string> problems_of_output(const AbSamples& samples, const AbOutput& output,
                                            const AbScoring& scoring) {
  if (output.metrics.empty()) return {"has no metrics"};
  const bool recording = samples.cases[output.case_index].name.starts_with(kDatasetPrefix);
  const bool tiled = std::ranges::any_of(samples.units, [&](const AbUnit& unit) {
    return unit.case_index == output.case_index && unit.side == output.side && !unit.tiles_sha256.empty();
  });
  const bool named =
      std::ranges::any_of(output.metrics, [](const auto& one) { return is_metric_name(one.first); });
  const bool scored = scoring.methods_alone || tiled || named, usual = scoring.usual_lengths && !recording;
  std::vector<std::string> problems;
  if (scored)
    problems = metric_problems(output.metrics, {.surface = !recording,
                                                .default_tolerances = usual,
                                                .default_tiles = usual,
                                                .default_outliers = usual});
  if (!scoring.known_names) return problems;
  for (const auto& [name, metric] : output.metrics)
    if (scored ? !is_metric_name(name) : !is_identity(name, metric))
      problems.push_back(fmt::format("{} is {}", printable(name.text()),
                                     scored ? "no metric" : "no identity of a workload"));
  return problems;
}

}  // namespace

std::vector<std::string> sample_problems(const AbSamples& samples, int warm_runs, bool cold_runs) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < samples.units.size(); ++i)
    if (const std::string what = unit_problem(samples.units[i], warm_runs, cold_runs); !what.empty())
      problems.push_back(fmt::format("units[{}]: {}", i, what));
  return problems;
}

std::vector<std::string> output_problems(const AbSamples& samples, const AbScoring& scoring) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < samples.outputs.size(); ++i)
    for (const std::string& problem : problems_of_output(samples, samples.outputs[i], scoring))
      problems.push_back(fmt::format("outputs[{}]: {}", i, problem));
  return problems;
}

std::vector<std::string> outcome_problems(const AbSamples& samples, const std::vector<AbOutcome>& judged,
                                          bool same_input) {
  std::vector<std::string> problems;
  std::map<std::string, std::pair<double, double>> ends;  // the smallest and the largest value of each
  std::map<std::tuple<std::size_t, AbSide, std::string>, std::size_t> first_of;
  for (std::size_t i = 0; i < samples.units.size(); ++i) {
    const AbUnit& unit = samples.units[i];
    for (const AbOutcomeSamples& outcome : unit.outcomes) {
      if (std::ranges::find(judged, outcome.name, &AbOutcome::name) == judged.end())
        problems.push_back(fmt::format("units[{}]: has {}, which is not judged", i, printable(outcome.name)));
      for (const double value : outcome.values) {
        auto& [least, most] = ends.try_emplace(outcome.name, value, value).first->second;
        least = std::min(least, value);
        most = std::max(most, value);
      }
    }
    if (!same_input || unit.status != Status::ok) continue;
    const auto first = first_of.emplace(std::tuple(unit.case_index, unit.side, unit.output_sha256), i).first;
    if (!same_values(samples.units[first->second].outcomes, unit.outcomes))
      problems.push_back(
          fmt::format("units[{}]: has the output of units[{}] and other metrics", i, first->second));
  }
  for (const AbOutcome& outcome : judged) {
    const auto found = ends.find(outcome.name);
    if (outcome.kind != AbOutcome::Kind::metric || found == ends.end()) continue;
    for (const double value : {found->second.first, found->second.second})
      for (const std::string& problem :
           metric_problems({{outcome.name, Metric{value, outcome.unit, outcome.better, ""}}}, kOneAlone))
        problems.push_back("units: " + problem);
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
