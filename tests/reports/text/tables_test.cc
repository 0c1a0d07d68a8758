#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "reports/content/case_columns.h"
#include "reports/text/tables.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

bool shows(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

TEST(SweepTable, FitsTheScreenAndHasARowPerSceneAndMethod) {
  Results results = synthetic_results();
  results.records.push_back(synthetic_record("undulating", "roma_like", 43, 0.9));
  results.records.push_back(
      synthetic_record("a_scene_with_a_name_that_is_far_too_long_for_a_table", "roma_like", 43, 912.3));
  results.records.back().case_name += "/some_axis_with_a_long_name=123456789";
  Record failed = synthetic_record("mound", "roma_like", 42, 1);
  failed.status = Status::timeout;
  failed.reason = "ran longer than 600 s and " + std::string(200, 'x');
  failed.metrics.clear();
  results.records.push_back(failed);
  const std::string text = render_sweep_table(results, {false, 220});
  EXPECT_TRUE(shows(text, results.records[5].scene + "  ")) << "a name is never cut: " << text;
  // On a narrow screen the values of a row stand below its names, and no line ends inside of one.
  const std::string narrow = render_sweep_table(results, {false, 80});
  EXPECT_TRUE(
      shows(narrow, results.records[5].scene + "  roma_like\n  some_axis_with_a_long_name=123456789\n"))
      << narrow;
  EXPECT_TRUE(shows(narrow, "\n  n 1  mean error [mm] 912  ")) << narrow;
  EXPECT_TRUE(shows(narrow, "  mean error [mm] 0.850 ± 0.0707  ")) << narrow;
  EXPECT_FALSE(shows(text, "…")) << text;
  for (const char* const part :
       {"  1.53  ", "±0.0707", "0/1", "mound/roma_like/seed=42: timeout: ran longer"})
    EXPECT_TRUE(shows(text, part)) << text;
  EXPECT_TRUE(text.starts_with("scene ") && shows(text.substr(0, text.find('\n')), "median error")) << text;
  EXPECT_TRUE(shows(text, "mm")) << text;
}

TEST(SweepTable, OfTheSeedSuiteNeedsNoShortening) {
  const std::string text = render_sweep_table(synthetic_results());
  EXPECT_FALSE(shows(text, "…")) << text;
  EXPECT_TRUE(shows(text, "lightglue_like")) << text;
  EXPECT_TRUE(shows(render_sweep_table(synthetic_results(), {false, 1000}), "bias"));
  EXPECT_FALSE(shows(render_sweep_table(synthetic_results(), {false, 80}), "bias"));
  for (const std::size_t width : {80, 100, 120}) {
    const std::string shown = render_sweep_table(synthetic_results(), {false, width});
    for (const std::string_view line : split_at(shown, '\n')) EXPECT_LE(display_width(line), width) << line;
  }
}

// A sweep that was interrupted before its first case ended.
TEST(SweepTable, OfNothingSaysHowManyCasesThereAre) {
  Results results = synthetic_results();
  results.records.clear();
  results.run.complete = false;
  EXPECT_TRUE(shows(render_sweep_table(results), "interrupted: 0 of 4 cases\n"));
}

TEST(SweepTable, SaysWhatProgramsUsed) {
  Results results = synthetic_results();
  EXPECT_FALSE(shows(render_sweep_table(results), "peak"));
  results.records.clear();
  for (const std::uint64_t seed : {42, 43}) {
    Record record = synthetic_record("undulating", "external", seed, 0.5);
    record.method = "mine";
    record.case_name = "undulating/mine/seed=" + std::to_string(seed);
    record.program = ProgramUse{.cpu_user_s = seed == 42 ? 1.25 : 2.25,
                                .cpu_system_s = 0.25,
                                .peak_resident_bytes = seed << 20U,
                                .read_bytes = 3U << 20U,
                                .written_bytes = {}};
    results.records.push_back(record);
  }
  const std::string text = render_sweep_table(results);
  EXPECT_TRUE(shows(text, "undulating/mine      1.75       0.250         43.0  3.00  ")) << text;
  EXPECT_FALSE(shows(text, "written\n")) << "no program says how much: " << text;
  EXPECT_TRUE(shows(text, "the largest peak of all together")) << text;
}

TEST(SweepTable, SpellsOutWhatDiffersBetweenCases) {
  Results results = synthetic_results();
  results.records.clear();
  for (const char* scene : {"ripple_field", "undulating"})
    for (const char* surface : {"", "/plane_sweep.surface=ball_pivoting", "/plane_sweep.surface=poisson"}) {
      Record record = synthetic_record(scene, "plane_sweep", 42, 0.5);
      record.simulated = false;
      record.preset = "balanced";
      record.case_name =
          std::string(scene) + "/plane_sweep:balanced/seed=42/rig=arc6/width=480/height=360" + surface;
      results.records.push_back(record);
    }
  const std::string text = render_sweep_table(results);
  EXPECT_TRUE(text.starts_with("All cases have rig=arc6 width=480 height=360 seed=42.\n")) << text;
  EXPECT_FALSE(shows(text, "…")) << text;
  EXPECT_TRUE(shows(text, "undulating    plane_sweep:balanced  surface=ball_pivoting  1  ")) << text;
  EXPECT_FALSE(shows(text, "median")) << "names go before numbers: " << text;
  EXPECT_TRUE(shows(text, "Errors: distance of points")) << text;
}

TEST(SweepTable, UndefinedIsNotANumber) {
  Results results = synthetic_results();
  metric_of(results.records[0], "accuracy_mean_mm") = {{}, "mm", Better::lower, "the cloud is empty"};
  const std::string text = render_sweep_table(results);
  EXPECT_TRUE(shows(text, "n/a"));
  EXPECT_TRUE(shows(text, "flat_plane/lightglue_like/seed=42: accuracy_mean_mm: the cloud is empty"));
}

TEST(SweepTable, SaysThatNoTruthIsKnown) {
  Results results = synthetic_results();
  EXPECT_EQ(without_truth_note(results), "");
  results.records[0].metrics = {{"reprojection_median_px", {0.4, "px", Better::lower, ""}}};
  const std::string text = render_sweep_table(results);
  EXPECT_TRUE(without_truth_note(results).starts_with("1 case without a true surface: agreement,"));
  EXPECT_TRUE(shows(text, "reproj.")) << text;
  results.records[0].metrics = {{"point_maps_accuracy_mean", {0.4, "m", Better::lower, ""}}};
  EXPECT_EQ(without_truth_note(results), "");  // a protocol's number has a truth
}

TEST(VerdictTable, WorstFirstAndWithinTheScreen) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  metric_of(results.records[0], "accuracy_mean_mm").value = 1.53 * 1.10;   // twice its tolerance
  metric_of(results.records[1], "accuracy_mean_mm").value = 0.793 * 1.40;  // eight times
  metric_of(results.records[2], "precision_2mm_pct").value = 99;           // better
  metric_of(results.records[3], "accuracy_rmse_mm") = {{}, "mm", Better::lower, std::string(300, 'x')};
  results.run.complete = false;
  const Verdicts report = gate(results, baseline);
  ASSERT_GE(report.rows.size(), 4u);
  EXPECT_EQ(report.rows[0].verdict, Verdict::undefined);
  EXPECT_EQ(report.rows[1].case_name, "flat_plane/roma_like/seed=42");
  EXPECT_NEAR(report.rows[1].excess, 8, 1e-9);
  EXPECT_NEAR(report.rows[2].excess, 2, 1e-9);
  EXPECT_EQ(report.rows[3].verdict, Verdict::improved);
  const std::string text = render_verdicts(report);
  EXPECT_LT(text.find("+40 %"), text.find("+10 %"));
  EXPECT_NE(text.find("improved"), text.npos);
  EXPECT_NE(text.find("note: the run was interrupted: 4 of 4 cases"), text.npos);
  EXPECT_NE(text.find("\nFAIL: 1 of 4 cases with an undefined value, 2 worse"), text.npos) << text;
  EXPECT_EQ(text.find("fscore"), text.npos);  // what passes is counted, not listed
  EXPECT_NE(render_verdicts(report, true).find("F-score"), text.npos);
  // What a column is stands below it alone.
  EXPECT_TRUE(shows(render_verdicts(report, false, {false, 200}), "size: the change in units"));
  EXPECT_FALSE(shows(render_verdicts(report, false, {false, 60}), "size: the change in units"));
  EXPECT_EQ(text.find('\033'), text.npos);
  for (const std::string& shown : {text, render_verdicts(report, true)}) {
    std::size_t start = 0;
    for (std::size_t end = shown.find('\n'); end != shown.npos;
         start = end + 1, end = shown.find('\n', start))
      EXPECT_LE(display_width(shown.substr(start, end - start)), kScreenColumns)
          << shown.substr(start, end - start);
  }
}

}  // namespace

}  // namespace aqbench
