#include "reports/content/rivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "core/quantiles.h"
#include "harness/records/case_name.h"
#include "harness/statistics/summary.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

// The stages that a cause of holes points to (metrics/diagnosis.h).
struct HoleStage {
  const char *metric, *text;
};
constexpr HoleStage kHoleStages[] = {
    {"holes_no_depth_pct", "depth_estimation gave no depth over"},
    {"holes_wrong_depth_pct", "depth_estimation or depth_refinement gave wrong depths over"},
    {"holes_filtered_pct", "filtering dropped correct depths over"},
    {"holes_fused_pct", "fusion dropped correct depths over"},
    {"holes_not_visible_pct", "fewer than two cameras see"}};

// The records of a group that are ok, by their seeds; of several of one seed the first.
using RecordsBySeed = std::unordered_map<std::string, const Record*>;

RecordsBySeed by_seed(const CaseGroup& group) {
  RecordsBySeed records;
  for (const Record* const record : group.records)
    if (record->status == Status::ok) records.emplace(seed_axis(*record), record);
  return records;
}

const Record* of_same_seed(const RecordsBySeed& records, const Record& other) {
  const auto found = records.find(seed_axis(other));
  return found == records.end() ? nullptr : found->second;
}

// Groups that have an error with their means over the seeds, the smallest first.
using Ranking = std::vector<std::pair<double, const CaseGroup*>>;

// The rankings of scenes, apart where a method finds its poses itself.
std::map<std::string, Ranking> rankings_of(const std::vector<CaseGroup>& groups) {
  std::map<std::string, Ranking> scenes;
  for (const CaseGroup& group : groups)
    if (const auto spread = metric_spread(group, kAccuracyMetric))
      scenes[group.scene + (has_own_poses(group.records.front()->case_name) ? " with own poses" : "")]
          .emplace_back(spread->mean, &group);
  for (auto& [scene, all] : scenes) std::ranges::stable_sort(all, {}, &Ranking::value_type::first);
  return scenes;
}

// Adds the first records of both groups that have the same seed.
void add_rivals(const CaseGroup& worse, const CaseGroup& best_group, const std::string& completeness,
                std::vector<Rivals>& found) {
  const RecordsBySeed best = by_seed(best_group);
  for (const Record* const record : worse.records)
    if (const Record* const other = of_same_seed(best, *record);
        other != nullptr && record->status == Status::ok) {
      if (differs(worse, best_group, kAccuracyMetric, 0.02) || differs(worse, best_group, completeness, 0.01))
        found.push_back({record, other});
      return;
    }
}

// Returns the group that covers most of the surface; nullptr where none covers more than the first one.
const CaseGroup* most_complete(const Ranking& groups, const std::string& completeness) {
  const auto covered = [&](const CaseGroup& group) {
    const auto spread = metric_spread(group, completeness);
    return spread ? spread->mean : -1.0;
  };
  const auto most =
      std::ranges::max_element(groups, {}, [&](const auto& one) { return covered(*one.second); });
  return covered(*most->second) > covered(*groups[0].second) ? most->second : nullptr;
}

// What all cameras of a case are off by, to one side: -2 mm is too deep.
struct CommonBias {
  double typical_mm = 0;  // the median
  std::size_t cameras = 0;
};

std::optional<CommonBias> common_bias(const Record& record, const CameraBiases& all) {
  const auto found = all.find(record.case_name);
  if (found == all.end() || found->second.size() < 2) return std::nullopt;
  std::vector<double> biases_mm = found->second;
  std::ranges::sort(biases_mm);
  if (biases_mm.front() <= 0 && biases_mm.back() >= 0) return std::nullopt;
  return CommonBias{median_of(biases_mm), biases_mm.size()};
}

// A bias of all cameras that explains at least half of the larger error. Filtering and fusion then lose
// surface that the depths had already missed: naming them would blame the wrong one. "" where there is none.
std::string bias_text(const Rivals& pair, const CameraBiases& biases_mm) {
  const auto here = common_bias(*pair.worse, biases_mm);
  const auto there = biases_mm.find(pair.best->case_name);
  const auto error = value_of(pair.worse->metrics, kAccuracyMetric),
             best_error = value_of(pair.best->metrics, kAccuracyMetric);
  if (!here || !error || !best_error) return "";
  std::optional<double> best_mm;
  if (there != biases_mm.end() && !there->second.empty()) best_mm = std::abs(median_of(there->second));
  const double grown_mm = std::abs(here->typical_mm) - best_mm.value_or(0);
  if (grown_mm < std::max((*error - *best_error) / 2, 0.02 * *error)) return "";
  return fmt::format("a common bias: all {} cameras are {} mm too {} (best: {}), as with a wrong calibration",
                     here->cameras, table_number(std::abs(here->typical_mm)),
                     here->typical_mm < 0 ? "deep" : "near", table_number_or_na(best_mm));
}

// The stage that lost the most of the surface beyond what the other lost in it.
std::string stage_text(const Rivals& pair) {
  const HoleStage* worst = nullptr;
  double most = 0;
  bool known = false;
  for (const HoleStage& one : kHoleStages) {
    const auto worse = value_of(pair.worse->metrics, one.metric),
               best = value_of(pair.best->metrics, one.metric);
    if (!worse) continue;
    known = true;
    if (*worse - best.value_or(0) > most) {
      most = *worse - best.value_or(0);
      worst = &one;
    }
  }
  if (!known) return "unknown (no depth maps)";
  if (worst == nullptr) return "no stage lost more of the surface";
  const double lost = *value_of(pair.worse->metrics, worst->metric);
  const auto best = value_of(pair.best->metrics, worst->metric);
  const auto [shown, of_best] = number_pair(lost, best.value_or(lost));
  return fmt::format("{} {} % of the surface (best: {})", worst->text, shown, best ? of_best + " %" : "n/a");
}

}  // namespace

bool differs(const CaseGroup& a, const CaseGroup& b, const std::string& metric, double least) {
  const RecordsBySeed others = by_seed(b);
  std::vector<double> changes;
  double size = 0;
  for (const Record* const record : a.records) {
    const Record* const other = of_same_seed(others, *record);
    if (other == nullptr || record->status != Status::ok) continue;
    const auto value = value_of(record->metrics, metric), against = value_of(other->metrics, metric);
    if (!value || !against) continue;
    changes.push_back(*value - *against);
    size = std::max({size, std::abs(*value), std::abs(*against)});
  }
  const SampleSummary change = summarize(changes);
  if (!change.mean || *change.mean == 0) return false;
  if (!change.sd) return std::abs(*change.mean) >= least * size;
  const auto n = static_cast<double>(changes.size());
  return *change.sd == 0 || student_t_two_sided(*change.mean / (*change.sd / std::sqrt(n)), n - 1) <= 0.05;
}

MetricColumn completeness_column(const Results& results) {
  for (MetricColumn& column : metric_columns(results))
    if (column.metric.starts_with("completeness_")) return std::move(column);
  return {};
}

std::vector<Rivals> rivals_of(const Results& results) {
  const std::string completeness = completeness_column(results).metric;
  const std::vector<CaseGroup> all = method_groups(results);
  std::vector<Rivals> found;
  for (const auto& [scene, groups] : rankings_of(all)) {
    const CaseGroup& best = *groups[0].second;
    for (std::size_t i = 1; i < groups.size(); ++i) add_rivals(*groups[i].second, best, completeness, found);
    if (const CaseGroup* const whole = most_complete(groups, completeness))
      add_rivals(best, *whole, completeness, found);
  }
  return found;
}

std::string likely_cause(const Rivals& pair, const CameraBiases& biases_mm) {
  const std::string bias = bias_text(pair, biases_mm);
  return bias.empty() ? stage_text(pair) : bias;
}

}  // namespace aqbench
