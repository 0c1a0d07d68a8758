#include "reports/content/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "harness/statistics/summary.h"
#include "reports/content/metrics_table.h"

namespace aqbench {
namespace {

// Colours that people with colour vision deficiency tell apart (Okabe and Ito).
constexpr std::array kPalette = {0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9,
                                 0xd55e00, 0xf0e442, 0x7f7f7f, 0x8c6bb1, 0x41ab5d};

// After the palette come its colours mixed with white, then with black.
std::string bar_colour(std::size_t index) {
  const int rgb = kPalette[index % kPalette.size()];
  const std::size_t round = index / kPalette.size();
  const auto mixed = [&](int shift) {
    const int part = rgb >> shift & 0xff;
    return round % 3 == 0 ? part : round % 3 == 1 ? (part + 255) / 2 : part / 2;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(16), mixed(8), mixed(0));
}

std::string text_of_ms(double ms) {
  const TimeUnit unit = time_unit(ms);
  return table_number(ms / unit.ms) + " " + unit.name;
}

// A bar for each group that has the metric: its mean over the seeds, and their standard deviation.
Chart metric_chart(const std::vector<CaseGroup>& groups, const MetricColumn& column) {
  Chart chart{.title = column.title, .most = metric_in(groups, column.metric).unit == "%" ? 100.0 : 0.0};
  for (const CaseGroup& group : groups) {
    const auto spread = metric_spread(group, column.metric);
    if (!spread) continue;
    chart.most = std::max(chart.most, spread->mean);
    auto& row = chart.rows.emplace_back();
    row.scene = group.scene;
    row.label = group.label();
    row.number = table_number(spread->mean);
    row.tip = fmt::format("{}: {}", group.whole(), row.number);
    row.spread = spread->standard_deviation;
    if (row.spread) row.number += " ± " + table_number(*row.spread);
    row.bars.push_back({spread->mean});
  }
  return chart;
}

// The self times of a group, in the order in which its stages come, and which are unknown.
struct StageTimes {
  std::vector<std::pair<std::string, double>> ms;
  std::vector<std::string> unknown;
  double total_ms = 0;
};

// The sum of its records' medians over the number of records that are ok, of each stage.
StageTimes stage_times(const CaseGroup& group) {
  StageTimes times;
  const auto is_unknown = [&](const std::string& name) {
    return std::ranges::find(times.unknown, name) != times.unknown.end();
  };
  std::vector<const StageRecord*> stages;
  for (const Record* record : group.records)
    if (record->status == Status::ok)
      for (const StageRecord& stage : record->stages) {
        stages.push_back(&stage);
        if (stage.self_ms.empty() && !is_unknown(stage.name)) times.unknown.push_back(stage.name);
      }
  const auto ok = static_cast<double>(ok_count(group));
  for (const StageRecord* const stage : stages) {
    if (is_unknown(stage->name)) continue;
    const double ms = summarize(stage->self_ms).median.value() / ok;
    const auto known = std::ranges::find(times.ms, stage->name, &std::pair<std::string, double>::first);
    if (known == times.ms.end())
      times.ms.emplace_back(stage->name, ms);
    else
      known->second += ms;
    times.total_ms += ms;
  }
  return times;
}

}  // namespace

Chart stages_chart(const std::vector<CaseGroup>& groups) {
  Chart chart{.title = "self times of stages"};
  std::vector<std::pair<const CaseGroup*, StageTimes>> found;
  std::map<std::string, std::string> colours;
  for (const CaseGroup& group : groups) {
    StageTimes times = stage_times(group);
    if (times.total_ms <= 0 && times.unknown.empty()) continue;
    chart.most = std::max(chart.most, times.total_ms);
    for (const auto& [name, ms] : times.ms)
      if (colours.try_emplace(name, bar_colour(colours.size())).second)
        chart.keys.emplace_back(name, colours[name]);
    found.emplace_back(&group, std::move(times));
  }
  const TimeUnit unit = time_unit(chart.most);
  for (const auto& [group, times] : found) {
    auto& row = chart.rows.emplace_back();
    row.scene = group->scene;
    row.label = group->label();
    row.tip = group->whole();
    row.number = table_number(times.total_ms / unit.ms) + " " + unit.name;
    for (const std::string& name : times.unknown) row.number += ", " + name + " n/a";
    for (const auto& [name, ms] : times.ms)
      row.bars.push_back({ms, colours[name],
                          fmt::format("{}: {}, {:.1f} %", name, text_of_ms(ms), 100 * ms / times.total_ms)});
  }
  return chart;
}

std::vector<std::pair<std::string, Chart>> run_charts(const Results& results) {
  auto groups = group_cases(results);
  take_common_axes(groups);
  std::vector<std::pair<std::string, Chart>> charts;
  for (const MetricColumn& column : metric_columns(groups))
    charts.emplace_back(column.metric, metric_chart(groups, column));
  charts.emplace_back("stages", stages_chart(groups));
  std::erase_if(charts, [](const auto& chart) { return chart.second.rows.empty(); });
  return charts;
}

}  // namespace aqbench
