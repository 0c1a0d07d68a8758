#include "reports/exports/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/drawing/colour_map.h"
#include "core/text.h"

namespace aqbench {
namespace {

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
