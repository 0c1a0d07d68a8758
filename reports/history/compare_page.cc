#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <tuple>

#include "core/text.h"
#include "reports/content/case_columns.h"
#include "reports/content/verdict_blocks.h"
#include "reports/history/compare.h"
#include "reports/html/page_data.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

constexpr std::size_t kCloudBytes = 6'600'000;  // base64 makes 8.8 MB of them, at most: less beside much else

// The cases that both sides have, with what scripts draw of them: A and B of the first one are shown first.
struct SharedCases {
  Results results;  // case names are "A: NAME", "B: NAME"
  std::map<std::string, std::string> views;
  std::map<std::string, std::string> stacks;
  std::map<std::string, std::vector<ReportTile>> tiles;  // by the names of these records
  std::map<std::string, std::vector<ReportPicture>> photographs;
};

SharedCases shared_cases(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  SharedCases shared;
  const auto pictures_of = [](const ComparedSide& side) {
    return side.bundle.empty() ? ReportPictures{} : read_report_pictures(side.bundle, *side.results);
  };
  const ReportPictures of_a = pictures_of(a), of_b = pictures_of(b);
  for (const auto& [name, label] : report.names.of) {
    const bool clouds = of_a.views.contains(name) && of_b.views.contains(name);
    for (const auto& [letter, side, pictures] : {std::tuple{"A: ", &a, &of_a}, {"B: ", &b, &of_b}}) {
      const auto found = std::ranges::find(side->results->records, name, &Record::case_name);
      if (found == side->results->records.end()) continue;
      Record record;
      record.case_name = letter + name;
      record.metrics = found->metrics;
      if (clouds) shared.views[record.case_name] = pictures->views.at(name);
      if (clouds) shared.photographs[record.case_name] = of_case(pictures->photographs, name);
      if (const auto tiles = pictures->tiles.find(name); tiles != pictures->tiles.end())
        shared.tiles[record.case_name] = tiles->second;
      if (const auto stacks = pictures->stacks.find(name); stacks != pictures->stacks.end())
        shared.stacks[record.case_name] = stacks->second;
      shared.results.records.push_back(std::move(record));
    }
  }
  return shared;
}

std::string shared_json(const SharedCases& shared, const ShortNames& names, const std::string& worst_case,
                        PageBlocks& photographs) {
  const std::map<std::string, JsonBox> stacks = page_stacks(shared.stacks);
  Json cases = Json::array();
  for (const Record& record : shared.results.records) {
    cases.push_back({{"name", record.case_name},
                     {"label", record.case_name.substr(0, 3) + names.of.at(record.case_name.substr(3))}});
    if (has_free_scale(record)) cases.back()["free_scale"] = true;
    if (const auto found = stacks.find(record.case_name); found != stacks.end())
      cases.back()["stacks"] = *found->second;
  }
  return Json({{"cases", std::move(cases)},
               {"pairs", true},
               {"worst", worst_case},
               {"photographs", add_photographs(shared.photographs, photographs)},
               {"colours", scale_colours_json()}})
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string compare_page(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  PageParts parts;
  parts.title = "aqbench compare";
  const Verdicts verdicts = verdicts_of(report);
  const SharedCases shared = shared_cases(report, a, b);
  const auto tiles_of = [&](const std::string& name, bool of_b) {
    return of_case(shared.tiles, (of_b ? "B: " : "A: ") + name);
  };
  Banner card = shown_banner_of(verdicts);
  card.picture = worst_places(verdicts, tiles_of);
  parts.header = fmt::format(
      "<h1>Two bundles side by side</h1>\n{}<p>A: {}<br>B: {}</p>\n<p class=\"dim\">Cases with the same "
      "options: {}. Shown, not decided: <code>aqbench gate</code> and <code>aqbench ab</code> decide.</p>\n",
      html_of(card), xml_escape(report.a), xml_escape(report.b), report.cases);
  PageBlocks photographs;
  if (!shared.stacks.empty() || !shared.views.empty())
    parts.data_json = shared_json(
        shared, report.names, verdicts.count(Verdict::regressed) > 0 ? verdicts.rows.front().case_name : "",
        photographs);
  const std::string places =
      tile_places_section(verdicts, tiles_of, "Cases of which both bundles have tiles that differ.");
  const std::size_t others = (parts.data_json.size() + places.size()) / 4 * 3 + block_bytes(photographs);
  parts.blocks = fit_views(shared.views, shared.results, kCloudBytes - std::min(kCloudBytes, others));
  parts.viewer = !parts.blocks.empty();
  if (parts.viewer) std::ranges::move(photographs, std::back_inserter(parts.blocks));
  parts.flames = !shared.stacks.empty();
  for (const Section& section : compare_sections(report, kPageView)) {
    if (section.id == "memory" && parts.viewer)
      parts.body += scripted_section("clouds", "Where on the surface",
                                     "A and B under one camera, or B minus A: red is where B is worse.");
    if (section.id == "memory") parts.body += places;
    if (section.id == "times") parts.body += flames_section(shared.stacks);
    parts.body += html_of(section);
  }
  return html_page(parts);
}

}  // namespace aqbench
