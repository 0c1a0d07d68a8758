// Errors by place, as pictures.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "reports/html_charts.h"
#include "reports/html_report.h"
#include "reports/junit.h"
#include "reports/svg.h"
#include "reports/table.h"

namespace aqbench {
namespace {

constexpr std::size_t kMostHeatmaps = 24;
constexpr int kColours = 15;

struct Rgb {
  double r, g, b;
};

std::string hex_of(const Rgb& colour) {
  const auto byte = [](double value) { return static_cast<int>(std::lround(std::clamp(value, 0.0, 255.0))); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(colour.r), byte(colour.g), byte(colour.b));
}

Rgb mix(const Rgb& a, const Rgb& b, double t) {
  return {a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b)};
}

// Blue (deeper than the truth) over white to red (towards the cameras); and pale to dark green.
std::string diverging_colour(int index) {
  const double t = 2.0 * index / (kColours - 1) - 1;
  constexpr Rgb blue{33, 102, 172}, white{247, 247, 247}, red{178, 24, 43};
  return hex_of(t < 0 ? mix(white, blue, -t) : mix(white, red, t));
}
std::string sequential_colour(int index) {
  constexpr Rgb pale{247, 252, 245}, dark{0, 90, 50};
  return hex_of(mix(pale, dark, static_cast<double>(index) / (kColours - 1)));
}

// One path per colour keeps a map of 1500 tiles at some 20 kB.
template <class Value>
std::string heatmap(const std::vector<ReportTile>& tiles, const Value& value_of, double low, double high,
                    std::string (*colour_of)(int)) {
  int columns = 0, rows = 0;
  for (const ReportTile& tile : tiles) {
    columns = std::max(columns, tile.column + 1);
    rows = std::max(rows, tile.row + 1);
  }
  std::array<std::string, kColours> paths;
  for (const ReportTile& tile : tiles) {
    const double value = value_of(tile);
    if (!std::isfinite(value)) continue;
    const double t = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0.5;
    const auto index = static_cast<std::size_t>(std::lround(t * (kColours - 1)));
    paths[index] += fmt::format("M{} {}h1v1h-1z", tile.column, rows - 1 - tile.row);
  }
  std::string body;
  for (int index = 0; index < kColours; ++index)
    if (!paths[static_cast<std::size_t>(index)].empty())
      body += fmt::format("<path fill=\"{}\" d=\"{}\"/>", colour_of(index),
                          paths[static_cast<std::size_t>(index)]);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {0} {1}\" "
      "shape-rendering=\"crispEdges\" "
      "role=\"img\" style=\"background:#8c959f33\">{2}</svg>",
      columns, rows, body);
}

std::string legend(double low, double high, const char* unit, std::string (*colour_of)(int)) {
  std::string body;
  for (int i = 0; i < kColours; ++i)
    body += svg_rect(70 + 14.0 * i, 2, 14.5, 12, fmt::format("fill=\"{}\"", colour_of(i)).c_str());
  body +=
      svg_text(64, 13, "end", short_number(low), "s") +
      svg_text(70 + 14.0 * kColours + 6, 13, "start", fmt::format("{} {}", short_number(high), unit), "s");
  return svg_figure(640, 18, body);
}

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, xml_escape(caption));
}

}  // namespace

std::string heatmaps(const Results& results, const std::map<std::string, std::string>& tiles) {
  std::vector<std::pair<std::string, std::vector<ReportTile>>> maps;
  std::vector<double> errors_mm;
  std::size_t more = 0;
  for (const Record& record : results.records) {
    const auto found = tiles.find(record.case_name);
    if (found == tiles.end()) continue;
    std::vector<ReportTile> parsed = parse_tiles_csv(found->second);
    if (parsed.empty()) continue;
    if (maps.size() == kMostHeatmaps) {
      ++more;
      continue;
    }
    for (const ReportTile& tile : parsed)
      if (std::isfinite(tile.signed_mean_mm)) errors_mm.push_back(std::abs(tile.signed_mean_mm));
    maps.emplace_back(record.case_name, std::move(parsed));
  }
  if (maps.empty()) return "";
  std::ranges::sort(errors_mm);
  // One scale for all maps, without the few outliers that would wash the rest out.
  const double limit_mm = errors_mm.empty() ? 1 : std::max(1e-6, sorted_quantile(errors_mm, 0.98));
  std::string text =
      legend(-limit_mm, limit_mm, "mm, signed mean (red: towards the cameras)", diverging_colour);
  text += legend(0, 100, "% complete at 2 mm", sequential_colour) + "<div class=\"maps\">\n";
  for (const auto& [name, parsed] : maps) {
    text += figure(heatmap(
                       parsed, [](const ReportTile& tile) { return tile.signed_mean_mm; }, -limit_mm,
                       limit_mm, diverging_colour),
                   name + ": signed mean");
    text += figure(
        heatmap(
            parsed, [](const ReportTile& tile) { return tile.completeness_pct; }, 0, 100, sequential_colour),
        name + ": completeness");
  }
  text += "</div>\n";
  return more == 0 ? text : text + fmt::format("<p class=\"dim\">and {} more</p>\n", counted(more, "case"));
}

}  // namespace aqbench
