#include "reports/history/compare_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/json.h"
#include "core/text.h"
#include "reports/content/case_names.h"
#include "reports/history/moved.h"
#include "reports/html/page.h"
#include "reports/html/page_data.h"
#include "reports/html/page_profiles.h"
#include "reports/html/page_views.h"
#include "reports/html/pictures.h"
#include "reports/html/tile_places.h"
#include "reports/html/verdict_section.h"

namespace aqbench {
namespace {

constexpr std::size_t kCloudBytes = 6'600'000;  // base64 makes 8.8 MB of them, at most: less beside much else

std::string factor(const std::optional<double>& value) {
  return value ? fmt::format("{:.3g} x", *value) : "n/a";
}

std::string stage_rows(const CompareReport& report, const ShortNames& names) {
  std::vector<const ComparedStage*> rows;
  for (const ComparedStage& row : report.stages) rows.push_back(&row);
  std::ranges::stable_sort(rows, std::ranges::greater{},
                           [](const ComparedStage* row) { return row->time_factor().value_or(0); });
  std::string text;
  for (const ComparedStage* const row : rows)
    text += fmt::format(
        "<tr title=\"{}\"><td>{}</td><td data-label=\"stage\">{}</td><td data-label=\"A [ms]\">{}</td><td "
        "data-label=\"B "
        "[ms]\">{}</td><td "
        "data-label=\"time\">{}</td><td data-label=\"calls\">{}</td><td data-label=\"time per "
        "call\">{}</td></tr>\n",
        xml_escape(row->case_name), xml_escape(names.of.at(row->case_name)), xml_escape(row->stage),
        short_number_or_na(row->self_ms_a), short_number_or_na(row->self_ms_b), factor(row->time_factor()),
        factor(row->work_factor()), factor(row->cost_factor()));
  return text;
}

std::string time_rows(const CompareReport& report, const ShortNames& names) {
  std::string text;
  for (const ComparedTime& row : report.times)
    text += fmt::format(
        "<tr title=\"{}\"><td>{}</td><td data-label=\"A [ms]\">{}</td><td data-label=\"B [ms]\">{}</td><td "
        "data-label=\"B "
        "/ "
        "A\">{}</td></tr>\n",
        xml_escape(row.case_name), xml_escape(names.of.at(row.case_name)), short_number_or_na(row.a_ms),
        short_number_or_na(row.b_ms),
        factor(row.a_ms && row.b_ms && *row.a_ms > 0 ? std::optional(*row.b_ms / *row.a_ms) : std::nullopt));
  return text;
}

std::string notes_html(const CompareReport& report) {
  std::string text = "<ul>\n";
  for (const std::string& note : report.notes) text += "<li>" + xml_escape(note) + "</li>\n";
  for (const std::string& difference : report.key_differences)
    text += fmt::format("<li>another machine or build: {}</li>\n", xml_escape(difference));
  return text + "</ul>\n";
}

// How this page is made again, and how its cases are run again.
std::string again_html(const ComparedSide& a, const ComparedSide& b) {
  const std::string id_a = xml_escape(a.results->run.id), id_b = xml_escape(b.results->run.id);
  return page_section(
      "again", "Again",
      fmt::format("<ul>\n<li>This page: <code>aqbench compare {0} {1} --html FILE</code>, in the "
                  "folder of both bundles.</li>\n<li>A case, compared bit for bit: <code>aqbench "
                  "replay {1} --case NAME</code></li>\n<li>Whether a bundle holds together: <code>aqbench "
                  "verify {1}</code></li>\n</ul>\n",
                  id_a, id_b));
}

// The cases that both sides have, with what scripts draw of them: A and B of the first one are shown first.
struct SharedCases {
  Results results;  // case names are "A: NAME", "B: NAME"
  std::map<std::string, std::string> views;
  std::map<std::string, ReportProfile> profiles;
  std::map<std::string, std::vector<ReportTile>> tiles;  // by the names of these records
  bool stages = false;  // whether there is anything to draw of them but clouds
};

SharedCases shared_cases(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  std::set<std::string> compared;
  for (const ComparedMetric& row : report.metrics) compared.insert(row.case_name);
  SharedCases shared;
  const auto pictures_of = [](const ComparedSide& side) {
    return side.bundle.empty() ? ReportPictures{} : read_report_pictures(side.bundle, *side.results);
  };
  const ReportPictures of_a = pictures_of(a), of_b = pictures_of(b);
  for (const std::string& name : compared) {
    const bool clouds = of_a.views.contains(name) && of_b.views.contains(name);
    for (const auto& [letter, side, pictures] : {std::tuple{"A: ", &a, &of_a}, {"B: ", &b, &of_b}}) {
      const auto found = std::ranges::find(side->results->records, name, &Record::case_name);
      if (found == side->results->records.end()) continue;
      Record record;
      record.case_name = letter + name;
      record.status = Status::ok;
      record.stages = found->stages;
      record.peak_rss_bytes = found->peak_rss_bytes;
      if (clouds) shared.views[record.case_name] = pictures->views.at(name);
      if (const auto tiles = pictures->tiles.find(name); tiles != pictures->tiles.end())
        shared.tiles[record.case_name] = tiles->second;
      if (const auto profile = pictures->profiles.find(name); profile != pictures->profiles.end())
        shared.profiles[record.case_name] = profile->second;
      shared.stages = shared.stages || !record.stages.empty();
      shared.results.records.push_back(std::move(record));
    }
  }
  return shared;
}

std::string shared_json(const SharedCases& shared, const std::string& worst_case) {
  const std::map<std::string, JsonBox> profiles = page_profiles(shared.profiles);
  Json cases = Json::array();
  for (const Record& record : shared.results.records) {
    cases.push_back({{"name", record.case_name},
                     {"label", record.case_name},
                     {"status", "ok"},
                     {"values", Json::array()}});
    if (!record.stages.empty()) cases.back()["stages"] = stages_json(record);
    if (record.peak_rss_bytes) cases.back()["peak_rss"] = *record.peak_rss_bytes;
    if (const auto profile = profiles.find(record.case_name); profile != profiles.end())
      cases.back().update(*profile->second);
  }
  return Json({{"metrics", Json::array()},
               {"cases", std::move(cases)},
               {"pairs", true},
               {"worst", worst_case},
               {"colours", scale_colours_json()}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The tiles of both sides: the case with the largest change for the worse first, in the order of the rows of
// values.
std::vector<TilePair> tile_pairs(const Verdicts& verdicts, const SharedCases& shared) {
  std::vector<TilePair> pairs;
  const auto tiles_of = [&](const std::string& name) {
    const auto found = shared.tiles.find(name);
    return found == shared.tiles.end() ? std::vector<ReportTile>{} : found->second;
  };
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const std::string& name = one.worst->case_name;
    pairs.push_back({name, tiles_of("A: " + name), tiles_of("B: " + name)});
  }
  return pairs;
}

}  // namespace

std::string compare_page(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  PageParts parts;
  parts.title = "aqbench compare";
  const Verdicts verdicts = verdicts_of(report);
  parts.header = fmt::format(
      "<h1>Two bundles side by side</h1>\n{}<p>A: {}<br>B: {}</p>\n<p class=\"dim\">Cases with the same "
      "options: {}. Shown, not decided: <code>aqbench gate</code> and <code>aqbench ab</code> decide.</p>\n",
      banner_html(shown_banner_of(verdicts)), xml_escape(report.a), xml_escape(report.b), report.cases);
  const ShortNames names = compared_names(report);
  parts.body = notes_html(report);
  if (!names.common.empty())
    parts.body += fmt::format("<p class=\"dim\">All cases have {}.</p>\n", xml_escape(names.common));
  parts.body += verdicts_section(verdicts, "A", "B", "The largest change for the worse first.");
  const SharedCases shared = shared_cases(report, a, b);
  if (shared.stages || !shared.views.empty())
    parts.data_json =
        shared_json(shared, verdicts.count(Verdict::regressed) > 0 ? verdicts.rows.front().case_name : "");
  const std::string places = tile_places_section(tile_pairs(verdicts, shared),
                                                 "Cases of which both bundles have tiles that differ.");
  const std::size_t others = (parts.data_json.size() + places.size()) / 4 * 3;
  std::vector<PageView> views = list_views(shared.views, shared.results);
  fit_views(views, shared.views, shared.results, kCloudBytes - std::min(kCloudBytes, others));
  for (const PageView& view : views)
    if (!view.bytes.empty()) parts.blocks.emplace_back(fmt::format("cloud-{}", view.record), view.bytes);
  parts.viewer = !parts.blocks.empty();
  parts.stages = shared.stages;
  if (parts.viewer)
    parts.body +=
        "<section id=\"clouds\" class=\"scripted\">\n<h2>Where on the surface</h2>\n<p class=\"dim\">A and B "
        "under "
        "one camera, or B minus A: red is where B is worse.</p>\n</section>\n";
  parts.body += places;
  parts.body += page_section(
      "stages", "Stages",
      page_table("stages", {"case", "stage", "A [ms]", "B [ms]", "time", "calls", "time per call"},
                 stage_rows(report, names)) +
          (parts.stages ? kStageTree : ""),
      "Self times, B / A. Times of two runs at different moments are a trend, no verdict.");
  if (std::ranges::any_of(shared.profiles,
                          [](const auto& profile) { return !profile.second.stacks.empty(); }))
    parts.body += flames_html();
  parts.body += page_section(
      "times", "Times", page_table("times", {"case", "A [ms]", "B [ms]", "B / A"}, time_rows(report, names)));
  parts.body += again_html(a, b);
  return html_page(parts);
}

}  // namespace aqbench
