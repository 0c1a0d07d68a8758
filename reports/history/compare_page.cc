#include <fmt/format.h>

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

// The cases that both sides have as those of one run, "A: NAME" and "B: NAME", with what scripts draw of
// them: A and B of the first one are shown first.
struct SharedCases {
  Results results;
  ReportPictures pictures;
};

SharedCases shared_cases(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  SharedCases shared;
  const auto pictures_of = [](const ComparedSide& side) {
    return side.bundle.empty() ? ReportPictures{} : read_report_pictures(side.bundle, *side.results);
  };
  const ReportPictures of_a = pictures_of(a), of_b = pictures_of(b);
  for (const auto& [x, y] : report.cases) {
    const std::string& name = x->case_name;
    const bool clouds = of_a.views.contains(name) && of_b.views.contains(name);
    for (const auto& [letter, found, pictures] : {std::tuple{"A: ", x, &of_a}, {"B: ", y, &of_b}}) {
      Record& record = shared.results.records.emplace_back();
      record.case_name = letter + name;
      record.metrics = found->metrics;
      const auto take = [&, from = pictures](auto ReportPictures::*member) {
        if (const auto one = (from->*member).find(name); one != (from->*member).end())
          (shared.pictures.*member)[record.case_name] = one->second;
      };
      take(&ReportPictures::tiles);
      take(&ReportPictures::stacks);
      if (!clouds) continue;
      take(&ReportPictures::views);
      take(&ReportPictures::photographs);
    }
  }
  return shared;
}

std::string shared_json(const SharedCases& shared, const ShortNames& names, const std::string& worst_case,
                        PageBlocks& photographs) {
  const std::map<std::string, JsonBox> stacks = page_stacks(shared.pictures.stacks);
  Json cases = Json::array();
  for (const Record& record : shared.results.records) {
    cases.push_back({{"name", record.case_name},
                     {"label", record.case_name.substr(0, 3) + names.of.at(record.case_name.substr(3))}});
    if (has_free_scale(record)) cases.back()["free_scale"] = true;
    if (const auto found = stacks.find(record.case_name); found != stacks.end())
      cases.back()["stacks"] = *found->second;
  }
  return compact_json({{"cases", std::move(cases)},
                       {"pairs", true},
                       {"worst", worst_case},
                       {"photographs", add_photographs(shared.pictures.photographs, photographs)},
                       {"colours", scale_colours_json()}});
}

}  // namespace

std::string compare_page(const CompareReport& report, const ComparedSide& a, const ComparedSide& b) {
  PageParts parts;
  parts.title = "aqbench compare";
  const Verdicts verdicts = verdicts_of(report);
  const SharedCases shared = shared_cases(report, a, b);
  const auto tiles_of = [&](const std::string& name, bool of_b) {
    return of_case(shared.pictures.tiles, (of_b ? "B: " : "A: ") + name);
  };
  Banner card = shown_banner_of(verdicts);
  card.picture = worst_places(verdicts, tiles_of);
  parts.header = fmt::format(
      "<h1>Two bundles side by side</h1>\n{}<p>A: {}<br>B: {}</p>\n<p class=\"dim\">Cases with the same "
      "options: {}. Shown, not decided: <code>aqbench gate</code> and <code>aqbench ab</code> decide.</p>\n",
      html_of(card), xml_escape(report.a), xml_escape(report.b), report.cases.size());
  PageBlocks photographs;
  if (!shared.pictures.stacks.empty() || !shared.pictures.views.empty())
    parts.data_json = shared_json(
        shared, report.names, verdicts.count(Verdict::regressed) > 0 ? verdicts.rows.front().case_name : "",
        photographs);
  const std::string places =
      tile_places_section(verdicts, tiles_of, "Cases of which both bundles have tiles that differ.");
  const std::size_t others = (parts.data_json.size() + places.size()) / 4 * 3 + block_bytes(photographs);
  parts.blocks =
      fit_views(shared.pictures.views, shared.results, kCloudBytes - std::min(kCloudBytes, others));
  parts.viewer = !parts.blocks.empty();
  if (parts.viewer) std::ranges::move(photographs, std::back_inserter(parts.blocks));
  parts.flames = !shared.pictures.stacks.empty();
  for (const Section& section : compare_sections(report, kPageView)) {
    if (section.id == "stages" && parts.viewer)
      parts.body += scripted_section("clouds", "Where on the surface",
                                     "A and B under one camera, or B minus A: red is where B is worse.");
    if (section.id == "stages") parts.body += places;
    if (section.id == "times") parts.body += flames_section(shared.pictures.stacks);
    parts.body += html_of(section);
  }
  return html_page(parts);
}

}  // namespace aqbench
