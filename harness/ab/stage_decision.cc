#include "harness/ab/stage_decision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/quantiles.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

// Shortest self time of the stage in each unit; nullopt where a unit does not have it or it is too short.
std::optional<std::vector<double>> stage_units(std::span<const Record* const> units,
                                               const std::string& name) {
  std::vector<double> result;
  for (const Record* unit : units) {
    const auto stage = std::ranges::find(unit->stages, name, &StageRecord::name);
    if (stage == unit->stages.end() || stage->self_ms.empty()) return std::nullopt;
    result.push_back(shortest_warm_run(stage->self_ms));
    if (!(result.back() >= kMinStageMs)) return std::nullopt;
  }
  return result;
}

std::vector<std::string> stage_names(std::span<const Record* const> a, std::span<const Record* const> b) {
  std::vector<std::string> names;
  for (const Record* unit : {a.front(), b.front()})
    for (const StageRecord& stage : unit->stages)
      if (std::ranges::find(names, stage.name) == names.end()) names.push_back(stage.name);
  return names;
}

}  // namespace

double shortest_warm_run(const std::vector<double>& runs) {
  if (runs.empty()) throw Error(ErrorKind::input, "samples: a unit has status ok and no run to compare");
  return *std::ranges::min_element(runs);
}

std::vector<double> values_at(const std::vector<double>& values, const std::vector<std::size_t>& indices) {
  std::vector<double> result;
  result.reserve(indices.size());
  for (const std::size_t i : indices) result.push_back(values[i]);
  return result;
}

std::vector<AbStageDecision> decide_stages(std::span<const Record* const> a, std::span<const Record* const> b,
                                           const PairedPolicy& policy) {
  std::vector<AbStageDecision> stages;
  std::vector<PairedSeries> series;
  for (const std::string& name : stage_names(a, b)) {
    AbStageDecision stage;
    stage.name = name;
    auto u_a = stage_units(a, name), u_b = stage_units(b, name);
    if (u_a && u_b) {
      PairedSeries one;
      one.name = name;
      one.u_a = std::move(*u_a);
      one.u_b = std::move(*u_b);
      series.push_back(std::move(one));
    } else {
      stage.reason = u_a ? "B does not run it in every unit, or it is too short for the clock"
                         : "A does not run it in every unit, or it is too short for the clock";
    }
    stages.push_back(std::move(stage));
  }
  if (series.empty() || kept_of(a.size()) < minimum_kept_pairs(policy, series.size())) {
    for (AbStageDecision& stage : stages)
      if (stage.reason.empty())
        stage.reason = fmt::format("{} stages need {} pairs", series.size(),
                                   measured_for(minimum_kept_pairs(policy, series.size())));
    return stages;
  }
  std::vector<PairedComparison> comparisons = compare_pairs(series, policy);
  std::size_t next = 0;
  for (AbStageDecision& stage : stages) {
    if (!stage.reason.empty()) continue;
    PairedComparison& comparison = comparisons[next];
    stage.median_a_ms = median_of(values_at(series[next].u_a, comparison.kept));
    stage.median_b_ms = median_of(values_at(series[next].u_b, comparison.kept));
    stage.change_ms = std::expm1(comparison.shift) * stage.median_a_ms;
    stage.comparison = std::move(comparison);
    ++next;
  }
  return stages;
}

}  // namespace aqbench
