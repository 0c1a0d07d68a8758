#include "reports/html/report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/drawing/drawing.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/records/case_result.h"
#include "reports/content/charts.h"
#include "reports/content/metrics_table.h"
#include "reports/exports/paper.h"
#include "reports/html/sections.h"
#include "tests/reports/synthetic.h"
#include "tests/reports/xml_check.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BundleContent content_of_report() {
  BundleContent content = content_of(synthetic_results());
  content.results.records[0].timing.warm_ms = {3, 1, 2, 5, 4};
  content.results.records[3].stages = {{"depth", "", 1, {90}, {60}, {}, {}},
                                       {"fusion", "", 1, {10}, {10}, {}, {}}};
  set_baseline(content, synthetic_baseline(content.results));
  *metric_of(content.results.records[0], "accuracy_mean_mm").value *= 1.2;
  set_baseline(content, *content.baseline);
  return content;
}

// Every <svg> of the page, as XML.
std::vector<xml_testing::XmlElement> pictures_of(const std::string& page) {
  std::vector<xml_testing::XmlElement> pictures;
  for (std::size_t at = 0; (at = page.find("<svg", at)) != page.npos;) {
    const std::size_t end = page.find("</svg>", at) + 6;
    pictures.push_back(
        xml_testing::parse_xml(R"(<?xml version="1.0" encoding="UTF-8"?>)" + page.substr(at, end - at)));
    at = end;
  }
  return pictures;
}

// The page up to its data and scripts, which stand at its end.
std::string content_without_scripts(const std::string& page) { return page.substr(0, page.find("</main>")); }

// A page of a large run lists the worst cases and counts the others.
TEST(HtmlReport, ListsTheWorstCasesOfALargeRun) {
  BundleContent content = content_of(synthetic_results());
  content.results.records.clear();
  for (std::size_t i = 0; i < kMaxPageCases + 3; ++i) {
    Record record;
    record.case_name = fmt::format("flat_plane/roma_like/seed={:06}", i);
    record.scene = "flat_plane";
    record.method = "roma_like";
    record.status = i + 1 == kMaxPageCases + 3 ? Status::crashed : Status::ok;
    record.reason = record.status == Status::ok ? "" : "it fell";
    content.results.records.push_back(std::move(record));
  }
  const std::string page = render_html_report(content, {});
  EXPECT_THAT(page, HasSubstr("and 3 cases more, in results.json"));
  EXPECT_THAT(page, HasSubstr("seed=001002"));  // failed, so it stands there
  EXPECT_THAT(page, HasSubstr("seed=000998"));
  EXPECT_THAT(page, Not(HasSubstr("seed=000999")));
  EXPECT_EQ(listed_on_page(content).results.records.size(), kMaxPageCases);
}

TEST(HtmlReport, SaysWhyCasesFailedBeforeAnyTable) {
  BundleContent content = content_of(synthetic_results());
  content.results.records[2].status = Status::failed;
  content.results.records[2].reason = "no depth range: <too little texture>";
  const std::string page = render_html_report(content, {});
  const std::string said = ": no depth range: &lt;too little texture&gt;";
  const std::size_t in_banner = page.find(content.results.records[2].case_name + ": failed" + said);
  ASSERT_NE(in_banner, std::string::npos);
  EXPECT_LT(in_banner, page.find("<table"));
  const std::string failed = "<p>failed ";
  EXPECT_THAT(page, Not(HasSubstr(failed))) << "the banner has said it";
  content.results.records[3].status = Status::failed;
  content.results.records[3].reason = "no depth range: <too little texture>";
  EXPECT_THAT(render_html_report(content, {}),
              HasSubstr(failed + content.results.records[3].case_name + said));
}

// 312 pixels stand left of the bars, and 11 pixels high letters are some 6.6 wide in wide words.
TEST(HtmlReport, LongLabelsOfBarsStayInsideOfTheChart) {
  Results results = synthetic_results();
  results.records.resize(1);
  results.records[0].scene = "undulating_with_a_very_long_name_mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm";
  const std::string chart = svg_figure(drawing_of(run_charts(results).front().second));
  const std::size_t end = chart.find("</text>", chart.find("undulating_with")),
                    begin = chart.rfind('>', end) + 1;
  EXPECT_LE(6.6 * static_cast<double>(display_width(chart.substr(begin, end - begin))), 312);
}

TEST(HtmlReport, EveryStageHasAColourOfItsOwn) {
  Results results = synthetic_results();
  results.records.resize(1);
  results.records[0].stages.clear();
  for (int i = 0; i < 30; ++i)
    results.records[0].stages.push_back({fmt::format("stage{:02}", i), "", 1, {10}, {10}, {}, {}});
  const auto groups = group_cases(results);
  EXPECT_EQ(stages_chart(groups).keys.size(), 30u);
  const std::string chart = svg_figure(drawing_of(stages_chart(groups)));
  std::set<std::string> colours;
  for (std::size_t at = 0; (at = chart.find("fill=\"#", at)) != std::string::npos; ++at)
    colours.insert(chart.substr(at + 6, 7));
  EXPECT_EQ(colours.size(), 30u);
}

TEST(HtmlReport, AnswersFirstThenListsCaseByCase) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  EXPECT_THAT(render_html_report(content, {}), HasSubstr("no baseline: nothing to compare"));
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  const std::string page = render_html_report(content, {});
  const std::size_t banner = page.find("<div class=\"verdict bad\">\n<p><b>FAIL</b> 1 of 4 cases worse</p>");
  ASSERT_NE(banner, page.npos);
  EXPECT_LT(banner, page.find("<nav"));
  EXPECT_THAT(page,
              HasSubstr("<p>flat_plane/roma_like: mean error 0.793 -&gt; 4.52 mm (5.7 x, allowed ± 5 %)"));
  EXPECT_THAT(page, HasSubstr("<td data-label=\"change\" class=\"bad\">5.7 x</td>"));
  EXPECT_THAT(page, HasSubstr("3 cases as before."));
}

// The best case stands last, where a large run's page has no room for the others of its rank.
TEST(HtmlReport, HoldsEveryCaseThatItNamesElsewhere) {
  BundleContent content = content_of(synthetic_results());
  Record best = content.results.records[0];
  content.results.records.clear();
  for (std::size_t i = 0; i < kMaxPageCases + 3; ++i) {
    Record record;
    record.case_name = fmt::format("step/other/seed={:06}", i);
    record.scene = "step";
    record.method = "other";
    record.axes = {{"seed", static_cast<std::int64_t>(i)}};
    record.status = Status::failed;
    content.results.records.push_back(std::move(record));
  }
  Record worse = best;
  worse.method = "worse";
  worse.case_name = best.scene + "/worse/seed=42";
  *metric_of(worse, "accuracy_mean_mm").value *= 2;
  content.results.records.push_back(worse);
  content.results.records.push_back(best);
  const std::string page = render_html_report(content, {});
  EXPECT_THAT(page,
              HasSubstr("data-case=\"" + worse.case_name + "\" data-against=\"" + best.case_name + "\""));
  EXPECT_THAT(page, HasSubstr("\"name\":\"" + worse.case_name + "\""));
  EXPECT_THAT(page, HasSubstr("\"name\":\"" + best.case_name + "\""));
  EXPECT_EQ(listed_on_page(content).results.records.size(), kMaxPageCases);
}

TEST(HtmlReport, ShowsEachPartAndNeedsNoNetworkAndNoScript) {
  ReportPictures pictures;
  pictures.tiles["flat_plane/roma_like/seed=42"] = parse_tiles_csv(
      "0,0,-250,-150,1,1.25,0,11.5,-240,-140\n1,0,-240,-150,0,,,0,-230,-140\n"
      "0,1,-250,-140,4,-0.5,0.2,100,-240,-130\n");
  pictures.pictures["undulating/roma_like/seed=42"] = {
      {"depth_error.png", "depth_error", "cam<00>", "mm", -2, 2, 3, 71.25, 0.5, "\x89PNG"}};
  const std::string page = render_html_report(content_of_report(), pictures);
  for (const char* part :
       {"<h2>Methods and scenes</h2>", "<h2>Case by case</h2>", "<h2>Where the errors are</h2>",
        "<h2>Stages</h2>", "<h2>Times</h2>", "<h2>All cases</h2>", "<b>FAIL</b>", "4 of 4 planned cases ok",
        "prefers-color-scheme:dark", "data:image/png;base64,iVBORw==", "cam&lt;00&gt;: red is nearer",
        "default-src 'none'", "71.2 % of the surface in view has one", "Beyond the scale: 0.500 %",
        "One pixel of 3 x 3", "All cases have seed=42.", "<h3>flat_plane</h3>",
        "<figcaption>roma_like</figcaption>"})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* foreign : {"<script src", "<link", "@import", "url(", " src=\"http", " href=\"http"})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
  EXPECT_THAT(page, HasSubstr("[\"bias_mean_mm\",\"mm\",\"near 0 is better\","));
  // Without its scripts all of it still stands there.
  EXPECT_THAT(content_without_scripts(page), HasSubstr("<td data-label=\"mean error [mm]\""));
  EXPECT_GE(pictures_of(page).size(), 5u);
}

TEST(HtmlReport, HasTheDepthsOfEveryCameraAndSaysWhereThereIsNoConfidence) {
  ReportPictures pictures;
  const auto picture = [](const char* kind, const char* camera) {
    const bool is_share = std::string(kind) == "confidence";
    return ReportPicture{"x.png", kind, camera, is_share ? "1" : "mm", is_share ? 0.0 : -1.0, 1, 1,
                         50,      0,    "PNG"};
  };
  pictures.pictures["undulating/roma_like/seed=42"] = {
      picture("depth_error", "cam00"), picture("confidence", "cam00"), picture("depth_error", "cam01")};
  pictures.pictures["flat_plane/roma_like/seed=42"] = {picture("depth_error", "cam00")};
  const std::string page = content_without_scripts(render_html_report(content_of_report(), pictures));
  EXPECT_THAT(page, HasSubstr("<summary>1 camera more</summary>"));
  EXPECT_THAT(page, HasSubstr("alt=\"depth_error of camera cam01, undulating/roma_like\""));
  EXPECT_THAT(page, HasSubstr("Confidence of camera cam00"));
  EXPECT_THAT(page, HasSubstr("aria-label=\"colours from 0 to 1\""));  // and not "to 1 1"
  const std::size_t none = page.find("The method gives no confidence");
  EXPECT_GT(none, page.find("<h3>Depth maps: flat_plane / roma_like</h3>"));
  EXPECT_LT(none, page.find("<h3>Depth maps: undulating / roma_like</h3>"));
}

// A caption says why something is not shown: left out, no true depth map, no truth, or the method gives none.
TEST(HtmlReport, CaptionsOfDepthsSayWhyNothingIsShown) {
  BundleContent content = content_of_report();
  const std::string name = "undulating/roma_like/seed=42";
  ReportPictures pictures;
  pictures.pictures[name] = {{"depth.png", "depth", "cam00", "m", 0.2, 0.3, 1, 50, 0, "PNG"}};
  const auto page = [&] { return content_without_scripts(render_html_report(content, pictures)); };
  pictures.kinds[name] = {"depth", "depth_error", "confidence"};
  EXPECT_THAT(page(),
              HasSubstr("the scale is the range of the truth. Its error is in pictures/ of the bundle"));
  EXPECT_THAT(page(), HasSubstr("The confidence is in pictures/ of the bundle, left out here"));
  pictures.kinds[name] = {"depth"};
  EXPECT_THAT(page(), HasSubstr("a true surface is known, but no true depth map. "));
  EXPECT_THAT(page(), HasSubstr("The method gives no confidence with its depth maps."));
  for (Record& record : content.results.records) record.metrics.clear();
  EXPECT_THAT(page(), HasSubstr("no true depth is known. "));
}

// Room is given to the first camera of every case before a second one of any.
TEST(ReportPictures, HasTheFirstCameraOfEveryCaseFirst) {
  const TemporaryDirectory folder;
  const Results results = synthetic_results();
  for (const std::size_t i : {0, 1}) {
    const auto at = folder / "pictures" / file_name_of(results.records[i].case_name);
    std::filesystem::create_directories(at);
    std::string list;
    for (const char* const camera : {"a", "b"}) {
      write_file(at / (std::string(camera) + ".png"), std::string(350'000, 'x'));
      list += fmt::format("{0}.png,depth,{0},m,0,1,1,1,1\n", camera);
    }
    write_file(at / "pictures.csv", list);
  }
  const ReportPictures pictures = read_report_pictures(folder.path(), results);
  EXPECT_EQ(pictures.left_out, 2u);
  for (const std::size_t i : {0, 1}) {
    const auto& kept = pictures.pictures.at(results.records[i].case_name);
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].camera, "a");
  }
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != text.npos; at += part.size()) ++count;
  return count;
}

TEST(HtmlReport, BarsAreAsLongAsTheirValues) {
  const auto charts = run_charts(content_of_report().results);
  const std::string page = html_of(ReportBlock(charts.front().second));
  std::vector<double> widths;
  for (std::size_t at = 0; widths.size() < 4; ++at) {
    at = page.find("style=\"--w:", at);
    ASSERT_NE(at, page.npos);
    widths.push_back(std::stod(page.substr(at + 11)));
  }
  // 1.53 x 1.2, 0.793, 1.6, 0.8
  EXPECT_NEAR(widths[1] / widths[3], 0.793 / 0.8, 2e-3);
  EXPECT_NEAR(widths[0] / widths[2], 1.836 / 1.6, 2e-3);
}

TEST(HtmlReport, NothingOfARecordBecomesMarkup) {
  BundleContent content = content_of_report();
  for (std::string* text :
       {&content.results.run.id, &content.results.run.suite, &content.results.records[0].scene,
        &content.results.records[0].method, &content.results.records[0].case_name,
        &content.results.records[3].stages[0].name, &content.notes.emplace_back()})
    *text += "\"><script>alert(1)</script>'&";
  content.results.records[1].status = Status::crashed;
  content.results.records[1].reason = "\"><script>x</script>";
  content.tests = "<script>";
  const std::string page = render_html_report(content, {});
  EXPECT_THAT(content_without_scripts(page), Not(HasSubstr("<script")));
  for (const char* const part : {"<script>alert", "<script>x"}) EXPECT_THAT(page, Not(HasSubstr(part)));
  // Data of the page, tables and curves; each script is let in by its hash, and nothing else is.
  EXPECT_EQ(count_of(page, "<script"), 5u);
  EXPECT_EQ(count_of(page, "'sha256-"), 4u);
}

TEST(HtmlReport, FailuresAndRegressionsComeFirstAndEmptyColumnsAreNotThere) {
  BundleContent content = content_of_report();
  content.results.records[3].status = Status::crashed;
  for (Record& record : content.results.records) record.timing.throughput.reset();
  set_baseline(content, *content.baseline);
  const std::string table = html_of(cases_table(content).table);
  const auto place = [&](const char* name) {
    return table.find(fmt::format("<tr data-case=\"{}/seed=42\"", name));
  };
  EXPECT_LT(place("undulating/roma_like"), place("flat_plane/lightglue_like"));  // crashed, regressed
  EXPECT_LT(place("flat_plane/lightglue_like"), place("flat_plane/roma_like"));
  EXPECT_THAT(table, HasSubstr("regressed: mean error<"));
  EXPECT_EQ(cases_table(content).common, "seed=42");
  for (const char* const part : {"throughput", "seed=42</td>"}) EXPECT_THAT(table, Not(HasSubstr(part)));
}

TEST(HtmlReport, AStageWithoutSamplesHasNoTimeAndIsSaidToHaveNone) {
  BundleContent content = content_of_report();
  content.results.records[3].stages[1].self_ms.clear();
  content.results.records[3].stages[1].wall_ms.clear();
  const std::string page = render_html_report(content, {});
  EXPECT_THAT(page, HasSubstr("60.0 ms, fusion n/a</span>"));
  EXPECT_THAT(page, Not(HasSubstr("title=\"fusion:")));
}

TEST(HtmlReport, ShowsWhatProgramsUsedWithoutTheColumnsThatNobodyKnows) {
  BundleContent content = content_of_report();
  EXPECT_THAT(render_html_report(content, {}), Not(HasSubstr("<h2>Programs</h2>")));
  content.results.records[1].program =
      ProgramUse{1.25, 0.5, std::uint64_t{3} << 20, std::nullopt, std::uint64_t{512} << 10, 100, 7, 11, 5};
  const std::string page = render_html_report(content, {});
  const std::string table = page.substr(page.find("<h2>Programs</h2>"));
  const std::string row = table.substr(table.find("<tbody>"), table.find("</tbody>") - table.find("<tbody>"));
  EXPECT_EQ(row,
            "<tbody>\n<tr data-case=\"flat_plane/roma_like/seed=42\" "
            "title=\"flat_plane/roma_like/seed=42\"><td>flat_plane/roma_like</td>"
            "<td data-label=\"CPU user [s]\">1.25</td><td data-label=\"CPU system [s]\">0.500</td>"
            "<td data-label=\"peak memory [MiB]\">3.00</td><td data-label=\"written [MiB]\">0.500</td>"
            "<td data-label=\"page faults\">107</td><td data-label=\"major faults\">7</td>"
            "<td data-label=\"switches\">16</td><td data-label=\"involuntary\">5</td></tr>\n");
}

TEST(HtmlReport, OfNothingAndOfNumbersThatAreNone) {
  BundleContent content = content_of(synthetic_results());
  content.results.records.clear();
  EXPECT_THAT(render_html_report(content, {}), HasSubstr("0 of 4 cases ran"));
  content = content_of_report();
  *metric_of(content.results.records[0], "accuracy_mean_mm").value = std::nan("");
  *metric_of(content.results.records[1], "accuracy_mean_mm").value = -1;
  content.results.records[0].timing.warm_ms = {2, 2, 2};
  EXPECT_THAT(render_html_report(content, {}), Not(HasSubstr("=\"nan")));
}

}  // namespace
}  // namespace aqbench
