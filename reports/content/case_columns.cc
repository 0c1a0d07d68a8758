#include "reports/content/case_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>

#include "core/quantiles.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "harness/records/case_name.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "metrics/protocols/asked_protocols.h"

namespace aqbench {
namespace {

// What a case without a truth is judged by.
constexpr std::array kWithoutTruth = {
    std::array{"photometric_zncc_median", "agreement\nZNCC", "agreement of images [ZNCC]"},
    std::array{"photometric_coverage_pct", "images\ncovered %", "images covered [%]"},
    std::array{"photometric_cloud_points", "points", "points"},
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

// Whether half of the cases are below 99 % there, and one is above 1 %.
struct Separation {
  bool too_strict = true, too_loose = true;
};
Separation separation_at(std::span<const MetricSet* const> cases, double tolerance_mm) {
  std::vector<double> values;
  for (const MetricSet* const metrics : cases)
    if (const auto value = value_of(*metrics, fmt::format("completeness_{:g}mm_pct", tolerance_mm)))
      values.push_back(*value);
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
  if (all.size() <= 1 || (known != defaults && all.size() <= 3)) return all;
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

bool is_headline(const std::string& name) {
  const auto& all = headline_protocol_metrics();
  return std::ranges::find(all, name, &ProtocolMetric::name) != all.end();
}

// What of a metric's name stands before its threshold: "eth3d_precision_".
std::string without_threshold(const std::string& name) {
  return name.ends_with("mm_pct") ? name.substr(0, name.rfind('_', name.size() - 5) + 1) : name;
}

// The metrics that become columns, in the order of the first record that has them.
std::vector<ProtocolMetric> shown_metrics(const Results& results) {
  std::vector<ProtocolMetric> found;
  for (const Record& record : results.records)
    for (const auto& [interned, metric] : record.metrics) {
      const std::string name = interned;
      if (std::ranges::find(found, name, &ProtocolMetric::name) != found.end()) continue;
      if (auto known = find_protocol_metric(name)) found.push_back(*std::move(known));
    }
  std::vector<ProtocolMetric> shown;
  for (const ProtocolMetric& metric : found) {
    const auto same = [&](const ProtocolMetric& other) {
      return without_threshold(other.name) == without_threshold(metric.name);
    };
    const bool any_headline =
        std::ranges::any_of(found, [&](const auto& other) { return same(other) && is_headline(other.name); });
    if (any_headline ? is_headline(metric.name) : std::ranges::none_of(shown, same)) shown.push_back(metric);
  }
  return shown;
}

// What a program used, in the order of the columns of a table of programs.
std::vector<std::optional<double>> program_use(const ProgramUse& use, const Timing& timing) {
  const auto mib = [](const std::optional<std::uint64_t>& bytes) {
    return bytes ? std::optional(static_cast<double>(*bytes) / 0x1p20) : std::nullopt;
  };
  const auto count = [](std::uint64_t number) { return static_cast<double>(number); };
  std::optional<double> gpu_mib;
  for (const auto& [name, value] : timing.figures)
    if (name == "peak_gpu_mib" && std::isfinite(value)) gpu_mib = value;
  return {use.cpu_user_s,
          use.cpu_system_s,
          mib(use.peak_resident_bytes),
          gpu_mib,
          mib(use.read_bytes),
          mib(use.written_bytes),
          count(use.minor_faults + use.major_faults),
          count(use.major_faults),
          count(use.voluntary_switches + use.involuntary_switches),
          count(use.involuntary_switches)};
}

bool is_peak(std::size_t column) { return column == 2 || column == 3; }

}  // namespace

void add_every_metric(const MetricSet& metrics, std::vector<MetricColumn>& columns) {
  for (const auto& [name, metric] : metrics) {
    if (std::ranges::find(columns, name.text(), &MetricColumn::metric) != columns.end()) continue;
    const std::string unit = metric.unit == "1" ? "" : metric.unit.text();
    const std::string heading = name.text() + (unit.empty() ? "" : "\n") + unit;
    columns.push_back({name, heading, title_of({heading})});
  }
}

TimeUnit time_unit(double most_ms) {
  return most_ms < 1000 ? TimeUnit{} : most_ms < 600'000 ? TimeUnit{"s", 1000} : TimeUnit{"min", 60'000};
}

std::vector<MetricColumn> metric_columns(std::span<const MetricSet* const> cases) {
  const auto any_has = [&](const MetricColumn& column) {
    return std::ranges::any_of(
        cases, [&](const MetricSet* one) { return value_of(*one, column.metric).has_value(); });
  };
  const auto lists = [](const MetricSet* one, const MetricColumn& column) {
    return find_metric(*one, column.metric) != nullptr;
  };
  const auto any_lists = [&](const MetricColumn& column) {
    return std::ranges::any_of(cases, [&](const MetricSet* one) { return lists(one, column); });
  };
  const std::vector<MetricColumn> with_truth = columns_with_truth(shown_tolerances_mm(cases)),
                                  without = columns_of(kWithoutTruth);
  std::vector<MetricColumn> shown;
  std::ranges::copy_if(with_truth, std::back_inserter(shown), any_has);
  const bool all_have_truth = std::ranges::all_of(cases, [&](const MetricSet* one) {
    return one->empty() ||
           std::ranges::any_of(with_truth, [&](const MetricColumn& column) { return lists(one, column); });
  });
  if (!all_have_truth) std::ranges::copy_if(without, std::back_inserter(shown), any_has);
  std::ranges::copy_if(columns_of(kOfPoses), std::back_inserter(shown), any_has);
  if (!shown.empty()) return shown;
  std::ranges::copy_if(all_have_truth ? with_truth : without, std::back_inserter(shown), any_lists);
  return shown;
}

std::vector<MetricColumn> metric_columns(std::span<const CaseGroup> groups) {
  std::vector<const MetricSet*> cases;
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (record->workload.empty()) cases.push_back(&record->metrics);
  std::vector<MetricColumn> columns = metric_columns(cases);
  const bool none_known = columns.empty();
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (none_known || is_imported(*record)) add_every_metric(record->metrics, columns);
  return columns;
}

CaseNames take_names(std::vector<CaseGroup>& groups) {
  CaseNames names{.common = take_common_axes(groups)};
  for (const CaseGroup& group : groups) {
    names.has_scenes = names.has_scenes || group.scene != groups.front().scene;
    names.has_axes = names.has_axes || !group.axes.empty();
  }
  if (!names.has_scenes && !groups.empty() && !groups.front().scene.empty())
    names.common = "scene=" + groups.front().scene + (names.common.empty() ? "" : " ") + names.common;
  return names;
}

CaseNames name_cases(const Results& results) {
  std::vector<CaseGroup> groups = group_cases(results);
  CaseNames names = take_names(groups);
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records) {
      CaseName& name = names.of[record->case_name] = group;
      const std::string seed = group.records.size() > 1 ? seed_axis(*record) : "";
      name.axes += (name.axes.empty() || seed.empty() ? "" : " ") + seed;
      names.has_axes = names.has_axes || !name.axes.empty();
      names.order.push_back(record);
    }
  return names;
}

TimeUnit time_unit(std::span<const CaseGroup> groups) {
  double most_ms = 0;
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      most_ms = std::max(most_ms, typical_ms(record->timing).value_or(0));
  return time_unit(most_ms);
}

bool has_true_surface(const Record& record) {
  return std::ranges::any_of(headline_metrics(), [&](const HeadlineMetric& headline) {
    return find_metric(record.metrics, headline.name) != nullptr;
  });
}

bool has_true_surface(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) {
    return record.status == Status::ok && has_true_surface(record);
  });
}

bool has_free_scale(const Record& record) {
  return has_own_poses(record.case_name) && !has_true_surface(record) &&
         !value_of(record.metrics, "pose_alignment_rms_mm");
}

std::string without_truth_note(const Results& results) {
  const auto count = std::ranges::count_if(results.records, [](const Record& record) {
    const bool is_of_images = std::ranges::any_of(record.metrics, [](const auto& metric) {
      return metric.first.starts_with("reprojection_") || metric.first.starts_with("photometric_");
    });
    return record.workload.empty() && record.status == Status::ok && is_of_images && !is_imported(record) &&
           !has_true_surface(record);
  });
  if (count == 0) return "";
  return fmt::format(
      "{} without a true surface: agreement, reprojection and scale are no accuracy and rank nothing, "
      "since a few easy points agree best",
      counted(static_cast<std::size_t>(count), "case"));
}

Table programs_table(const Results& results) {
  std::vector<CaseGroup> groups = group_cases(results);
  take_common_axes(groups);
  Table table = table_with({"case", ">CPU user\ns", ">CPU system\ns", ">peak memory\nMiB",
                            ">peak GPU memory\nMiB", ">read\nMiB", ">written\nMiB", ">page faults",
                            ">major faults", ">switches", ">involuntary"});
  table.label = "what programs used";
  table.dispensable = {"involuntary", "switches", "major", "page faults"};
  for (const CaseGroup& group : groups) {
    std::map<std::size_t, std::vector<double>> found;  // by column
    std::size_t programs = 0;
    for (const Record* const record : group.records) {
      if (!record->program) continue;
      ++programs;
      const std::vector<std::optional<double>> use = program_use(*record->program, record->timing);
      for (std::size_t i = 0; i < use.size(); ++i)
        if (use[i]) found[i].push_back(*use[i]);
    }
    if (programs == 0) continue;
    std::vector<std::string> cells = {group.whole()};
    for (std::size_t i = 0; i + 1 < table.columns.size(); ++i) {
      const SampleSummary all = summarize(found[i]);
      cells.push_back(all.n < programs ? "n/a"
                      : is_peak(i)     ? table_number(*all.max)
                      : i < 6          ? table_number(*all.mean)
                                       : fmt::format("{:.0f}", *all.mean));  // counts
    }
    table.rows.push_back(plain_row(std::move(cells)));
    table.subjects.push_back({group.records.front()->case_name, true});
  }
  drop_columns(table, "n/a");
  return table;
}

Table protocols_table(const Results& results) {
  const CaseNames names = name_cases(results);
  std::vector<ProtocolMetric> shown = shown_metrics(results);
  const std::vector<MetricColumn> columns = metric_columns(method_groups(results));  // of the table of cases
  std::erase_if(shown, [&](const ProtocolMetric& metric) {
    return std::ranges::find(columns, metric.name, &MetricColumn::metric) != columns.end();
  });
  Table table = table_with({"case"});
  table.label = "numbers of protocols";
  for (const ProtocolMetric& metric : shown) table.columns.push_back({metric.title, Align::right});
  for (const Record& record : results.records) {
    std::vector<std::string> cells = {names.of.at(record.case_name).whole()};
    bool any = false;
    for (const ProtocolMetric& metric : shown) {
      any = any || find_metric(record.metrics, metric.name) != nullptr;
      cells.push_back(table_number_or_na(value_of(record.metrics, metric.name)));
    }
    if (!any) continue;
    table.rows.push_back(plain_row(std::move(cells)));
    table.subjects.push_back({record.case_name, true});
  }
  drop_columns(table, "n/a");
  return table;
}

}  // namespace aqbench
