#include "reports/content/case_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "core/quantiles.h"
#include "core/text.h"
#include "harness/measuring/timing.h"

namespace aqbench {
namespace {

// What a case without a truth is judged by.
constexpr std::array kWithoutTruth = {
    std::array{"photometric_zncc_median", "agreement\nZNCC", "agreement of images [ZNCC]"},
    std::array{"reprojection_median_px", "reproj.\npx", "reprojection median [px]"},
    std::array{"reprojection_within_1px_pct", "reproj.\n<= 1 px %", "reprojection within 1 px [%]"},
    std::array{"charuco_scale_pct", "scale\n%", "scale by the board [%]"},
    std::array{"charuco_rmse_mm", "board\nrmse mm", "rmse at the board [mm]"},
    std::array{"control_rms_mm", "control\nrms mm", "rms at control points [mm]"},
    std::array{"depth_mae_mm", "depth\nmean mm", "mean depth error [mm]"},
    std::array{"depth_fill_rate_pct", "depth\nfilled %", "depth filled [%]"}};

// What a method that finds its poses is judged by, beside its cloud.
constexpr std::array kOfPoses = {
    std::array{"pose_auc_5deg_pct", "poses AUC\n5 deg %", "poses, AUC at 5 degrees [%]"},
    std::array{"pose_registered_pct", "regis-\ntered %", "registered images [%]"}};

std::string in_place_of(std::string text, std::string_view old, const std::string& now) {
  if (const std::size_t at = text.find(old); at != std::string::npos) text.replace(at, old.size(), now);
  return text;
}

// The column of a headline metric at another tolerance than 2 mm.
MetricColumn at_tolerance(const HeadlineMetric& headline, double tolerance_mm) {
  const std::string mm = fmt::format("{:g}", tolerance_mm);
  return {in_place_of(headline.name, "2mm", mm + "mm"), in_place_of(headline.heading, "2 mm", mm + " mm"),
          in_place_of(headline.title, "2 mm", mm + " mm")};
}

bool has_tolerance(const HeadlineMetric& headline) {
  return headline.name.find("_2mm_") != std::string::npos;
}

// The tolerance in "completeness_50mm_pct".
std::optional<double> tolerance_of(std::string_view name) {
  constexpr std::string_view kPrefix = "completeness_", kUnit = "mm_pct";
  if (!name.starts_with(kPrefix) || !name.ends_with(kUnit)) return std::nullopt;
  return parse_double(name.substr(kPrefix.size(), name.size() - kPrefix.size() - kUnit.size()));
}

bool has_value(const MetricSet& metrics, const std::string& name) {
  const Metric* const metric = find_metric(metrics, name);
  return metric != nullptr && metric->value;
}

// Whether half of the cases are below 99 % there, and one is above 1 %.
struct Separation {
  bool too_strict = true, too_loose = true;
};
Separation separation_at(std::span<const MetricSet* const> cases, double tolerance_mm) {
  std::vector<double> values;
  for (const MetricSet* const metrics : cases)
    if (const Metric* const metric =
            find_metric(*metrics, fmt::format("completeness_{:g}mm_pct", tolerance_mm));
        metric != nullptr && metric->value)
      values.push_back(*metric->value);
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {values.back() <= 1, quantile_of_sorted(values, 0.5) >= 99};
}

std::vector<double> shown_tolerances_mm(std::span<const MetricSet* const> cases) {
  std::set<double> known;
  for (const MetricSet* const metrics : cases)
    for (const auto& [name, metric] : *metrics)
      if (const auto mm = tolerance_of(name)) known.insert(*mm);
  std::set<double> defaults;
  for (const double tolerance_m : default_tolerances_m()) defaults.insert(tolerance_m * 1000);
  const std::vector<double> all(known.begin(), known.end());
  constexpr std::size_t kMaxDeclared = 3;
  if (all.size() <= 1 || (known != defaults && all.size() <= kMaxDeclared)) return all;
  auto at = std::ranges::lower_bound(all, 2.0);
  if (at == all.end()) --at;
  if (separation_at(cases, *at).too_loose)
    while (at != all.begin() && separation_at(cases, *at).too_loose) --at;
  else
    while (at + 1 != all.end() && separation_at(cases, *at).too_strict) ++at;
  return {*at};
}

std::vector<MetricColumn> columns_with_truth(std::span<const double> tolerances_mm) {
  std::vector<MetricColumn> columns;
  for (const HeadlineMetric& headline : headline_metrics()) {
    if (has_tolerance(headline))
      for (const double tolerance_mm : tolerances_mm) columns.push_back(at_tolerance(headline, tolerance_mm));
    else
      columns.push_back({headline.name, headline.heading, headline.title});
  }
  return columns;
}

std::vector<MetricColumn> columns_of(std::span<const std::array<const char*, 3>> rows) {
  std::vector<MetricColumn> columns;
  for (const auto& [metric, heading, title] : rows) columns.push_back({metric, heading, title});
  return columns;
}

}  // namespace

TimeUnit time_unit(double most_ms) {
  return most_ms < 1000 ? TimeUnit{} : most_ms < 600'000 ? TimeUnit{"s", 1000} : TimeUnit{"min", 60'000};
}

std::vector<MetricColumn> metric_columns(std::span<const MetricSet* const> cases) {
  const auto any_has = [&](const MetricColumn& column) {
    return std::ranges::any_of(cases, [&](const MetricSet* one) { return has_value(*one, column.metric); });
  };
  const auto any_lists = [&](const MetricColumn& column) {
    return std::ranges::any_of(
        cases, [&](const MetricSet* one) { return find_metric(*one, column.metric) != nullptr; });
  };
  const std::vector<MetricColumn> with_truth = columns_with_truth(shown_tolerances_mm(cases)),
                                  without = columns_of(kWithoutTruth);
  std::vector<MetricColumn> shown;
  std::ranges::copy_if(with_truth, std::back_inserter(shown), any_has);
  const bool all_have_truth = std::ranges::all_of(cases, [&](const MetricSet* one) {
    return one->empty() || std::ranges::any_of(with_truth, [&](const MetricColumn& column) {
             return find_metric(*one, column.metric) != nullptr;
           });
  });
  if (!all_have_truth) std::ranges::copy_if(without, std::back_inserter(shown), any_has);
  std::ranges::copy_if(columns_of(kOfPoses), std::back_inserter(shown), any_has);
  if (!shown.empty()) return shown;
  std::ranges::copy_if(all_have_truth ? with_truth : without, std::back_inserter(shown), any_lists);
  return shown;
}

std::vector<MetricColumn> metric_columns(const Results& results) {
  std::vector<const MetricSet*> cases;
  for (const Record& record : results.records)
    if (record.workload.empty()) cases.push_back(&record.metrics);
  return metric_columns(cases);
}

std::vector<MetricColumn> metric_columns(std::span<const CaseGroup> groups) {
  std::vector<const MetricSet*> cases;
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (record->workload.empty()) cases.push_back(&record->metrics);
  return metric_columns(cases);
}

CaseNames name_cases(const Results& results, bool workloads) {
  std::vector<CaseGroup> groups = group_cases(results);
  if (!workloads)
    std::erase_if(groups, [](const CaseGroup& group) { return !group.records.front()->workload.empty(); });
  CaseNames names;
  names.common = take_common_axes(groups);
  for (const CaseGroup& group : groups) {
    names.has_scenes = names.has_scenes || group.scene != groups.front().scene;
    for (const Record* const record : group.records) {
      CaseName& name = names.of[record->case_name] = {group.scene, group.method, group.axes};
      if (group.records.size() > 1)
        for (const auto& [axis, value] : record->axes)
          if (axis == "seed") name.axes += (name.axes.empty() ? "seed=" : " seed=") + to_string(value);
      names.has_axes = names.has_axes || !name.axes.empty();
      names.order.push_back(record);
    }
  }
  if (!names.has_scenes && !groups.empty() && !groups.front().scene.empty())
    names.common = "scene=" + groups.front().scene + (names.common.empty() ? "" : " ") + names.common;
  return names;
}

std::vector<std::string> name_titles(const CaseNames& names) {
  std::vector<std::string> titles;
  if (names.has_scenes) titles.emplace_back("scene");
  titles.emplace_back("method");
  if (names.has_axes) titles.emplace_back("axes");
  return titles;
}

std::vector<std::string> name_cells(const CaseNames& names, const std::string& case_name) {
  const CaseName& name = names.of.at(case_name);
  std::vector<std::string> cells;
  if (names.has_scenes) cells.push_back(name.scene);
  cells.push_back(name.method);
  if (names.has_axes) cells.push_back(name.axes);
  return cells;
}

TimeUnit time_unit(const Results& results) {
  double most_ms = 0;
  for (const Record& record : results.records)
    most_ms = std::max(most_ms, typical_ms(record.timing).value_or(0));
  return time_unit(most_ms);
}

TimeUnit time_unit(std::span<const CaseGroup> groups) {
  double most_ms = 0;
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      most_ms = std::max(most_ms, typical_ms(record->timing).value_or(0));
  return time_unit(most_ms);
}

std::vector<MetricColumn> all_columns(std::span<const double> tolerances_mm) {
  std::vector<MetricColumn> columns = columns_with_truth(tolerances_mm);
  std::ranges::move(columns_of(kWithoutTruth), std::back_inserter(columns));
  std::ranges::move(columns_of(kOfPoses), std::back_inserter(columns));
  return columns;
}

MetricSpec spec_of(const MetricColumn& column) {
  const std::size_t unit = column.metric.find("mm_pct"), number = column.metric.rfind('_', unit);
  if (unit == std::string::npos || number == std::string::npos) return metric_spec(column.metric);
  const auto mm = parse_double(std::string_view(column.metric).substr(number + 1, unit - number - 1));
  return mm ? metric_spec(column.metric.substr(0, number + 1) + "{t}mm_pct", *mm / 1000)
            : metric_spec(column.metric);
}

const MetricColumn* find_column(std::span<const MetricColumn> columns, std::string_view prefix) {
  const auto found = std::ranges::find_if(
      columns, [&](const MetricColumn& column) { return column.metric.starts_with(prefix); });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace aqbench
