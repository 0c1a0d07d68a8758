#include "reports/html/bars.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/quantiles.h"
#include "core/text.h"
#include "harness/records/numbers.h"
#include "harness/statistics/summary.h"
#include "metrics/value_change.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxRows = 60;

// Rows below the name of their scene, which stands once.
class BarRows {
 public:
  void add(const CaseGroup& group, const std::string& lane, const std::string& tip) {
    if (++count_ > kMaxRows) return;
    if (group.scene != scene_ || count_ == 1) {
      scene_ = group.scene;
      if (!scene_.empty()) rows_ += fmt::format("<div class=\"barscene\">{}</div>\n", xml_escape(scene_));
    }
    const CaseGroup own{"", group.method, group.axes, {}};
    rows_ += fmt::format(
        "<div class=\"barrow\" title=\"{}\"><span class=\"barlabel\">{}</span><span "
        "class=\"barlane\">{}</span></div>\n",
        xml_escape(tip), xml_escape(group_label(own)), lane);
  }

  std::string html(const std::string& head) const {
    if (count_ == 0) return "";
    std::string text = "<div class=\"barlist\">\n" + head + rows_ + "</div>\n";
    if (count_ > kMaxRows) text += fmt::format("<p class=\"dim\">and {} more</p>\n", count_ - kMaxRows);
    return text;
  }

 private:
  std::string scene_, rows_;
  std::size_t count_ = 0;
};

std::string bar_html(double share, const std::string& look) {
  return fmt::format("<span class=\"bar\" style=\"--w:{:.4g}{}\"></span>", std::clamp(share, 0.0, 1.0), look);
}

// The metric as the first record that lists it has it.
Metric metric_in(const std::vector<CaseGroup>& groups, const std::string& name) {
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (const Metric* const metric = find_metric(record->metrics, name)) return *metric;
  return {};
}

const char* direction_text(const std::string& metric, Better better) {
  if (!is_ranked(metric)) return ", no accuracy";
  return better == Better::lower ? ", less is better" : better == Better::higher ? ", more is better" : "";
}

std::string time_box(const Record& record, const TimeUnit& unit) {
  std::vector<double> warm = record.timing.warm_ms;
  std::ranges::sort(warm);
  const std::optional<double>& cold = record.timing.cold_ms;
  const double low = std::min(warm.front(), cold.value_or(warm.front()));
  const double high = std::max(warm.back(), cold.value_or(warm.back()));
  const auto at = [&](double ms) { return high > low ? 100 * (ms - low) / (high - low) : 50.0; };
  const auto mark = [&](const char* kind, double from, double to) {
    return fmt::format("<span class=\"{}\" style=\"left:{:.4g}%;width:{:.4g}%\"></span>", kind, at(from),
                       at(to) - at(from));
  };
  const double q1 = quantile_of_sorted(warm, 0.25), q3 = quantile_of_sorted(warm, 0.75),
               median = quantile_of_sorted(warm, 0.5);
  std::string box =
      mark("whisker", warm.front(), warm.back()) + mark("quartiles", q1, q3) + mark("median", median, median);
  if (cold) box += mark("cold", *cold, *cold);
  return fmt::format("<span class=\"boxplot\">{}</span><span class=\"barnumber\">{} {}</span>", box,
                     table_number(median / unit.ms), unit.name);
}

// Colours that people with colour vision deficiency tell apart (Okabe and Ito).
constexpr std::array kPalette = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                 "#d55e00", "#f0e442", "#7f7f7f", "#8c6bb1", "#41ab5d"};

}  // namespace

std::vector<std::pair<std::string, MetricColumn>> bar_columns(const std::vector<CaseGroup>& groups) {
  const std::vector<MetricColumn> columns = metric_columns(groups);
  std::vector<std::pair<std::string, MetricColumn>> found;
  if (!groups.empty() && is_imported(*groups.front().records.front())) {
    for (const MetricColumn& column : columns) found.emplace_back(column.metric, column);
    return found;
  }
  for (const auto& [name, prefix] : kBarColumns)
    if (const MetricColumn* const column = find_column(columns, prefix)) found.emplace_back(name, *column);
  return found;
}

std::string metric_bars(const std::vector<CaseGroup>& groups, const MetricColumn& column) {
  const Metric metric = metric_in(groups, column.metric);
  double most = metric.unit == "%" ? 100 : 0;
  for (const CaseGroup& group : groups)
    if (const auto spread = metric_spread(group, column.metric)) most = std::max(most, spread->mean);
  BarRows rows;
  for (const CaseGroup& group : groups) {
    const auto spread = metric_spread(group, column.metric);
    if (!spread) continue;
    std::string number = table_number(spread->mean);
    if (spread->standard_deviation) number += " ± " + table_number(*spread->standard_deviation);
    rows.add(group,
             bar_html(most > 0 ? spread->mean / most : 0, "") +
                 fmt::format("<span class=\"barnumber\">{}</span>", number),
             fmt::format("{}: {}", group_label(group), table_number(spread->mean)));
  }
  return rows.html(fmt::format("<h3>{}<span class=\"dim\">{}</span></h3>\n", xml_escape(column.title),
                               direction_text(column.metric, metric.better)));
}

std::string stage_bars_html(const std::vector<CaseGroup>& groups) {
  const auto [bars, names] = stage_bars(groups);
  const double most = longest_bar_ms(bars);
  const TimeUnit unit = time_unit(most);
  std::string legend = "<p class=\"barkeys\">";
  for (const std::string& name : names)
    legend += fmt::format("<span class=\"barkey\"><i style=\"background:{}\"></i>{}</span> ",
                          stage_fill(names, name), xml_escape(name));
  BarRows rows;
  for (const StageBar& bar : bars) {
    std::string lane;
    for (const auto& [name, ms] : bar.stages)
      if (most > 0)
        lane += fmt::format(
            "<span class=\"bar\" title=\"{}: {}, {:.1f} %\" style=\"--w:{:.4g};background:{}\"></span>",
            xml_escape(name), time_text(ms), 100 * ms / bar.total, std::max(0.0, ms / most),
            stage_fill(names, name));
    rows.add(bar.group, lane + fmt::format("<span class=\"barnumber\">{}</span>", xml_escape(bar.text(unit))),
             group_label(bar.group));
  }
  return rows.html(legend + "</p>\n");
}

std::string time_boxes(const Results& results) {
  auto groups = group_cases(results);
  take_common_axes(groups);
  const TimeUnit unit = time_unit(results);
  BarRows rows;
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (record->timing.warm_ms.size() >= 3)
        rows.add(group, time_box(*record, unit),
                 fmt::format("{}: n = {}", record->case_name, record->timing.warm_ms.size()));
  return rows.html("");
}

std::string time_text(double ms) {
  const TimeUnit unit = time_unit(ms);
  return table_number(ms / unit.ms) + " " + unit.name;
}

std::string StageBar::text(const TimeUnit& unit) const {
  std::string text = table_number(total / unit.ms) + " " + unit.name;
  for (const std::string& name : unknown) text += ", " + name + " n/a";
  return text;
}

StageBars stage_bars(const std::vector<CaseGroup>& groups) {
  StageBars found;
  auto& [bars, names] = found;
  for (const CaseGroup& group : groups) {
    StageBar bar{group, {}, {}, 0};
    const auto ok = static_cast<double>(ok_count(group));
    for (const Record* record : group.records)
      if (record->status == Status::ok)
        for (const StageRecord& stage : record->stages)
          if (stage.self_ms.empty() && std::ranges::find(bar.unknown, stage.name) == bar.unknown.end())
            bar.unknown.push_back(stage.name);
    for (const Record* record : group.records) {
      if (record->status != Status::ok) continue;
      for (const StageRecord& stage : record->stages) {
        if (std::ranges::find(bar.unknown, stage.name) != bar.unknown.end()) continue;
        const double ms = summarize(stage.self_ms).median.value() / ok;
        const auto known = std::ranges::find(bar.stages, stage.name, &std::pair<std::string, double>::first);
        if (known == bar.stages.end())
          bar.stages.emplace_back(stage.name, ms);
        else
          known->second += ms;
        bar.total += ms;
        if (std::ranges::find(names, stage.name) == names.end()) names.push_back(stage.name);
      }
    }
    if (bar.total > 0 || !bar.unknown.empty()) bars.push_back(std::move(bar));
  }
  return found;
}

double longest_bar_ms(const std::vector<StageBar>& bars) {
  double most = 0;
  for (const StageBar& bar : bars) most = std::max(most, bar.total);
  return most;
}

// After the palette come its colours mixed with white, then with black.
std::string stage_fill(const std::vector<std::string>& names, const std::string& name) {
  const auto index = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  const int rgb = std::stoi(std::string(kPalette[index % kPalette.size()]).substr(1), nullptr, 16);
  const std::size_t round = index / kPalette.size();
  const auto mixed = [&](int shift) {
    const int part = rgb >> shift & 0xff;
    return round % 3 == 0 ? part : round % 3 == 1 ? (part + 255) / 2 : part / 2;
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mixed(16), mixed(8), mixed(0));
}

}  // namespace aqbench
