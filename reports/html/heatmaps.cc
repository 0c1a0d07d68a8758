#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/quantiles.h"
#include "core/text.h"
#include "reports/content/case_columns.h"
#include "reports/html/picture_parts.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxPictureRows = 24;
// Of tiles without points, drawn so that paper has it, too: white there would say "no error".
constexpr const char* kTileBackground = "#9a9a9a";

ColourScale signed_scale(double limit, const char* unit = "mm") {
  return {-limit, limit, unit, diverging_colour};
}

using TileValue = double ReportTile::*;

constexpr double kLeastLimit_mm = 0.01;  // a finer scale would show the rounding of float32 positions

// The side of the tiles; of a patch that is narrower both ways, its longer side.
double tile_mm(const std::vector<ReportTile>& tiles) {
  double side_mm = 0;
  for (const ReportTile& tile : tiles)
    side_mm = std::max({side_mm, tile.x_max_mm - tile.x_min_mm, tile.y_max_mm - tile.y_min_mm});
  return side_mm;
}

// How many tiles a map is wide and high: as far as the patch goes.
std::pair<double, double> extent_in_tiles(const std::vector<ReportTile>& tiles) {
  double columns = 0, rows = 0;
  const double side_mm = tile_mm(tiles);
  for (const ReportTile& tile : tiles) {
    columns = std::max(columns, tile.column + (tile.x_max_mm - tile.x_min_mm) / side_mm);
    rows = std::max(rows, tile.row + (tile.y_max_mm - tile.y_min_mm) / side_mm);
  }
  return {columns, rows};
}

// The map as the cameras see it, and as the viewer shows it from above: x to the right, y down. One path per
// colour keeps a map of 1500 tiles at some 20 kB.
std::string heatmap(const std::vector<ReportTile>& tiles, TileValue value_of, const ColourScale& scale,
                    const std::string& id = "") {
  const auto [columns, rows] = extent_in_tiles(tiles);
  std::array<std::string, kColourSteps> paths;
  const auto step_of = [&](const ReportTile& tile) {
    const double value = tile.*value_of, span = scale.high - scale.low;
    return !std::isfinite(value) ? -1 : colour_step(span > 0 ? (value - scale.low) / span : 0.5);
  };
  // Tiles of one colour side by side are one shape.
  for (std::size_t i = 0, next = 0; i < tiles.size(); i = next) {
    const int step = step_of(tiles[i]);
    for (next = i + 1; next < tiles.size() && tiles[next].row == tiles[i].row &&
                       tiles[next].column == tiles[next - 1].column + 1 && step_of(tiles[next]) == step;)
      ++next;
    if (step >= 0)
      paths[static_cast<std::size_t>(step)] +=
          fmt::format("M{} {}h{}v1h-{}z", tiles[i].column, tiles[i].row, next - i, next - i);
  }
  std::string body;
  for (int step = 0; step < kColourSteps; ++step)
    if (const std::string& path = paths[static_cast<std::size_t>(step)]; !path.empty())
      body += fmt::format("<path fill=\"{}\" d=\"{}\"/>", hex_of(scale.colour_of(step)), path);
  return fmt::format(
      "<svg{4} xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.6g} {1:.6g}\" "
      "shape-rendering=\"crispEdges\" role=\"img\" aria-label=\"map of tiles\"><path fill=\"{2}\" d=\"M0 "
      "0h{0:.6g}v{1:.6g}h-{0:.6g}z\"/>{3}</svg>",
      columns, rows, kTileBackground, body, id.empty() ? "" : fmt::format(" id=\"{}\"", id));
}

// "x to the right from -250 to 250 mm, y down from -150 to 150 mm": where a place named here is.
std::string extent_text(const std::vector<ReportTile>& tiles) {
  return fmt::format("x to the right from {:.10g} to {:.10g} mm, y down from {:.10g} to {:.10g} mm",
                     std::ranges::min(tiles, {}, &ReportTile::x_min_mm).x_min_mm,
                     std::ranges::max(tiles, {}, &ReportTile::x_max_mm).x_max_mm,
                     std::ranges::min(tiles, {}, &ReportTile::y_min_mm).y_min_mm,
                     std::ranges::max(tiles, {}, &ReportTile::y_max_mm).y_max_mm);
}

// "per 10 mm tile".
std::string per_tile(const std::vector<ReportTile>& tiles) {
  return fmt::format("per {:.6g} mm tile", tile_mm(tiles));
}

// The 98th percentile of a case's errors: the few largest lie beyond, so that the others show. NaN: none.
double error_reach_mm(const std::vector<ReportTile>& tiles) {
  std::vector<double> errors_mm;
  for (const ReportTile& tile : tiles)
    if (std::isfinite(tile.signed_mean_mm)) errors_mm.push_back(std::abs(tile.signed_mean_mm));
  std::ranges::sort(errors_mm);
  return errors_mm.empty() ? std::nan("") : quantile_of_sorted(errors_mm, 0.98);
}

// One scale for several clouds: the median of their reaches, so that one far off leaves the others colours.
double common_limit_mm(const std::vector<const std::vector<ReportTile>*>& clouds) {
  std::vector<double> reaches_mm;
  for (const std::vector<ReportTile>* const tiles : clouds)
    if (const double reach_mm = error_reach_mm(*tiles); std::isfinite(reach_mm))
      reaches_mm.push_back(reach_mm);
  std::ranges::sort(reaches_mm);
  return reaches_mm.empty() ? 1
                            : round_up_125(std::max(kLeastLimit_mm, reaches_mm[(reaches_mm.size() - 1) / 2]));
}

// A case in the maps of its scene.
struct MappedCase {
  std::string label, extent, id;  // id: of the map of its errors
  const std::vector<ReportTile>* tiles;
};

std::string map_row(const std::vector<MappedCase>& cases, bool same_extent, TileValue value_of,
                    const ColourScale& scale, const std::string& text) {
  std::string maps;
  for (const MappedCase& one : cases)
    maps += figure(heatmap(*one.tiles, value_of, scale,
                           value_of == &ReportTile::signed_mean_mm ? one.id : std::string()),
                   "", same_extent ? one.label : one.label + ": " + one.extent);
  return fmt::format(
      "<div class=\"mapkey\">{}<p class=\"dim\">{}</p></div>\n<div class=\"multiples\">\n{}</div>\n",
      colour_bar(scale), xml_escape(text), maps);
}

// The maps of a scene: one scale and one legend for all of its cases.
std::string scene_maps(const std::vector<MappedCase>& cases) {
  std::vector<const std::vector<ReportTile>*> clouds;
  std::vector<MappedCase> with_holes;  // a map without any says nothing
  std::string whole;
  constexpr double kCovered_pct = 95;  // the colours of more look alike
  double least = 100;
  for (const MappedCase& one : cases) {
    clouds.push_back(one.tiles);
    double covered = std::nan("");
    for (const ReportTile& tile : *one.tiles) covered = std::fmin(covered, tile.completeness_pct);
    least = std::fmin(least, covered);
    if (covered < kCovered_pct) with_holes.push_back(one);
    if (covered >= kCovered_pct) whole += (whole.empty() ? ": " : ", ") + one.label;
  }
  const bool same_extent =
      std::ranges::all_of(cases, [&](const MappedCase& one) { return one.extent == cases.front().extent; });
  const double limit_mm = common_limit_mm(clouds);
  std::string text = map_row(
      cases, same_extent, &ReportTile::signed_mean_mm, signed_scale(limit_mm),
      fmt::format(
          "Mean signed distance to the true surface{}{}; red is towards the cameras, grey: no points.",
          same_extent ? ", from above, " : "", same_extent ? cases.front().extent : ""));
  const double low = least >= 90 ? 90 : least >= 50 ? 50 : 0;
  if (!with_holes.empty())
    text += map_row(with_holes, same_extent, &ReportTile::completeness_pct,
                    {low, 100, "%", sequential_colour}, "Share of the surface that has a point within 2 mm.");
  if (whole.empty()) return text;
  return text + "<p class=\"dim\">In every tile 95 % of the surface and more has a point within 2 mm" +
         (with_holes.empty() ? "" : xml_escape(whole)) + ".</p>\n";
}

// One picture of tiles with its colours.
std::string signed_figure(const std::vector<ReportTile>& tiles, TileValue value_of, const ColourScale& scale,
                          const std::string& caption) {
  return figure(heatmap(tiles, value_of, scale), colour_bar(scale), caption);
}

// How much larger |error| is in B, and how much less is covered, where both have the tile.
std::vector<ReportTile> change_of_tiles(const std::vector<ReportTile>& a, const std::vector<ReportTile>& b) {
  const std::map<TilePlace, ReportTile> of_a = tiles_by_place(a);
  std::vector<ReportTile> change;
  for (const ReportTile& tile : b) {
    const auto before = of_a.find(place_of(tile));
    if (before == of_a.end()) continue;
    change.push_back(tile);
    change.back().signed_mean_mm = std::abs(tile.signed_mean_mm) - std::abs(before->second.signed_mean_mm);
    change.back().completeness_pct = before->second.completeness_pct - tile.completeness_pct;
  }
  return change;
}

// Pictures of two sides of one case: mean errors of both on one scale, how much larger |error| of B is, and
// how much less of the surface B covers; "" where no tile of the two differs.
std::string tile_comparison(const std::vector<ReportTile>& a, const std::vector<ReportTile>& b) {
  const std::vector<ReportTile> change = change_of_tiles(a, b);
  if (std::ranges::none_of(change, [](const ReportTile& tile) {
        return std::abs(tile.signed_mean_mm) > 0 || std::abs(tile.completeness_pct) > 0;
      }))
    return "";
  const TileValue error = &ReportTile::signed_mean_mm;
  const ColourScale scale = signed_scale(common_limit_mm({&a, &b}));
  return "<div class=\"maps\">\n" +
         signed_figure(a, error, scale,
                       fmt::format("A: mean signed distance to the true surface, {}.", per_tile(a))) +
         signed_figure(b, error, scale, "B: the same.") +
         signed_figure(
             change, error, signed_scale(common_limit_mm({&change})),
             "B against A: how much larger the distance is; red is where B is worse. Grey: not in both.") +
         signed_figure(
             change, &ReportTile::completeness_pct, signed_scale(100, "%"),
             "B against A: how much less of the surface has a point within 2 mm; red is where B is worse.") +
         "</div>\n";
}

// The cases with tiles or depths, in the order of their names: the first ones are drawn.
std::vector<const Record*> pictured_cases(const Results& results, const ReportPictures& pictures) {
  std::vector<const Record*> cases = name_cases(results).order;
  std::erase_if(cases, [&](const Record* record) {
    return of_case(pictures.tiles, record->case_name).empty() &&
           !pictures.pictures.contains(record->case_name);
  });
  return cases;
}

std::string map_id(const Results& results, const Record& record) {
  return fmt::format("map-{}", &record - results.records.data());
}

}  // namespace

std::string difference_map(const std::vector<ReportTile>& best, const std::vector<ReportTile>& worse) {
  const std::vector<ReportTile> change = change_of_tiles(best, worse);
  const double reach_mm = error_reach_mm(change);
  if (!std::isfinite(reach_mm)) return "";
  const double limit_mm = round_up_125(std::max(kLeastLimit_mm, reach_mm));
  return heatmap(change, &ReportTile::signed_mean_mm, signed_scale(limit_mm)) +
         fmt::format("<small>± {:.3g} mm</small>", limit_mm);
}

std::string case_picture(const Record& record, const ReportPictures& pictures) {
  if (const std::vector<ReportTile>& tiles = of_case(pictures.tiles, record.case_name); !tiles.empty())
    return signed_figure(
        tiles, &ReportTile::signed_mean_mm, signed_scale(common_limit_mm({&tiles})),
        "Signed error of this case from above; red is towards the cameras, grey: no points.");
  const std::vector<ReportPicture>& depths = of_case(pictures.pictures, record.case_name);
  if (depths.empty()) return "";
  const auto error = std::ranges::find(depths, "depth_error", &ReportPicture::kind);
  return depth_figure(
      error == depths.end() ? depths.front() : *error,
      {depths, of_case(pictures.kinds, record.case_name), has_true_surface(record), record.case_name});
}

void add_map_thumbnails(const Results& results, const ReportPictures& pictures, Table& table) {
  std::map<std::string, const Record*> mapped;
  std::vector<const Record*> shown = pictured_cases(results, pictures);
  shown.resize(std::min(shown.size(), kMaxPictureRows));
  for (const Record* const record : shown) mapped[record->case_name] = record;
  for (auto& row : table.rows)
    for (TableCell& cell : row) {
      const auto found = mapped.find(cell.subject);
      if (found == mapped.end() || of_case(pictures.tiles, cell.subject).empty()) continue;
      const auto [columns, rows] = extent_in_tiles(of_case(pictures.tiles, cell.subject));
      cell.html = fmt::format(
          "<span class=\"mapped\">{}{}<svg class=\"thumb\" viewBox=\"0 0 {:.6g} {:.6g}\" "
          "aria-hidden=\"true\"><use "
          "href=\"#{}\"/></svg></span>",
          xml_escape(cell.text), cell.spread.empty() ? "" : " ± " + xml_escape(cell.spread), columns, rows,
          map_id(results, *found->second));
      cell.spread.clear();
    }
}

std::string case_pictures(const Results& results, const ReportPictures& pictures) {
  const CaseNames names = name_cases(results);
  std::vector<std::pair<std::string, std::vector<MappedCase>>> scenes;
  std::string depths_text;
  const std::vector<const Record*> shown = pictured_cases(results, pictures);
  for (std::size_t i = 0; i < std::min(shown.size(), kMaxPictureRows); ++i) {
    const Record* const record = shown[i];
    const std::vector<ReportTile>& tiles = of_case(pictures.tiles, record->case_name);
    const std::vector<ReportPicture>& depths = of_case(pictures.pictures, record->case_name);
    const CaseName& own = names.of.at(record->case_name);
    const std::string label = own.label();
    if (!tiles.empty()) {
      if (scenes.empty() || scenes.back().first != own.scene) scenes.push_back({own.scene, {}});
      scenes.back().second.push_back(
          {label, extent_text(tiles) + ", " + per_tile(tiles), map_id(results, *record), &tiles});
    }
    if (depths.empty()) continue;
    depths_text += fmt::format("<h3>Depth maps: {} / {}</h3>\n<div class=\"maps\">\n{}</div>\n",
                               xml_escape(own.scene), xml_escape(label),
                               depth_figures({depths, of_case(pictures.kinds, record->case_name),
                                              has_true_surface(*record), own.scene + "/" + label}));
  }
  if (shown.empty()) return "";
  std::string text;
  for (const auto& [scene, cases] : scenes)
    text += fmt::format("<h3>{}</h3>\n", xml_escape(scene)) + scene_maps(cases);
  if (shown.size() > kMaxPictureRows)
    text +=
        fmt::format("<p class=\"dim\">and {} more</p>\n", counted(shown.size() - kMaxPictureRows, "case"));
  text += depths_text;
  if (pictures.left_out > 0)
    text += fmt::format("<p class=\"dim\">and {} of depths, in pictures/</p>\n",
                        counted(pictures.left_out, "more picture"));
  return text;
}

std::string worst_places(const Verdicts& verdicts, const TilesOfSide& tiles_of) {
  if (verdicts.rows.empty()) return "";
  const std::string& name = verdicts.rows.front().case_name;
  const std::string map = difference_map(tiles_of(name, false), tiles_of(name, true));
  return map.empty() ? ""
                     : figure(map, "", "How much larger the errors of this case are in B (red), from above.");
}

std::string tile_places_section(const Verdicts& verdicts, const TilesOfSide& tiles_of,
                                const std::string& lead) {
  constexpr std::size_t kMaxDrawnCases = 12;
  std::string text;
  std::size_t shown = 0;
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const std::string& name = one.worst->case_name;
    const std::string maps = tile_comparison(tiles_of(name, false), tiles_of(name, true));
    if (!maps.empty() && ++shown <= kMaxDrawnCases)
      text += fmt::format("<h3>{}</h3>\n{}", xml_escape(name), maps);
  }
  if (shown > kMaxDrawnCases)
    text += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(shown - kMaxDrawnCases, "case"));
  return html_of(Section{"places",
                         "Where on the surface, tile by tile",
                         "Seen from above, x to the right, y down. " + lead,
                         {Picture{text}}});
}

}  // namespace aqbench
