#include "reports/content/run_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/measuring/timing.h"
#include "reports/content/case_columns.h"
#include "reports/content/environment_text.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string summary_of(const Results& results) {
  BundleContent content = content_of(results);
  return render_summary(content);
}

// The line of `text` that starts with `start`.
std::string line_of(const std::string& text, const std::string& start) {
  const std::size_t at = text.find("\n" + start);
  if (at == text.npos) return "";
  return text.substr(at + 1, text.find('\n', at + 1) - at - 1);
}

TEST(Summary, SaysWhatRanAndWhatCameOut) {
  const Results results = synthetic_results();
  const std::string text = summary_of(results);
  EXPECT_TRUE(text.starts_with("**4 of 4 cases ran; no baseline: nothing to compare**\n"));
  EXPECT_TRUE(has(text, "# suite seed, 2025-05-20 10:11 UTC\n"));
  EXPECT_TRUE(has(text, "- run: 20250520T101112Z\n"));
  EXPECT_TRUE(has(text, "- UTC: 2025-05-20T10:11:12Z to 2025-05-20T10:11:14Z\n"));
  EXPECT_TRUE(has(text, "- root digest: " + root_digest(results) + "\n"));
  EXPECT_TRUE(has(text, "- metrics digest: " + metrics_digest(results) + "\n"));
  EXPECT_TRUE(has(text, "Test CPU"));
  EXPECT_TRUE(has(text, "Simulated: lightglue_like, roma_like"));
  EXPECT_TRUE(has(text, "aqbench sweep --suite seed --set "));
  const std::string row = line_of(text, "| flat_plane | roma_like (simulated) | ok |");
  for (const char* value : {"0.793", "0.634", "0.991", "-0.0159", "92.0", "21.5", "34.9", "12.8"})
    EXPECT_TRUE(has(row, std::string("| ") + value + " |")) << value << " in " << row;
}

TEST(Summary, SaysOnceHowMethodsWereIsolated) {
  Results results = synthetic_results();
  EXPECT_FALSE(has(summary_of(results), "- isolation of methods:")) << "simulated methods see the truth";
  for (Record& record : results.records) {
    record.simulated = false;
    record.isolation = "landlock ABI 7";
  }
  EXPECT_TRUE(has(summary_of(results), "- isolation of methods: landlock ABI 7\n"));
}

TEST(Summary, IsAPureFunctionOfTheResults) {
  const Results results = synthetic_results();
  EXPECT_EQ(summary_of(results), summary_of(results_from_text(results_text(results), "r")));
}

TEST(Summary, BeginsWithTheVerdictAndEndsWithItsVersion) {
  BundleContent content = content_of(synthetic_results());
  const Baseline baseline = synthetic_baseline(content.results);
  *metric_of(content.results.records[1], "accuracy_mean_mm").value *= 5.7;
  set_baseline(content, baseline);
  const std::string text = render_summary(content);
  EXPECT_TRUE(text.starts_with(
      "**FAIL: 1 of 4 cases worse. flat_plane/roma_like: mean error 0.793 -> 4.52 mm (5.7 x, allowed ± 5 %)"))
      << text.substr(0, 200);
}

TEST(Summary, FailuresUndefinedAndInterruptionAreNamed) {
  Results results = synthetic_results();
  results.records[0].status = Status::crashed;
  results.records[0].reason = "signal 11\n| <b>evil</b> `x`";
  results.records[0].metrics.clear();
  metric_of(results.records[1], "accuracy_mean_mm") = {{}, "mm", Better::lower, "the cloud is empty"};
  results.records.pop_back();
  results.run.complete = false;
  const std::string text = summary_of(results);
  EXPECT_TRUE(has(text, "\n- 2 of 4 planned cases ok, 1 crashed; the run was interrupted.\n"));
  EXPECT_TRUE(has(text, "n/a (the cloud is empty)"));
  EXPECT_TRUE(has(text, "- flat\\_plane") ||
              has(text, "- flat_plane/lightglue_like/seed=42: crashed: signal 11?"));
  EXPECT_TRUE(has(text, "\\| &lt;b>evil&lt;/b> \\`x\\`"));
}

TEST(Summary, InjectedFaultsAreSaid) {
  Results results = synthetic_results();
  results.records[2].injected = {{"simulation", "corrupt", 1}};
  EXPECT_TRUE(
      has(summary_of(results), "undulating/lightglue_like/seed=42: corrupt in stage simulation, 1 times"));
}

TEST(Summary, MeanAndStandardErrorAcrossSeeds) {
  Results results = synthetic_results();
  results.records = {synthetic_record("undulating", "roma_like", 42, 1),
                     synthetic_record("undulating", "roma_like", 43, 2),
                     synthetic_record("undulating", "roma_like", 44, 4)};
  const auto groups = group_cases(results);
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0].scene, "undulating");
  EXPECT_EQ(groups[0].method, "roma_like");
  const auto spread = metric_spread(groups[0], "accuracy_mean_mm");
  ASSERT_TRUE(spread && spread->standard_deviation);
  EXPECT_DOUBLE_EQ(spread->mean, 7.0 / 3);
  EXPECT_DOUBLE_EQ(*spread->standard_deviation, std::sqrt((16.0 / 9 + 1.0 / 9 + 25.0 / 9) / 2));
  EXPECT_TRUE(has(summary_of(results), "| roma_like | 2.33 ± 0.88 |"));
  // A value that one seed leaves undefined has no mean over the others.
  metric_of(results.records[1], "accuracy_mean_mm") = {{}, "mm", Better::lower, "empty"};
  EXPECT_FALSE(metric_spread(group_cases(results)[0], "accuracy_mean_mm").has_value());
  // A failed seed is not in the mean, and the count says so.
  results.records[1].status = Status::failed;
  results.records[1].reason = "no";
  EXPECT_DOUBLE_EQ(metric_spread(group_cases(results)[0], "accuracy_mean_mm")->mean, 2.5);
  EXPECT_TRUE(has(summary_of(results), "| 2.50 (2/3) ± 1.5 |"));
}

TEST(CaseGroups, SweptAxesAreKeptApart) {
  Results results = synthetic_results();
  results.records.clear();
  for (const char* batch : {"1", "8"})
    for (const int seed : {42, 43}) {
      Record record = synthetic_record("undulating", "roma_like", seed, 1);
      record.case_name += std::string("/batch=") + batch;
      results.records.push_back(record);
    }
  const auto groups = group_cases(results);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].axes, "batch=1");
  EXPECT_EQ(groups[1].axes, "batch=8");
  EXPECT_EQ(groups[0].records.size(), 2u);
}

TEST(CaseGroups, AnAxisThatIsAParameterLosesItsOwner) {
  Results results = synthetic_results();
  results.records = {synthetic_record("undulating", "roma_like", 42, 1)};
  results.records[0].case_name += "/undulating.amplitude_m=0.002/x.undulating.y=1/roma_like.points=5";
  EXPECT_EQ(group_cases(results).at(0).axes, "amplitude_m=0.002/x.undulating.y=1/points=5");
}

TEST(CaseGroups, WhatAllHaveIsSaidOnce) {
  Results results = synthetic_results();
  results.records.clear();
  for (const char* axes :
       {"/rig=arc6/width=480/sparse.clahe=on", "/rig=arc6/width=480", "/rig=arc6/width=240/x=a/b"}) {
    Record record = synthetic_record("undulating", "sparse", 42, 1);
    record.simulated = false;
    record.case_name += axes;
    results.records.push_back(record);
  }
  results.records.push_back(synthetic_record("undulating", "roma_like", 42, 1));
  results.records.back().simulated = true;
  auto groups = group_cases(results);
  EXPECT_EQ(take_common_axes(groups), "rig=arc6 seed=42") << "a simulated method has no rig";
  const CaseNames names = name_cases(results);
  EXPECT_EQ(names.common, "scene=undulating rig=arc6 seed=42");
  EXPECT_EQ(names.of.at("undulating/sparse/seed=42/rig=arc6/width=480/sparse.clahe=on").whole(),
            "undulating/sparse width=480 clahe=on");
  EXPECT_EQ(names.of.at("undulating/sparse/seed=42/rig=arc6/width=240/x=a/b").whole(),
            "undulating/sparse width=240 x=a/b");
  EXPECT_EQ(names.of.at("undulating/roma_like/seed=42").whole(), "undulating/roma_like");
  results.records.back().simulated = false;
  groups = group_cases(results);
  EXPECT_EQ(take_common_axes(groups), "seed=42");
  results.records.push_back(synthetic_record("undulating", "roma_like", 43, 1));
  EXPECT_EQ(name_cases(results).of.at("undulating/roma_like/seed=43").whole(),
            "undulating/roma_like seed=43");
  groups.clear();
  EXPECT_EQ(take_common_axes(groups), "");
}

TEST(TimeMs, MedianOfWarmRunsElseTheColdOne) {
  EXPECT_FALSE(typical_ms({}).has_value());
  EXPECT_EQ(typical_ms({7.0, {}, {}, ""}), 7.0);
  EXPECT_EQ(typical_ms({7.0, {3, 1, 2}, {}, ""}), 2.0);
  EXPECT_EQ(typical_ms({7.0, {4, 1, 2, 3}, {}, ""}), 2.5);
}

TEST(TableNumber, HasThreeDigits) {
  EXPECT_EQ(table_number(0.79788), "0.798");
  EXPECT_EQ(table_number(9.9996), "10.0");
  EXPECT_EQ(table_number(99.96), "100");
  EXPECT_EQ(table_number(99.94), "99.9");
  EXPECT_EQ(table_number(-12.345), "-12.3");
  EXPECT_EQ(table_number(1498.4), "1500");
  EXPECT_EQ(table_number(227'696), "228000");
  EXPECT_EQ(table_number(999.6), "1000");
  EXPECT_EQ(table_number(-0.00040123), "-0.000401");
  EXPECT_EQ(table_number(-1e-13), "-1.00e-13");
  EXPECT_EQ(table_number(-0.0), "0");
  EXPECT_EQ(table_number(5), "5.00");
}

TEST(EnvironmentLine, NamesWhatDecides) {
  EXPECT_EQ(environment_line(Json::parse(
                R"({"cpu":{"model":"X | 9","cores_usable":2},"build":{"commit":null,"build_type":"Release"},)"
                R"("threads":2,"device":"cpu"})")),
            "X | 9, 2 cores, Release, threads 2, device cpu");
  EXPECT_EQ(environment_line(Json::object()), "not recorded");
}

TEST(ReproduceCommand, PlansTheSameCases) {
  RunInfo run;
  run.requested = Json::parse(
      R"({"suite":null,"own_suite":null,"scenes":["undu*"],"methods":["roma_like"],"axes":{"seed":["1","2"]},)"
      R"("set":["undulating.amplitude_m=0.002"],"seed":7,"repeat":3,"threads":2,"device":"cpu","timeout_s":20,)"
      R"("memory_limit_bytes":1610612736,"shard":"1/2","inject":["*:simulate=20ms"],)"
      R"("rig":"arc6","imaging":"clean","width":480,"height":360,"timing":{"repetitions":3,"warmup":1,)"
      R"("min_time_s":0.5,"precision":0.02,"max_repetitions":9,"max_time_s":30,"blocks":20}})");
  EXPECT_EQ(
      reproduce_command(run),
      "aqbench sweep --scene 'undu*' --method roma_like --axis seed=1,2 --set undulating.amplitude_m=0.002 "
      "--seed 7 --repeat 3 --rig arc6 --imaging clean --width 480 --height 360 --threads 2 --device cpu "
      "--timeout 20 --memory-limit 1.5 --repetitions 3 --warmup 1 --min-time 0.5 --precision 2 "
      "--max-repetitions 9 --max-time 30 --shard 1/2 --inject '*:simulate=20ms'");
  run.requested = Json{{"merged", true}};
  EXPECT_TRUE(has(reproduce_command(run), R"({"merged":true})"));
}

TEST(Summary, CurrentAgainstBaselineTimesWarningsAndNotes) {
  BundleContent content = content_of(synthetic_results());
  set_baseline(content, synthetic_baseline(content.results));
  content.notes = {"after the <b>fix</b>"};
  content.warnings = {{"bench.log", 7, "warning: x | y"}};
  *metric_of(content.results.records[0], "accuracy_mean_mm").value = 1.683;
  content.results.records[1].timing = {20, {9, 10, 11}, 2.5e6, "px/s"};
  set_baseline(content, *content.baseline);
  const std::string text = render_summary(content);
  for (const char* const part :
       {"| flat_plane/lightglue_like | mean error \\[mm\\] | 1.53 | 1.68 | +10 % | ± 5 % | 2 | regressed |\n",
        "\n3 cases as before.\n",
        "| flat_plane/roma_like | 20.0 | 3 | 10.0 ± 1.00 | 10.0 | 9.00 | 11.0 | 2500000 px/s |",
        "- after the &lt;b>fix&lt;/b>\n", "- bench.log:7: warning: x \\| y\n",
        "\n- 4 of 4 planned cases ok.\n"})
    EXPECT_THAT(text, ::testing::HasSubstr(part));
}

}  // namespace
}  // namespace aqbench
