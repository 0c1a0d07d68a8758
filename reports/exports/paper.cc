#include "reports/exports/paper.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/drawing/colour_map.h"
#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/measuring/timing.h"
#include "reports/content/case_columns.h"
#include "reports/content/environment_text.h"
#include "reports/content/metrics_table.h"

namespace aqbench {
namespace {

std::string method_of(const Record& record) {
  if (!record.workload.empty()) return record.workload;
  return record.preset.empty() ? record.method : record.method + ":" + record.preset;
}

void put_float(std::string& bytes, double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

Rgb8 rgb_of_code(std::uint16_t code) {
  const auto level = [](int part, int most) {
    return static_cast<std::uint8_t>((part * 255 + most / 2) / most);
  };
  return {level(code >> 11, 31), level(code >> 5 & 63, 63), level(code & 31, 31)};
}

constexpr double kPage = 960, kLabels = 320, kNumbers = 150, kRow = 22;
constexpr double kRoom = kPage - kLabels - kNumbers;

// Draws the colours and names of bars from `y` on and moves `y` below them.
void draw_keys(const Chart& chart, double& y, std::vector<Shape>& shapes) {
  double x = 0;
  for (const auto& [name, colour] : chart.keys) {
    const double width = 24 + 7.0 * static_cast<double>(display_width(name));
    if (x > 0 && x + width > kPage) {
      x = 0;
      y += 18;
    }
    shapes.push_back(rect_shape(x, y + 2, 11, 11, colour));
    shapes.push_back(text_shape(x + 15, y + 12, "start", name, "s"));
    x += width;
  }
  y += 24;
}

// Draws the bars of a row, and returns where they end.
double draw_bars(const Chart::Row& row, double scale, double y, std::vector<Shape>& shapes) {
  double at = kLabels;
  for (const Chart::Bar& bar : row.bars) {
    const double width = std::max(0.0, bar.value * scale);
    shapes.push_back(rect_shape(at, y + 3, width, kRow - 7, bar.colour.empty() ? "bar" : bar.colour,
                                bar.tip.empty() ? row.tip : bar.tip));
    at += width;
  }
  if (!row.spread) return at;
  const double sd = *row.spread * scale, middle = y + kRow / 2 - 1;
  shapes.push_back(line_shape(std::max(kLabels, at - sd), middle, at + sd, middle, "axis"));
  return at + sd;
}

// An interval over zero and what is allowed of a change.
double draw_interval(const Chart::Row& row, double reach, double y, std::vector<Shape>& shapes) {
  const auto x_of = [&](double value) {
    return kLabels + kRoom * (std::clamp(value / reach, -1.0, 1.0) + 1) / 2;
  };
  const auto& [low, estimate, high, least, most] = *row.interval;
  const double middle = y + kRow / 2;
  shapes.push_back(rect_shape(x_of(least), y + 1, x_of(most) - x_of(least), kRow - 2, "box"));
  shapes.push_back(line_shape(x_of(0), y, x_of(0), y + kRow, "axis"));
  shapes.push_back(line_shape(x_of(low), middle, x_of(high), middle, "level"));
  shapes.push_back(circle_shape(x_of(estimate), middle, 4, "dot", row.tip));
  return kLabels + kRoom;
}

}  // namespace

std::string results_csv(const Results& results) {
  Table table =
      table_with({"case", "scene", "method", "status", "metric", ">value", "unit", "better", "reason"});
  for (const Record& record : results.records) {
    const auto add = [&](std::vector<std::string> cells) {
      cells.insert(cells.begin(),
                   {record.case_name, record.scene, method_of(record), to_string(record.status)});
      table.rows.push_back(plain_row(std::move(cells)));
    };
    if (record.metrics.empty()) add({"", "", "", "", record.reason});
    for (const auto& [name, metric] : record.metrics)
      add({name, metric.value ? fmt::format("{}", *metric.value) : "", metric.unit, to_string(metric.better),
           metric.value ? "" : metric.reason.text()});
    if (const auto ms = typical_ms(record.timing))
      add({"time_ms", fmt::format("{}", *ms), "ms", "lower", ""});
  }
  return csv_of(table);
}

std::string results_latex(const Results& results, const LatexOptions& options) {
  std::vector<MetricColumn> columns = metric_columns(results), chosen;
  std::vector<MetricColumn> all = columns;  // then every other metric, which may be asked for by its name
  for (const Record& record : results.records) add_every_metric(record.metrics, all);
  for (const std::string& metric : options.metrics) {
    const auto column = std::ranges::find(all, metric, &MetricColumn::metric);
    if (column == all.end()) {
      std::vector<std::string> names;
      for (const MetricColumn& known : all) names.push_back(known.metric);
      throw Error(ErrorKind::usage, "--metric: " + unknown_name_message("metric", metric, names));
    }
    chosen.push_back(*column);
  }
  if (!chosen.empty()) columns = std::move(chosen);
  std::string text =
      fmt::format("% {}; needs \\usepackage{{booktabs,siunitx}} \\sisetup{{detect-weight=true,mode=text}}\n",
                  latex_escape(run_title(results)));
  std::vector<Table> tables = method_tables(results, columns);
  if (!tables.empty() && tables.front().columns.size() == 2) {  // of one scene: methods and metrics
    Table joined = tables.front();
    joined.label.clear();
    joined.columns.back().header = columns.front().heading;
    for (std::size_t i = 1; i < tables.size(); ++i) {
      joined.columns.push_back({columns[i].heading, Align::right});
      for (std::size_t row = 0; row < joined.rows.size(); ++row)
        joined.rows[row].push_back(tables[i].rows[row].back());
    }
    tables = {std::move(joined)};
  }
  const auto rename = [&](std::string& name) {
    if (const auto found = options.names.find(name); found != options.names.end()) name = found->second;
  };
  for (Table& table : tables) {
    for (TableColumn& column : table.columns) rename(column.header);
    for (auto& row : table.rows) rename(row.front().text);
    text += latex_of(table);
  }
  return text;
}

std::string error_ply(const CloudView& view, double limit_mm) {
  const bool own = !view.colours.empty();
  const std::string colours = own ? "those of the method"
                              : view.is_agreement
                                  ? "agreement of the images, dark -1 to light 1"
                                  : fmt::format("signed error, blue -{0} mm to red +{0} mm", limit_mm);
  std::string bytes = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment colours: {}\nelement vertex {}\nproperty float "
      "x\nproperty float y\nproperty float z\nproperty uchar red\nproperty uchar green\nproperty uchar "
      "blue\nproperty float {}\nend_header\n",
      colours, view.points.size(), view.is_agreement ? "agreement" : "error_mm");
  for (std::size_t i = 0; i < view.points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      put_float(bytes, (view.origin_mm[axis] + view.points[i][axis] * kViewStep_mm) / 1000);
    const double value =
        view.is_agreement ? agreement_of_code(view.errors[i]) : error_of_code(view.errors[i]);
    const Rgb8 colour = own                 ? rgb_of_code(view.colours[i])
                        : std::isnan(value) ? Rgb8{128, 128, 128}
                        : view.is_agreement ? sequential_colour(colour_step(0.5 + 0.5 * value))
                                            : diverging_colour(colour_step(0.5 + 0.5 * value / limit_mm));
    for (const std::uint8_t part : {colour.r, colour.g, colour.b}) bytes += static_cast<char>(part);
    put_float(bytes, value);
  }
  return bytes;
}

Drawing drawing_of(const Chart& chart) {
  constexpr std::size_t kMaxRows = 60, kLabelColumns = 46;  // wide letters fit, too
  std::vector<Shape> shapes = {text_shape(0, 16, "start", chart.title, "t")};
  double y = 26, most = chart.most;
  if (!chart.keys.empty()) draw_keys(chart, y, shapes);
  for (const Chart::Row& row : chart.rows)
    if (row.bars.size() == 1) most = std::max(most, row.bars.front().value + row.spread.value_or(0));
  const double scale = kRoom / (most > 0 ? round_up_125(most) : 1), top = y;
  for (std::size_t i = 0; i < std::min(chart.rows.size(), kMaxRows); ++i) {
    const Chart::Row& row = chart.rows[i];
    const std::string label = row.scene + (row.scene.empty() || row.label.empty() ? "" : "/") + row.label;
    shapes.push_back(text_shape(kLabels - 8, y + 14, "end", elide_middle(label, kLabelColumns), "s"));
    const double end = row.interval ? draw_interval(row, interval_reach(chart), y, shapes)
                                    : draw_bars(row, scale, y, shapes);
    shapes.push_back(text_shape(end + 6, y + 14, "start", elide_middle(row.number, 40), "s"));
    y += kRow;
  }
  shapes.push_back(line_shape(kLabels, top, kLabels, y, "axis"));
  if (chart.rows.size() > kMaxRows)
    shapes.push_back(
        text_shape(0, y += 16, "start", fmt::format("and {} more", chart.rows.size() - kMaxRows), "s"));
  return {kPage, y + 8, std::move(shapes), chart.title};
}

}  // namespace aqbench
