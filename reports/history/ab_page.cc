#include "reports/history/ab_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "core/json.h"
#include "core/text.h"
#include "harness/ab/outcome_decision.h"
#include "harness/ab/report_json.h"
#include "harness/ab/tiles.h"
#include "reports/content/environment_text.h"
#include "reports/history/tile_places.h"
#include "reports/html/page.h"
#include "reports/text/ab_lines.h"

namespace aqbench {
namespace {

using AbCells = std::vector<std::string>;

bool is_bad_verdict(AbVerdict verdict) {
  return verdict != AbVerdict::faster && verdict != AbVerdict::pass && verdict != AbVerdict::better &&
         verdict != AbVerdict::equivalent;
}

// Where a verdict stands in a table: failed and invalid first, what passed last.
int ab_rank(AbVerdict verdict) {
  constexpr std::array order = {AbVerdict::failed, AbVerdict::invalid, AbVerdict::regressed,
                                AbVerdict::worse,  AbVerdict::trade,   AbVerdict::inconclusive,
                                AbVerdict::refused};
  return static_cast<int>(std::ranges::find(order, verdict) - order.begin());
}

std::string ab_row(const AbCells& titles, const AbCells& cells, int bad = -1) {
  std::string text = "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i)
    text += i == 0 ? fmt::format("<td>{}</td>", xml_escape(cells[i]))
                   : fmt::format("<td data-label=\"{}\"{}>{}</td>", xml_escape(titles[i]),
                                 static_cast<int>(i) == bad ? " class=\"bad\"" : "", xml_escape(cells[i]));
  return text + "</tr>\n";
}

// The cases as the tables list them: failed and invalid ones first, what passed last.
std::vector<const AbCaseReport*> ranked_cases(const AbReport& report) {
  std::vector<const AbCaseReport*> cases;
  for (const AbCaseReport& one : report.cases) cases.push_back(&one);
  std::ranges::stable_sort(cases, {}, [](const AbCaseReport* one) { return ab_rank(one->verdict); });
  return cases;
}

// The tiles of both sides of each case.
std::vector<TilePair> ab_tile_pairs(const AbReport& report, const std::map<std::string, std::string>& tiles) {
  std::vector<TilePair> pairs;
  const auto tiles_of = [&](const std::string& name, AbSide side) {
    const auto found = tiles.find(ab_tiles_file(name, side));
    return found == tiles.end() ? std::vector<ReportTile>{} : parse_tiles_csv(found->second);
  };
  for (const AbCaseReport* const one : ranked_cases(report))
    pairs.push_back({one->name, tiles_of(one->name, AbSide::a), tiles_of(one->name, AbSide::b)});
  return pairs;
}

std::string verdicts_section(const AbReport& report) {
  const bool timed = std::ranges::any_of(report.cases, [](const auto& one) { return one.time.has_value(); });
  AbCells titles = {"case", "verdict"};
  if (timed) titles.insert(titles.end(), {"A [ms]", "B [ms]", "change", "interval", "pairs kept"});
  titles.insert(titles.end(), {"outputs", "why"});
  std::string rows;
  for (const AbCaseReport* const one : ranked_cases(report)) {
    AbCells cells = {one->name, to_string(one->verdict)};
    if (one->time && one->time->comparison)
      cells.insert(cells.end(),
                   {short_number_or_na(one->time->median_a_ms), short_number_or_na(one->time->median_b_ms),
                    ab_change_text(*one->time->comparison), ab_interval_text(*one->time->comparison),
                    ab_kept_text(*one->time->comparison)});
    else if (timed)
      cells.insert(cells.end(), {"n/a", "n/a", "n/a", "n/a", "n/a"});
    cells.insert(cells.end(), {one->outputs, one->reason});
    rows += ab_row(titles, cells, is_bad_verdict(one->verdict) ? 1 : -1);
  }
  return page_section(
      "verdicts", "Verdicts", page_table("verdicts", titles, rows),
      timed ? "Of each case. Times are the medians of units, a unit the shortest of its warm runs; the "
              "interval holds with the confidence that the settings name."
            : "Of each case, by its metrics; times are not judged.");
}

std::string outcomes_section(const AbReport& report) {
  const AbCells titles = {"case", "metric or cost", "verdict", "A", "B", "unit", "change", "interval", "why"};
  std::string rows;
  for (const AbCaseReport& one : report.cases)
    for (const auto& [outcome, decision] : one.outcomes) {
      const auto& compared = decision.comparison;
      const bool bad = decision.verdict != PairedVerdict::pass && decision.verdict != PairedVerdict::faster;
      rows += ab_row(titles,
                     {one.name, outcome.name, outcome_verdict_text(outcome, decision.verdict),
                      short_number_or_na(decision.median_a_ms), short_number_or_na(decision.median_b_ms),
                      outcome.unit, compared ? ab_change_text(*compared) : "n/a",
                      compared ? ab_interval_text(*compared) : "n/a", decision.reason},
                     bad ? 2 : -1);
    }
  return page_section("outcomes", "Metrics and costs", page_table("metrics and costs", titles, rows),
                      "What is judged beside the wall time, in the same family for Holm's correction.");
}

// B's metrics beside A's, where an output was scored; the rest is the same.
std::string quality_section(const AbReport& report, bool without_tiles) {
  const AbCells titles = {"case", "metric", "A", "B", "B - A", "unit", "against A's tolerance"};
  std::string rows;
  std::size_t same = 0;
  for (const AbCaseReport& one : report.cases)
    for (const GateRow& row : one.accuracy) {
      if (row.metric.empty()) continue;
      if (row.baseline == row.current) {
        ++same;
        continue;
      }
      const bool bad = row.verdict != Verdict::pass && row.verdict != Verdict::improved;
      rows +=
          ab_row(titles,
                 {one.name, row.metric, short_number_or_na(row.baseline), short_number_or_na(row.current),
                  row.baseline && row.current ? fmt::format("{:+.4g}", *row.current - *row.baseline) : "n/a",
                  row.unit,
                  row.reason.empty() ? to_string(row.verdict) : to_string(row.verdict) + ": " + row.reason},
                 bad ? 6 : -1);
    }
  std::string body = page_table("quality of outputs", titles, rows);
  if (same > 0)
    body += fmt::format("<p class=\"dim\">{} the same on both sides.</p>\n", counted(same, "value"));
  return page_section(
      "quality", "Quality of the outputs", body,
      std::string("Metrics of both sides' outputs, where they were scored, the worst first in "
                  "each case.") +
          (without_tiles ? " Where on the surface: this comparison keeps no tiles; "
                           "<code>aqbench compare</code> with <code>--html</code> shows it of "
                           "two sweeps of these cases."
                         : ""));
}

std::string ab_stages_section(const AbReport& report) {
  const AbCells titles = {
      "case", "stage", "A [ms]", "B [ms]", "change", "change [ms]", "verdict or why none"};
  std::string rows;
  for (const AbCaseReport& one : report.cases) {
    if (!one.time) continue;
    for (const AbStageDecision& stage : one.time->stages) {
      const bool known = stage.comparison.has_value();
      rows += ab_row(titles, {one.name, stage.name, known ? short_number(stage.median_a_ms) : "n/a",
                              known ? short_number(stage.median_b_ms) : "n/a",
                              known ? ab_change_text(*stage.comparison) : "n/a",
                              known ? fmt::format("{:+.3g}", stage.change_ms) : "n/a", ab_stage_text(stage)});
    }
  }
  return page_section("stages", "Stages", page_table("stages", titles, rows),
                      "Self times, without nested stages; information, not gated.");
}

std::string details_section(const AbDocument& document, const AbReport& report) {
  std::string text;
  for (const AbCaseReport& one : report.cases) {
    text += fmt::format("<h3>{}: {}</h3>\n<ul>\n", xml_escape(one.name), to_string(one.verdict));
    for (const std::string& line : ab_case_lines(one, document.settings))
      text += fmt::format("<li>{}</li>\n", xml_escape(line));
    text += "</ul>\n";
  }
  return page_section("details", "What each verdict follows from", text);
}

std::string ab_head(const AbDocument& document, const AbReport& report) {
  std::string text = fmt::format("<h1>aqbench ab {}</h1>\n<p>", xml_escape(document.run.id));
  text += fmt::format("<span class=\"badge {}\">{}</span>",
                      report.exit_code() == ExitCode::pass ? "good" : "bad", ab_verdict_counts(report));
  if (!document.run.complete) text += " <span class=\"badge bad\">interrupted</span>";
  text += fmt::format("</p>\n<p>A: {}<br>B: {}</p>\n<ul>\n", xml_escape(ab_side_line(document.a)),
                      xml_escape(ab_side_line(document.b)));
  std::vector<std::string> lines = {
      ab_units_line(document.run), settings_line(document.settings),
      fmt::format("UTC: {} to {}", document.run.started_utc, document.run.finished_utc)};
  if (!document.environment->empty())
    lines.push_back("environment: " + environment_line(*document.environment));
  for (const std::string& note : report.notes) lines.push_back("note: " + note);
  for (const std::string& line : lines) text += "<li>" + xml_escape(line) + "</li>\n";
  return text + "</ul>\n";
}

// ---- What scripts draw ----

// The value of a unit that is compared; nullopt where it has none.
std::optional<double> unit_value(const AbUnit& unit, const AbOutcome* outcome) {
  if (unit.status != Status::ok) return std::nullopt;
  const std::vector<double>* values = &unit.warm_ms;
  if (outcome != nullptr) {
    const auto found = std::ranges::find(unit.outcomes, outcome->name, &OutcomeSamples::name);
    if (found == unit.outcomes.end()) return std::nullopt;
    values = &found->values;
  }
  if (values->empty()) return std::nullopt;
  return *std::ranges::min_element(*values);
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
  Json pairs = Json::array();
  bool any = false;
  std::size_t look_pairs = 0;
  for (std::size_t i = 0; i + 1 < samples.units.size(); i += 2) {
    if (samples.units[i].case_index != case_index) continue;
    const bool a_first = samples.units[i].side == AbSide::a;
    const std::size_t at_a = a_first ? i : i + 1, at_b = a_first ? i + 1 : i;
    const auto a = unit_value(samples.units[at_a], outcome), b = unit_value(samples.units[at_b], outcome);
    any = any || a || b;
    const bool confirms = samples.units[i].phase == AbPhase::confirmation;
    const bool is_kept = !confirms && kept.contains(look_pairs);
    if (!confirms) ++look_pairs;
    pairs.push_back(
        {a ? Json(*a) : Json(nullptr), b ? Json(*b) : Json(nullptr), at_a + 1, at_b + 1, confirms, is_kept});
  }
  if (!any) return nullptr;
  Json series = {{"name", outcome == nullptr ? "wall time" : outcome->name},
                 {"unit", outcome == nullptr ? "ms" : outcome->unit},
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
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const AbCaseReport& one = report.cases[i];
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
    cases.push_back({{"name", one.name}, {"verdict", to_string(one.verdict)}, {"series", std::move(series)}});
  }
  return Json({{"metrics", Json::array()}, {"cases", Json::array()}, {"comparison", std::move(cases)}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string ab_page(const AbDocument& document, const AbReport& report,
                    const std::map<std::string, std::string>& tiles) {
  PageParts parts;
  parts.title = "aqbench ab " + document.run.id;
  parts.header = ab_head(document, report);
  parts.data_json = comparison_json(document, report);
  parts.comparison = true;
  parts.body = verdicts_section(report) + outcomes_section(report);
  parts.body +=
      "<section id=\"comparison\" class=\"scripted\">\n<h2>Pair by pair</h2>\n<p class=\"dim\">Drag over a "
      "curve "
      "to zoom in, double click to zoom out.</p>\n</section>\n";
  parts.body += quality_section(report, tiles.empty());
  parts.body += tile_places_section(ab_tile_pairs(report, tiles),
                                    "Of each case the first run of A and the first of B, on the same input: "
                                    "one run is no verdict.");
  parts.body += ab_stages_section(report) + details_section(document, report);
  parts.body +=
      "<p class=\"dim\">How it was run: commands.txt in the bundle. This page is made from results.json and "
      "the "
      "tiles beside it: <code>aqbench report</code> makes it again, and "
      "<code>aqbench "
      "verify</code> computes the verdicts again from results.json.</p>\n";
  return html_page(parts);
}

}  // namespace aqbench
