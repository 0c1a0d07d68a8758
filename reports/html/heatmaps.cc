#include "reports/html/heatmaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/drawing/colour_map.h"
#include "core/drawing/svg.h"
#include "core/quantiles.h"
#include "core/table.h"
#include "core/text.h"
#include "reports/html/charts.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxPictureRows = 24;
constexpr const char* kTileBackground = "#80808055";  // of tiles without points, on light and dark pages

using StepColour = Rgb8 (*)(int step);

// A mean error of a tile is only as good as the positions that it comes from: float32 numbers of metres,
// whose steps are 0.0001 mm at 1 m. A scale that ends below a hundred of these would show their rounding as a
// pattern.
constexpr double kLeastLimit_mm = 0.01;

// The map as the cameras see it, and as the viewer shows it from above: x to the right, y down. One path per
// colour keeps a map of 1500 tiles at some 20 kB.
template <class Value>
std::string heatmap(const std::vector<ReportTile>& tiles, const Value& value_of, double low, double high,
                    StepColour colour_of) {
  int columns = 0, rows = 0;
  for (const ReportTile& tile : tiles) {
    columns = std::max(columns, tile.column + 1);
    rows = std::max(rows, tile.row + 1);
  }
  std::array<std::string, kColourSteps> paths;
  for (const ReportTile& tile : tiles) {
    const double value = value_of(tile);
    if (!std::isfinite(value)) continue;
    const int step = colour_step(high > low ? (value - low) / (high - low) : 0.5);
    paths[static_cast<std::size_t>(step)] += fmt::format("M{} {}h1v1h-1z", tile.column, tile.row);
  }
  std::string body;
  for (int step = 0; step < kColourSteps; ++step)
    if (!paths[static_cast<std::size_t>(step)].empty())
      body += fmt::format("<path fill=\"{}\" d=\"{}\"/>", hex_of(colour_of(step)),
                          paths[static_cast<std::size_t>(step)]);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" shape-rendering=\"crispEdges\" "
      "role=\"img\" aria-label=\"map of tiles\" style=\"background:{}\">{}</svg>",
      columns, rows, kTileBackground, body);
}

std::string scale_number(double value) { return fmt::format("{:.3g}", value); }

// The bar under a picture, its ends and its middle as numbers.
std::string colour_bar(double low, double high, const std::string& unit, StepColour colour_of) {
  constexpr double kWidth = 300, kStep = kWidth / kColourSteps;
  std::string body;
  for (int i = 0; i < kColourSteps; ++i)
    body += svg_rect(kStep * i, 0, kStep + 0.5, 9, fmt::format("fill=\"{}\"", hex_of(colour_of(i))).c_str());
  body += svg_text(0, 22, "start", scale_number(low), "s") +
          svg_text(kWidth / 2, 22, "middle", scale_number((low + high) / 2), "s") +
          svg_text(kWidth, 22, "end", fmt::format("{} {}", scale_number(high), unit), "s");
  return svg_figure(kWidth, 26, body,
                    fmt::format("colours from {} to {} {}", scale_number(low), scale_number(high), unit));
}

std::string figure(const std::string& picture, const std::string& bar, const std::string& caption) {
  return fmt::format("<figure>{}{}<figcaption>{}</figcaption></figure>\n", picture, bar, xml_escape(caption));
}

std::string share(double pct) { return std::isfinite(pct) ? table_number(pct) + " %" : std::string("n/a"); }

std::string depth_figure(const ReportPicture& picture, const std::string& label) {
  const bool is_error = picture.kind == "depth_error";
  std::string caption =
      is_error
          ? fmt::format("Depth error of camera {}: red is nearer than the truth, blue is deeper. ",
                        picture.camera)
          : fmt::format("Depth of camera {} along the refracted ray; the scale is the range of the truth. ",
                        picture.camera);
  caption += fmt::format("Grey: no depth; {} of the surface in view has one.", share(picture.filled_pct));
  if (is_error) caption += " Black: no surface to compare with.";
  if (picture.beyond_pct > 0) caption += fmt::format(" Beyond the scale: {}.", share(picture.beyond_pct));
  if (picture.every_px > 1) caption += fmt::format(" One pixel of {0} x {0} is shown.", picture.every_px);
  return figure(
      fmt::format(
          "<img alt=\"{}\" data-kind=\"{}\" data-label=\"{}\" src=\"data:image/png;base64,{}\">",
          xml_escape(picture.kind + " of camera " + picture.camera), xml_escape(picture.kind),
          xml_escape(fmt::format("{}: {} of {}", label, is_error ? "error" : "depth", picture.camera)),
          base64_text(picture.png)),
      colour_bar(picture.low, picture.high, picture.unit, is_error ? diverging_colour : sequential_colour),
      caption);
}

std::string tile_figures(const std::vector<ReportTile>& tiles, double limit_mm) {
  if (tiles.empty()) return "";
  return figure(heatmap(
                    tiles, [](const ReportTile& tile) { return tile.signed_mean_mm; }, -limit_mm, limit_mm,
                    diverging_colour),
                colour_bar(-limit_mm, limit_mm, "mm", diverging_colour),
                "Cloud from above, x to the right, y down: mean signed distance to the true surface, per 10 "
                "mm tile; "
                "red is towards the cameras. Grey: no points.") +
         figure(heatmap(
                    tiles, [](const ReportTile& tile) { return tile.completeness_pct; }, 0, 100,
                    sequential_colour),
                colour_bar(0, 100, "%", sequential_colour),
                "Cloud from above, x to the right, y down: share of the surface within 2 mm of a point, per "
                "10 mm "
                "tile.");
}

// One scale for the clouds of all cases; the few largest errors lie beyond it, so that the others show.
double common_limit_mm(const std::map<std::string, std::vector<ReportTile>>& tiles) {
  std::vector<double> errors_mm;
  for (const auto& [name, parsed] : tiles)
    for (const ReportTile& tile : parsed)
      if (std::isfinite(tile.signed_mean_mm)) errors_mm.push_back(std::abs(tile.signed_mean_mm));
  std::ranges::sort(errors_mm);
  return errors_mm.empty() ? 1 : round_up_125(std::max(kLeastLimit_mm, quantile_of_sorted(errors_mm, 0.98)));
}

}  // namespace

std::string case_pictures(const Results& results, const ReportPictures& pictures) {
  std::vector<std::string> shown;
  std::map<std::string, std::vector<ReportTile>> tiles;
  std::size_t more = 0;
  for (const Record& record : results.records) {
    const auto csv = pictures.tiles.find(record.case_name);
    std::vector<ReportTile> parsed;
    if (csv != pictures.tiles.end()) parsed = parse_tiles_csv(csv->second);
    if (parsed.empty() && !pictures.pictures.contains(record.case_name)) continue;
    if (shown.size() == kMaxPictureRows) {
      ++more;
      continue;
    }
    shown.push_back(record.case_name);
    tiles[record.case_name] = std::move(parsed);
  }
  if (shown.empty()) return "";
  const double limit_mm = common_limit_mm(tiles);
  const CaseLabels labels = label_cases(group_cases(results));
  std::string text;
  for (const std::string& name : shown) {
    text += fmt::format("<h3>{}</h3>\n<div class=\"maps\">\n", xml_escape(labels.of.at(name)));
    if (const auto depths = pictures.pictures.find(name); depths != pictures.pictures.end())
      for (const ReportPicture& picture : depths->second) text += depth_figure(picture, labels.of.at(name));
    text += tile_figures(tiles[name], limit_mm) + "</div>\n";
  }
  if (more > 0) text += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(more, "case"));
  if (pictures.left_out > 0)
    text += fmt::format("<p class=\"dim\">and {} of depths, in pictures/</p>\n",
                        counted(pictures.left_out, "more picture"));
  return text;
}

}  // namespace aqbench
