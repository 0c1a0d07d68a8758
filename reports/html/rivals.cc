#include <fmt/format.h>

#include <cmath>

#include "reports/content/metrics_table.h"
#include "reports/content/rivals.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

std::string tile_text(const ReportTile& tile) {
  return fmt::format("x {:.10g}, y {:.10g} mm", (tile.x_min_mm + tile.x_max_mm) / 2,
                     (tile.y_min_mm + tile.y_max_mm) / 2);
}

// The tiles where errors grow most and where most of the surface is lost.
std::string places_text(const Rivals& pair, const ReportPictures& pictures) {
  const std::map<TilePlace, ReportTile> best = tiles_by_place(of_case(pictures.tiles, pair.best->case_name));
  struct Worst {
    double loss = 0;
    ReportTile here, there;
  } error, surface;
  const auto take = [](Worst& worst, double loss, const ReportTile& here, const ReportTile& there) {
    if (loss > worst.loss) worst = {loss, here, there};  // false for NaN
  };
  for (const ReportTile& here : of_case(pictures.tiles, pair.worse->case_name)) {
    const auto there = best.find(place_of(here));
    if (there == best.end()) continue;
    take(error, std::abs(here.signed_mean_mm) - std::abs(there->second.signed_mean_mm), here, there->second);
    take(surface, there->second.completeness_pct - here.completeness_pct, here, there->second);
  }
  std::string text;
  if (error.loss > 0)
    text = fmt::format("error at {}: {} instead of {} mm", tile_text(error.here),
                       table_number(error.here.signed_mean_mm), table_number(error.there.signed_mean_mm));
  if (surface.loss > 0)
    text += fmt::format("{}surface covered at {}: {} instead of {} %", text.empty() ? "" : "; ",
                        tile_text(surface.here), table_number(surface.here.completeness_pct),
                        table_number(surface.there.completeness_pct));
  return text.empty() ? "nowhere by tiles" : text;
}

constexpr const char* kRivalsLead =
    "Each against the most accurate of its scene, and that one against the most complete. The map shows how "
    "much larger its distance to the true surface is: red where this case is worse. A case opens its values "
    "and the command that runs it again. Since when: `aqbench trend ..` and `aqbench site .. --out SITE` "
    "name "
    "the commit where a value changed, over all bundles beside this one.";

Table rivals_table(const std::vector<Rivals>& pairs, const BundleContent& content,
                   const ReportPictures& pictures, const CaseNames& names) {
  const std::vector<MetricColumn> columns = {{"accuracy_mean_mm", "mean error\nmm", "mean error [mm]"},
                                             completeness_column(content.results)};
  Table table{name_columns(names)};
  table.columns.push_back({"worse than", Align::left, false, ColumnRole::turns});
  for (const MetricColumn& column : columns) {
    table.columns.push_back(
        {column.heading, Align::right, false, ColumnRole::value, column.metric, column.title});
    table.columns.push_back({"best", Align::right});
  }
  for (const char* const title : {"likely cause", "map", "worst place"}) table.columns.push_back({title});
  table.columns[table.columns.size() - 2].role = ColumnRole::picture;
  table.label = "methods against each other";
  table.sortable = false;
  for (const Rivals& pair : pairs) {
    const auto& [worse, best] = pair;
    if (!has_room(table, kMaxRivals)) continue;
    std::vector<TableCell> cells = name_cells(names, names.of.at(worse->case_name));
    cells.push_back({names.of.at(best->case_name).label()});
    for (const MetricColumn& column : columns) {
      const auto here = value_of(worse->metrics, column.metric),
                 there = value_of(best->metrics, column.metric);
      cells.push_back({table_number_or_na(here)});
      cells.push_back({table_number_or_na(there)});
    }
    cells.push_back({likely_cause(pair, pictures.biases_mm)});
    TableCell& map = cells.emplace_back();
    map.html =
        difference_map(of_case(pictures.tiles, best->case_name), of_case(pictures.tiles, worse->case_name));
    cells.push_back({places_text(pair, pictures)});
    table.rows.push_back(std::move(cells));
    table.subjects.push_back({worse->case_name, true, false, best->case_name});
  }
  return table;
}

}  // namespace

std::string rival_words(const BundleContent& content, const ReportPictures& pictures,
                        const std::string& case_name) {
  for (const Rivals& pair : rivals_of(content.results)) {
    if (pair.worse->case_name != case_name) continue;
    const std::string cause = likely_cause(pair, pictures.biases_mm);
    return fmt::format("Compared with {}, the best of its scene: {}.",
                       name_cases(content.results).of.at(pair.best->case_name).label(),
                       cause.starts_with("unknown") ? places_text(pair, pictures) : cause);
  }
  return "";
}

std::string rivals_section(const BundleContent& content, const ReportPictures& pictures) {
  const std::vector<Rivals> pairs = rivals_of(content.results);
  Section section{"rivals", "Compared with the best"};
  if (!pairs.empty()) {
    const CaseNames names = name_cases(content.results);
    section.note = kRivalsLead;
    section.blocks.emplace_back(common_words(names.common));
    section.blocks.emplace_back(rivals_table(pairs, content, pictures, names));
  }
  return html_of(section);
}

}  // namespace aqbench
