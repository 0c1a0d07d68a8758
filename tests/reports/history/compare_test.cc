#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/drawing/colour_map.h"
#include "core/files.h"
#include "core/text.h"
#include "reports/history/compare.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Results on_machine(const std::string& cpu, int threads) {
  Results results = synthetic_results();
  results.environment = Json{{"build", {{"commit", "0123456789abcdef"}}},
                             {"comparability", {{"cpu_model", cpu}, {"threads", threads}}}};
  return results;
}

// The same measurements a moment later: only times differ.
Results later(Results results) {
  results.run.id = "20250521T000000Z";
  for (Record& record : results.records) record.timing.cold_ms = *record.timing.cold_ms * 1.1;
  return results;
}

TEST(Compare, TheSameRecordsTwiceAreRefused) {
  const Results results = on_machine("X", 2);
  const CompareReport report = compare_results(results, results);
  EXPECT_THAT(report.refusal, HasSubstr("self comparison"));
  EXPECT_THAT(render_compare(report), HasSubstr("not comparable: self comparison"));
}

TEST(Compare, EqualAccuracyIsCountedAndTimesAreATrend) {
  const Results a = on_machine("X", 2), b = later(a);
  const CompareReport report = compare_results(a, b);
  EXPECT_EQ(report.cases.size(), 4u);
  EXPECT_THAT(report.key_differences, IsEmpty());
  const std::string text = render_compare(report);
  EXPECT_THAT(text.substr(text.find("\nTimes:")), HasSubstr("  1.1 x\n"));
  EXPECT_THAT(text, HasSubstr("40 values the same in both"));
  EXPECT_THAT(text, HasSubstr("\nTimes: same machine key, other moments: a trend, no verdict\n"));
  EXPECT_THAT(text, HasSubstr("A: 20250520T101112Z, commit 0123456789ab"));
}

TEST(Compare, WhatDiffersInTheMachineIsNamed) {
  const Results a = on_machine("X", 2), b = later(on_machine("Y", 4));
  const CompareReport report = compare_results(a, b);
  EXPECT_THAT(report.key_differences, ElementsAre("cpu_model is \"Y\", A's \"X\"", "threads is 4, A's 2"));
  EXPECT_THAT(render_compare(report), HasSubstr("times are a trend only: cpu_model is \"Y\", A's \"X\""));
  Results without = synthetic_results();
  EXPECT_THAT(compare_results(without, later(without)).key_differences,
              ElementsAre("comparability: not recorded"));
}

TEST(Compare, CasesThatCannotBeComparedAreNotes) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  b.records[0].options[0].second = 0.5;
  b.records[1].status = Status::crashed;
  b.records[1].reason = "x";
  b.records[2].case_name = "other/case";
  const CompareReport report = compare_results(a, b);
  EXPECT_EQ(report.cases.size(), 1u);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("not compared: option flat_plane.x_max_m is 0.5, was 0.25"),
                                        HasSubstr("A is ok, B is crashed"), HasSubstr("in A alone"),
                                        "other/case: in B alone"));
}

TEST(Compare, WithoutACommonCaseIsRefusedWithTheReasons) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  for (Record& record : b.records) record.case_name = "other/" + record.case_name;
  const CompareReport report = compare_results(a, b);
  EXPECT_EQ(report.refusal, "no common case with the same options");
  const std::string shown = render_compare(report);
  EXPECT_THAT(shown, HasSubstr(a.records[0].case_name + ": in A alone"));
  EXPECT_THAT(shown, HasSubstr("not comparable: no common case with the same options"));
}

TEST(Compare, MetricsThatMovedTurnedUndefinedOrVanished) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  *metric_of(b.records[0], "accuracy_mean_mm").value = 3.06;
  metric_of(b.records[0], "fscore_2mm_pct") = {{}, "%", Better::higher, "the cloud is empty"};
  b.records[0].metrics.erase(b.records[0].metrics.begin() + 1);
  b.records[0].metrics.emplace_back("extra_mm", Metric{1.0, "mm", Better::lower, ""});
  const CompareReport report = compare_results(a, b);
  const std::string text = render_compare(report);
  EXPECT_THAT(text, HasSubstr("median error: worse: not in B"));  // a row for each case
  EXPECT_THAT(text, HasSubstr(" and 2 more"));
  EXPECT_THAT(text, HasSubstr("1 value in B alone"));
  const std::string all = render_compare(report, true);
  EXPECT_THAT(all,
              ::testing::ContainsRegex("mean error .mm. +1.53 +3.06 +2 x +20.0 +worse"));  // 100 % of 5 %
  EXPECT_THAT(all, HasSubstr("F-score at 2 mm: worse: B: the cloud is empty"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(display_width(line), kScreenColumns) << line;
}

TEST(Compare, ABiasFurtherFromZeroIsWorseAndMorePointsAreOther) {
  Results a = on_machine("X", 2);
  Results b = later(a);
  metric_of(a.records[0], "bias_mean_mm").value = -0.02;
  metric_of(b.records[0], "bias_mean_mm").value = -4.40;
  metric_of(b.records[0], "points").value = *metric_of(b.records[0], "points").value + 7;
  const std::string text = render_compare(compare_results(a, b));
  EXPECT_THAT(text, ::testing::ContainsRegex("bias .mm. .* -4.38 +43.8 +worse"));  // of 0.1 mm
  EXPECT_THAT(text, HasSubstr("1 value changed and neither better nor worse (--all)"));
  EXPECT_THAT(render_compare(compare_results(a, b), true), ::testing::ContainsRegex("points.* [+]7 +other"));
}

TEST(Compare, FaultsThatWerePutInAreSaid) {
  const Results a = on_machine("X", 2);
  Results b = later(a);
  EXPECT_THAT(compare_results(a, b).notes, ::testing::IsEmpty());
  b.records[1].injected = {{"depth_estimation", "corrupt", 3}};
  EXPECT_THAT(compare_results(a, b).notes, ::testing::Contains(HasSubstr("B has faults that were put in")));
}

TEST(Compare, WhetherTheWorkMovedOrItsCost) {
  Results a = on_machine("X", 2);
  a.records[3].stages = {{"depth", "", 10, {100}, {100}, 1 << 20, 2 << 20},
                         {"fusion", "", 1, {50}, {50}, {}, {}}};
  Results b = later(a);
  b.records[3].stages[0].calls = 20;
  b.records[3].stages[0].self_ms = {204};
  const CompareReport more_work = compare_results(a, b);
  const std::string text = render_compare(more_work);
  EXPECT_THAT(text, ::testing::ContainsRegex("undulating/roma_like +depth +100 +204 +2.04 x +2 x +1.02 x"));
  EXPECT_THAT(text, HasSubstr("\nAll cases have seed=42.\n"));
  EXPECT_THAT(render_compare(more_work, true),
              ::testing::ContainsRegex("tensor_memory.depth.net_bytes .bytes. +1048576 +1048576 +same"));
  // Calls are those of all repetitions: more repetitions are no more work.
  b.records[3].stages[0].calls = 40;
  b.records[3].stages[0].self_ms = {104, 100, 101, 103};
  EXPECT_THAT(render_compare(compare_results(a, b)),
              ::testing::ContainsRegex("depth +100 +102 +1.02 x +1 x +1.02 x"));
}

TEST(Moved, TheLargestChangeForTheWorseComesFirst) {
  const Results a = synthetic_results();
  Results b = a;
  for (const auto& [record, times] : {std::pair{0, 3.0}, {1, 2.0}}) {
    Metric& metric = metric_of(b.records[static_cast<std::size_t>(record)], "accuracy_mean_mm");
    metric.value = times * *metric.value;
  }
  metric_of(b.records[2], "accuracy_mean_mm").value.reset();
  const Verdicts verdicts = verdicts_of(compare_results(a, b));
  ASSERT_EQ(verdicts.rows.size(), 3u);
  EXPECT_EQ(verdicts.rows[0].case_name, b.records[2].case_name);  // a value that is lost
  EXPECT_EQ(verdicts.rows[1].case_name, b.records[0].case_name);
  EXPECT_EQ(verdicts.rows[2].case_name, b.records[1].case_name);
  EXPECT_EQ(verdicts.rows[2].label, "worse");
  EXPECT_TRUE(verdicts_of(compare_results(a, a)).rows.empty());
}

TEST(ComparePage, CountsWhatMovedAndNamesTheWorstCase) {
  Results a = synthetic_results();
  metric_of(a.records[0], "bias_mean_mm").value = 0.5;
  Results b = a;
  metric_of(b.records[1], "accuracy_mean_mm").value = 10;
  metric_of(b.records[0], "accuracy_mean_mm").value = 0.1;
  metric_of(b.records[0], "bias_mean_mm").value = 1;
  metric_of(b.records[0], "points").value = 1;
  const std::string page = compare_page(compare_results(a, b), {&a, ""}, {&b, ""});
  EXPECT_THAT(page, HasSubstr("<p><b>WORSE</b> 2 of 4 cases worse</p>\n<p>flat_plane/roma_like: mean "
                              "error 0.793 -&gt; 10 mm (13 x)</p>"));
  EXPECT_THAT(page, HasSubstr("<td data-label=\"change\" class=\"bad\">+0.5</td>"));  // of a bias no percent
  EXPECT_THAT(page, HasSubstr("All cases have seed=42."));
  EXPECT_THAT(page, HasSubstr("title=\"flat_plane/roma_like/seed=42\"><td>flat_plane/roma_like</td>"));
}

TEST(ComparePage, ShowsWhereBothSidesDifferTileByTile) {
  const TemporaryDirectory folder;
  const Results a = synthetic_results();
  Results b = a;
  for (const std::size_t i : {0, 1}) metric_of(b.records[i], "accuracy_mean_mm").value = 10;
  const char* const head =
      "column,row,x_min_mm,y_min_mm,points,signed_mean_mm,nmad_mm,completeness_2mm_pct,x_max_mm,y_max_mm\n";
  for (const std::string side : {"a", "b"}) {
    std::filesystem::create_directories(folder / side / "tiles");
    const std::string error = side == "a" ? "-1" : "3";
    // The tile (1, 2) has a mean error of 3 mm in B and of -1 mm in A; of another case nothing differs.
    write_file(folder / side / "tiles/flat_plane__roma_like__seed=42.csv",
               head + std::string("0,0,0,0,9,0.5,0,100,10,10\n1,2,10,20,9,") + error + ",0,100,20,30\n");
    write_file(folder / side / "tiles/flat_plane__lightglue_like__seed=42.csv",
               head + std::string("0,0,0,0,9,0.5,0,100,10,10\n"));
  }
  const std::string page = compare_page(compare_results(a, b), {&a, folder / "a"}, {&b, folder / "b"});
  const std::string part = page.substr(page.find("<section id=\"places\">"));
  EXPECT_THAT(part, HasSubstr("<h3>flat_plane/roma_like/seed=42</h3>"));
  EXPECT_THAT(part, Not(HasSubstr("<h3>flat_plane/lightglue_like")));
  // |3| - |-1| = 2 mm is the end of its scale: the reddest colour.
  EXPECT_THAT(part, HasSubstr("<path fill=\"" + hex_of(diverging_colour(kColourSteps - 1)) +
                              "\" d=\"M1 2h1v1h-1z\"/>"));
  EXPECT_THAT(compare_page(compare_results(a, b), {&a, ""}, {&b, ""}), Not(HasSubstr("id=\"places\"")));
}

TEST(ComparePage, ShowsSamplesOfBothSides) {
  const TemporaryDirectory folder;
  const Results a = synthetic_results();
  Results b = a;
  b.run.id = "20250521T000000Z";
  for (Record& record : b.records) {
    record.timing.cold_ms = 20;
    record.stages[0].wall_ms = record.stages[0].self_ms = {18.5};
  }
  for (const auto& [side, hot] : {std::pair{"a", "40"}, {"b", "60"}}) {
    const auto profile = folder / side / "profile/flat_plane__roma_like__seed=42";
    std::filesystem::create_directories(profile);
    write_file(profile / "stacks.folded", std::string("main;hot ") + hot + "\n");
  }
  const CompareReport report = compare_results(a, b);
  const std::string page = compare_page(report, {&a, folder / "a"}, {&b, folder / "b"});
  EXPECT_EQ(page, compare_page(report, {&a, folder / "a"}, {&b, folder / "b"}));
  for (const char* const part :
       {"<section id=\"flames\"", "\"pairs\":true", "\"label\":\"A: flat_plane/roma_like\"",
        "\"samples\":40,\"least\":1", "\"samples\":60,\"least\":1"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(compare_page(report, {&a, ""}, {&b, ""}), Not(HasSubstr("<section id=\"flames\"")));
}

}  // namespace

}  // namespace aqbench
