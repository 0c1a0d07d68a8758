#include "cli/change_picture.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "core/drawing/colour_map.h"
#include "core/drawing/drawing.h"
#include "core/quantiles.h"

namespace aqbench::cli {
namespace {

constexpr std::size_t kPictureCells = 120;  // along the longer side

// Mean distance and limit of the core points in a square of the ground.
struct Square {
  std::size_t points = 0, significant = 0;
  double sum_m = 0;
};

}  // namespace

std::string change_picture(const std::vector<M3c2Change>& changes, const UpAxis& up,
                           const std::string& title) {
  Eigen::AlignedBox2d box;
  std::vector<double> sizes_mm;
  for (const M3c2Change& change : changes) {
    box.extend(Vec2(up.raised(change.core_m).head<2>()));
    if (change.is_significant()) sizes_mm.push_back(std::abs(1000 * change.distance_m));
  }
  const double side_m = std::max(box.sizes().maxCoeff(), 1e-9) / kPictureCells * (1 + 1e-9);
  const auto columns = static_cast<std::size_t>(box.sizes().x() / side_m) + 1;
  const auto rows = static_cast<std::size_t>(box.sizes().y() / side_m) + 1;
  std::vector<Square> squares(columns * rows);
  for (const M3c2Change& change : changes) {
    if (!std::isfinite(change.distance_m)) continue;
    const Vec2 place = (up.raised(change.core_m).head<2>() - box.min()) / side_m;
    Square& square =
        squares[static_cast<std::size_t>(place.y()) * columns + static_cast<std::size_t>(place.x())];
    ++square.points;
    square.significant += change.is_significant() ? 1 : 0;
    square.sum_m += change.distance_m;
  }
  std::ranges::sort(sizes_mm);
  const double limit_mm =
      sizes_mm.empty() ? 1 : round_up_125(std::max(quantile_of_sorted(sizes_mm, 0.98), 1e-6));
  constexpr double kSquarePx = 5, kLeftPx = 10, kTopPx = 30;
  Drawing drawing{.width = 2 * kLeftPx + std::max(kSquarePx * static_cast<double>(columns), 420.0),
                  .height = kTopPx + kSquarePx * static_cast<double>(rows) + 60,
                  .label = title};
  drawing.shapes.push_back(text_shape(kLeftPx, 18, "start", title, "t"));
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const Square& square = squares[i];
    if (square.points == 0) continue;
    const double mean_mm = 1000 * square.sum_m / static_cast<double>(square.points);
    const bool changed = 2 * square.significant > square.points;
    const std::size_t row = up.sign > 0 ? rows - 1 - i / columns : i / columns;  // seen from above
    drawing.shapes.push_back(
        rect_shape(kLeftPx + kSquarePx * static_cast<double>(i % columns),
                   kTopPx + kSquarePx * static_cast<double>(row), kSquarePx, kSquarePx,
                   changed ? hex_of(diverging_colour(colour_step(0.5 + 0.5 * mean_mm / limit_mm)))
                           : hex_of(kNoValueColour),
                   fmt::format("{:+.3g} mm", mean_mm)));
  }
  const double legend_px = kTopPx + kSquarePx * static_cast<double>(rows) + 12;
  for (int step = 0; step < kColourSteps; ++step)
    drawing.shapes.push_back(
        rect_shape(kLeftPx + 6 * step, legend_px, 6, 12, hex_of(diverging_colour(step))));
  drawing.shapes.push_back(
      text_shape(kLeftPx, legend_px + 26, "start", fmt::format("-{:g} mm", limit_mm), "s"));
  drawing.shapes.push_back(text_shape(kLeftPx + 6.0 * kColourSteps, legend_px + 26, "end",
                                      fmt::format("+{:g} mm", limit_mm), "s"));
  drawing.shapes.push_back(
      text_shape(kLeftPx + 6.0 * kColourSteps + 14, legend_px + 10, "start",
                 fmt::format("grey: no significant change; a square is {:.3g} mm", 1000 * side_m), "s"));
  return svg_document(drawing);
}

}  // namespace aqbench::cli
