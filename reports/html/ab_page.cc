#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "harness/ab/report.h"
#include "metrics/value_change.h"
#include "reports/content/environment_text.h"
#include "reports/html/report.h"
#include "reports/html/sections.h"
#include "reports/text/ab_summary.h"

namespace aqbench {
namespace {

// A page with more units would be too large to load: it shows verdicts without curves.
constexpr std::size_t kMaxUnitsDrawn = 20'000;

std::string ab_head(const AbDocument& document, const AbReport& report, const TilesOfSide& tiles_of) {
  std::string text = fmt::format("<h1>{} against {}</h1>\n<p class=\"dim\">aqbench ab, {}</p>\n",
                                 xml_escape(document.b.label), xml_escape(document.a.label),
                                 xml_escape(minute_text(document.run.started_utc)));
  Banner card = banner_of(report);
  card.picture = worst_places(report.verdicts, tiles_of);
  text += html_of(card);
  if (!document.run.complete) text += "<p><span class=\"badge bad\">interrupted</span></p>\n";
  return text +
         fmt::format("<p>A: {}<br>B: {}</p>\n", xml_escape(document.a.label), xml_escape(document.b.label));
}

// ---- What scripts draw ----

// The value of a unit that is compared; nullopt where it has none.
std::optional<double> unit_value(const Record& unit, const AbCase& compared) {
  if (unit.status != Status::ok) return std::nullopt;
  const std::vector<double>* const values = compared_values(unit, compared);
  return values == nullptr ? std::nullopt : std::optional(median_of(*values));
}

const char* shift_kind(ShiftScale scale) {
  if (scale == ShiftScale::distance_from_ideal) return "distance";
  return is_difference(scale) ? "difference" : "ratio";
}

// {"name", "unit", "pairs": [[a, b, number of A's unit, number of B's unit, confirms, kept], ...], "kind",
// "shift", "low", "high"}: the last ones where there is a comparison.
Json series_json(const AbSamples& samples, std::size_t case_index, const AbOutcome* outcome,
                 const std::optional<AbTimeDecision>& decision) {
  const PairedComparison* const compared =
      decision && decision->comparison ? &*decision->comparison : nullptr;
  std::set<std::size_t> kept;
  if (compared != nullptr) kept.insert(compared->kept.begin(), compared->kept.end());
  AbCase shown_case = samples.cases[case_index];
  if (outcome != nullptr) shown_case.outcome = *outcome;
  Json pairs = Json::array();
  bool any = false;
  std::size_t look_pairs = 0;
  for (std::size_t i = 0; i + 1 < samples.units.size(); i += 2) {
    const UnitOfRecord& first = *samples.units[i].unit;
    if (first.case_index != case_index) continue;
    const bool a_first = first.side == AbSide::a;
    const std::size_t at_a = a_first ? i : i + 1, at_b = a_first ? i + 1 : i;
    const auto a = unit_value(samples.units[at_a], shown_case),
               b = unit_value(samples.units[at_b], shown_case);
    any = any || a || b;
    const bool confirms = first.confirms(), is_kept = !confirms && kept.contains(look_pairs);
    if (!confirms) ++look_pairs;
    pairs.push_back(
        {a ? Json(*a) : Json(nullptr), b ? Json(*b) : Json(nullptr), at_a + 1, at_b + 1, confirms, is_kept});
  }
  if (!any) return nullptr;
  Json series = {
      {"name", outcome == nullptr ? time_name(shown_case.decided_by) : metric_words(outcome->name)},
      {"unit", outcome == nullptr ? unit_of(shown_case.decided_by) : outcome->unit},
      {"pairs", std::move(pairs)},
      {"kind", compared == nullptr ? "ratio" : shift_kind(compared->scale)}};
  if (compared == nullptr) return series;
  const EstimatedShift shown = shown_shift(*compared);
  for (const auto& [name, shift] :
       {std::pair{"shift", shown.shift}, {"low", shown.interval.lower}, {"high", shown.interval.upper}})
    series[name] = rounded_json(change_of(compared->scale, shift));
  return series;
}

std::string comparison_json(const AbDocument& document, const AbReport& report) {
  Json cases = Json::array();
  for (const AbCaseReport* const shown : worst_first(report)) {  // the page opens with the first one
    const AbCaseReport& one = *shown;
    const auto i = static_cast<std::size_t>(shown - report.cases.data());
    Json series = Json::array();
    if (Json time = series_json(document.samples, i, nullptr, one.time); !time.is_null())
      series.push_back(std::move(time));
    for (const AbOutcome& outcome : document.settings.outcomes) {
      const auto judged = std::ranges::find(one.outcomes, outcome.name,
                                            [](const AbOutcomeReport& row) { return row.outcome.name; });
      Json found = series_json(document.samples, i, &outcome,
                               judged == one.outcomes.end() ? std::nullopt : std::optional(judged->decision));
      if (!found.is_null()) series.push_back(std::move(found));
    }
    const auto row = std::ranges::find_if(report.verdicts.rows, [&](const VerdictRow& found) {
      return found.case_name == one.name && !found.only_shown;
    });
    cases.push_back({{"name", one.name},
                     {"verdict", fmt::format("{}: {}", to_string(one.verdict), row->words)},
                     {"leading", metric_words(row->metric)},
                     {"series", std::move(series)}});
  }
  const auto [a, b] = names_of_sides(document);
  return compact_json({{"sides", {a, b}}, {"comparison", std::move(cases)}});
}

}  // namespace

std::string ab_page(const AbDocument& document, const AbReport& judged,
                    const std::map<std::string, std::string>& tiles) {
  const AbReport report = with_sides_named(document, judged);
  PageParts parts;
  parts.title = fmt::format("{} against {}", document.b.label, document.a.label);
  const auto tiles_of = [&](const std::string& name, bool of_b) {
    const auto found = tiles.find(ab_tiles_file(name, of_b ? AbSide::b : AbSide::a));
    return found == tiles.end() ? std::vector<ReportTile>{} : parse_tiles_csv(found->second, found->first);
  };
  parts.header = ab_head(document, report, tiles_of);
  const std::vector<Section> sections = ab_sections(document, report);
  parts.body = html_of(sections.front());
  if (document.samples.units.size() <= kMaxUnitsDrawn) {
    parts.data_json = comparison_json(document, report);
    parts.comparison = true;
    parts.body += scripted_section("comparison", "Pair by pair",
                                   "Drag over a curve to zoom in, double click to zoom out.");
  }
  parts.body += tile_places_section(report.verdicts, tiles_of,
                                    "Of each case the first run of A and the first of B, on the same input: "
                                    "one run is no verdict.");
  for (std::size_t i = 1; i < sections.size(); ++i) parts.body += html_of(sections[i]);
  return html_page(parts);
}

}  // namespace aqbench
