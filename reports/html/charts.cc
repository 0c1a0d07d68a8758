#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantiles.h"
#include "core/text.h"
#include "reports/html/bars.h"

namespace aqbench {
namespace {

constexpr double kPage = 900, kLabels = 320, kNumbers = 90, kRow = 22;
constexpr double kRoom = kPage - kLabels - kNumbers;
constexpr std::size_t kMaxRowsDrawn = 60;

constexpr std::size_t kLabelColumns = 46;  // wide letters fit, too
std::string fit_label(const std::string& text) { return elide_middle(text, kLabelColumns); }

// A drawing of the first of `all` rows; the others are counted below.
Drawing drawing_of(double width, double height, std::vector<Shape> shapes, std::string label,
                   std::size_t all) {
  if (all > kMaxRowsDrawn) {
    shapes.push_back(
        text_shape(0, height + 12, "start", fmt::format("and {} more", all - kMaxRowsDrawn), "s"));
    height += 20;
  }
  return {width, height, std::move(shapes), std::move(label)};
}

// A round number at or above `most`, where a scale can end.
double round_up(double most) {
  if (!(most > 0)) return 1;
  const double power = std::pow(10, std::floor(std::log10(most)));
  for (const double step : {1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0})
    if (most <= step * power * (1 + 1e-12)) return step * power;
  return 10 * power;
}

// Draws the colours and names of the stages from `y` on and moves `y` below them.
std::vector<Shape> stage_legend(const std::vector<std::string>& names, double& y) {
  std::vector<Shape> shapes;
  double x = 0;
  for (const std::string& name : names) {
    const double width = 24 + 7.0 * static_cast<double>(display_width(name));
    if (x > 0 && x + width > kPage) {
      x = 0;
      y += 18;
    }
    shapes.push_back(rect_shape(x, y + 2, 11, 11, stage_fill(names, name)));
    shapes.push_back(text_shape(x + 15, y + 12, "start", name, "s"));
    x += width;
  }
  y += 24;
  return shapes;
}

}  // namespace

Drawing bars_chart(const std::vector<CaseGroup>& groups, const std::string& metric, const char* title) {
  struct Bar {
    std::string label;
    Spread spread;
  };
  std::vector<Bar> bars;
  for (const CaseGroup& group : groups)
    if (const auto spread = metric_spread(group, metric)) bars.push_back({group_label(group), *spread});
  if (bars.empty()) return {};
  const std::size_t all = bars.size();
  bars.resize(std::min(all, kMaxRowsDrawn));
  double most = 0;
  for (const Bar& bar : bars)
    most = std::max(most, bar.spread.mean + bar.spread.standard_deviation.value_or(0));
  const double scale = kRoom / round_up(most);
  std::vector<Shape> shapes = {text_shape(0, 16, "start", title, "t")};
  double y = 28;
  for (const Bar& bar : bars) {
    const double width = std::max(0.0, bar.spread.mean * scale);
    shapes.push_back(text_shape(kLabels - 8, y + 14, "end", fit_label(bar.label), "s"));
    shapes.push_back(rect_shape(kLabels, y + 3, width, kRow - 7, "bar",
                                fmt::format("{}: {}", bar.label, short_number(bar.spread.mean))));
    double end = width;
    if (bar.spread.standard_deviation) {
      const double sd = *bar.spread.standard_deviation * scale;
      end = width + sd;
      shapes.push_back(line_shape(kLabels + std::max(0.0, width - sd), y + kRow / 2 - 1, kLabels + end,
                                  y + kRow / 2 - 1, "axis"));
    }
    shapes.push_back(text_shape(kLabels + end + 6, y + 14, "start", table_number(bar.spread.mean), "s"));
    y += kRow;
  }
  shapes.push_back(line_shape(kLabels, 26, kLabels, y, "axis"));
  return drawing_of(kPage, y + 8, std::move(shapes), title, all);
}

Drawing stages_chart(const std::vector<CaseGroup>& groups) {
  auto [bars, names] = stage_bars(groups);
  if (bars.empty()) return {};
  const std::size_t all = bars.size();
  bars.resize(std::min(all, kMaxRowsDrawn));
  double y = 4;
  std::vector<Shape> shapes = stage_legend(names, y);
  const double most = longest_bar_ms(bars);
  const TimeUnit unit = time_unit(most);
  const double scale = kRoom / round_up(most);
  for (const StageBar& bar : bars) {
    shapes.push_back(text_shape(kLabels - 8, y + 14, "end", fit_label(group_label(bar.group)), "s"));
    double at = kLabels;
    for (const auto& [name, ms] : bar.stages) {
      const double width = std::max(0.0, ms * scale);
      shapes.push_back(
          rect_shape(at, y + 3, width, kRow - 7, stage_fill(names, name),
                     fmt::format("{}: {}, {:.1f} %", name, time_text(ms), 100 * ms / bar.total)));
      at += width;
    }
    shapes.push_back(text_shape(at + 6, y + 14, "start", elide_middle(bar.text(unit), 40), "s"));
    y += kRow;
  }
  return drawing_of(kPage, y + 6, std::move(shapes), "self times of stages", all);
}

Drawing times_chart(const Results& results) {
  struct Row {
    const Record* record;
    std::vector<double> warm;
  };
  std::vector<Row> rows;
  for (const Record& record : results.records) {
    if (record.timing.warm_ms.size() < 3) continue;
    rows.push_back({&record, record.timing.warm_ms});
    std::ranges::sort(rows.back().warm);
  }
  const std::size_t all = rows.size();
  rows.resize(std::min(all, kMaxRowsDrawn));
  const CaseLabels labels = label_cases(group_cases(results));
  std::vector<Shape> shapes;
  double y = 4;
  for (const Row& row : rows) {
    const std::optional<double>& cold = row.record->timing.cold_ms;
    // Each row has its own scale, because the picture is there to show the spread.
    const double low = std::min(row.warm.front(), cold.value_or(row.warm.front()));
    const double high = std::max(row.warm.back(), cold.value_or(row.warm.back()));
    const double span = high > low ? high - low : 1;
    const auto x_of = [&](double ms) { return kLabels + 40 + (kRoom - 80) * (ms - low) / span; };
    const double middle = y + kRow / 2;
    const std::string tip = fmt::format("{}: median {} ms, n = {}", row.record->case_name,
                                        table_number(quantile_of_sorted(row.warm, 0.5)), row.warm.size());
    shapes.push_back(
        text_shape(kLabels - 8, y + 15, "end", fit_label(labels.of.at(row.record->case_name)), "s"));
    shapes.push_back(line_shape(x_of(row.warm.front()), middle, x_of(row.warm.back()), middle, "axis"));
    const double q1 = x_of(quantile_of_sorted(row.warm, 0.25)), q3 = x_of(quantile_of_sorted(row.warm, 0.75));
    shapes.push_back(rect_shape(q1, y + 5, std::max(1.0, q3 - q1), kRow - 10, "box", tip));
    const double median = x_of(quantile_of_sorted(row.warm, 0.5));
    shapes.push_back(line_shape(median, y + 5, median, y + kRow - 5, "level"));
    if (cold)
      shapes.push_back(
          circle_shape(x_of(*cold), middle, 3, "dot", fmt::format("cold: {} ms", table_number(*cold))));
    shapes.push_back(
        text_shape(kPage - kNumbers - 30, y + 15, "start",
                   fmt::format("{} ({} to {}) ms", table_number(quantile_of_sorted(row.warm, 0.5)),
                               table_number(row.warm.front()), table_number(row.warm.back())),
                   "s"));
    y += kRow;
  }
  return drawing_of(kPage + 60, y + 4, std::move(shapes), "times of warm and cold calls", all);
}

std::vector<std::pair<std::string, Drawing>> report_figures(const BundleContent& content) {
  auto groups = group_cases(content.results);
  const auto columns = bar_columns(groups);
  take_common_axes(groups);
  std::vector<std::pair<std::string, Drawing>> figures;
  for (const auto& [name, column] : columns)
    figures.emplace_back(name, bars_chart(groups, column.metric, column.title.c_str()));
  figures.emplace_back("stages", stages_chart(groups));
  figures.emplace_back("times", times_chart(content.results));
  std::erase_if(figures, [](const auto& figure) { return figure.second.shapes.empty(); });
  return figures;
}

}  // namespace aqbench
