#include "reports/history/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "reports/bundle/bundle.h"
#include "tests/core/error_matcher.h"
#include "tests/reports/ab_bundle.h"
#include "tests/reports/synthetic.h"
#include "tests/reports/xml_check.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// `n` runs whose accuracy is 1 and then, from run `change` on, 1.2; times 10 and 14, with a little noise.
TrendHistory history_of(std::size_t n, std::size_t change) {
  TrendHistory history;
  for (std::size_t i = 0; i < n; ++i) {
    TrendRun run;
    run.id = "run" + std::to_string(100 + i);
    run.started_utc = "2025-05-20T10:" + std::to_string(10 + i) + ":00Z";
    run.commit = "c" + std::to_string(1000 + i);
    run.machine = "{}";
    run.results = synthetic_results();
    run.results.records.resize(1);
    const double noise = 0.002 * static_cast<double>((i * 7) % 5);
    metric_of(run.results.records[0], "accuracy_mean_mm").value = (i < change ? 1.0 : 1.2) + noise;
    run.results.records[0].timing.cold_ms = (i < change ? 10 : 14) + noise;
    history.runs.push_back(std::move(run));
  }
  return history;
}

const TrendSeries& series_of(const std::vector<TrendSeries>& all, const std::string& metric) {
  for (const TrendSeries& one : all)
    if (one.metric == metric) return one;
  throw std::out_of_range(metric);
}

TEST(Trend, FindsTheRunWhereALevelChanged) {
  const TrendHistory history = history_of(30, 18);
  const auto all = detect_trends(history, {});
  for (const char* metric : {"accuracy_mean_mm", "time_ms"}) {
    const TrendSeries& series = series_of(all, metric);
    ASSERT_EQ(series.changes.size(), 1u) << metric;
    EXPECT_EQ(series.changes[0].index, 18u);
  }
  EXPECT_THAT(series_of(all, "fscore_2mm_pct").changes, IsEmpty());
  EXPECT_FALSE(all.front().changes.empty());  // changes first
  EXPECT_THAT(render_trends(history, all), HasSubstr("run118 c1018"));
  TrendOptions one;
  one.metric = "time_ms";
  EXPECT_EQ(detect_trends(history, one).size(), 1u);
}

// What went from -0.2 to -0.3 went down, though its quotient is above 1, and away from 0.
TEST(Trend, ABiasThatMovedAwayFromZeroIsWorse) {
  const TrendHistory history = history_of(4, 2);
  const TrendSeries series{"flat",
                           "bias_mean_mm",
                           "mm",
                           Better::equal,
                           false,
                           {0, 1, 2, 3},
                           {-0.2, -0.2, -0.3, -0.3},
                           {{2, {-0.2, -0.3, 0.5, 0.5, 0}}},
                           {}};
  EXPECT_THAT(render_trends(history, {series}, {true}),
              ::testing::ContainsRegex("-0.200 +-0.300 .*-0.1.* .*worse"));
  EXPECT_THAT(trends_svg(history, {series}), HasSubstr("class=\"bad\""));
}

// Fewer than four runs do not tell whether a value varies by itself: a step is what a gate with the default
// tolerance would not pass, 5 % of a mean error and 0.1 mm of a bias. Times of two runs tell nothing.
TEST(Trend, OfTwoRunsWhatAGateWouldNotPassIsAStep) {
  const auto trends_of = [](std::vector<double> means, std::vector<double> biases) {
    TrendHistory history = history_of(means.size(), 1);
    for (std::size_t i = 0; i < means.size(); ++i) {
      Record& record = history.runs[i].results.records[0];
      metric_of(record, "accuracy_mean_mm").value = means[i];
      metric_of(record, "bias_mean_mm").value = biases[i];
    }
    TrendOptions options;
    options.pinned = "run100";
    return std::pair(history, detect_trends(history, options));
  };
  const auto [history, all] = trends_of({1, 5.74}, {-0.02, -4.40});
  for (const char* const metric : {"accuracy_mean_mm", "bias_mean_mm"}) {
    const TrendSeries& series = series_of(all, metric);
    ASSERT_EQ(series.changes.size(), 1u) << metric;
    EXPECT_EQ(series.changes[0].index, 1u);
    EXPECT_TRUE(series.pinned.value().changed);
  }
  EXPECT_THAT(series_of(all, "time_ms").changes, IsEmpty());
  EXPECT_FALSE(series_of(all, "time_ms").pinned.value().changed);
  const std::string text = render_trends(history, all);
  // A row for the case: 474 % of the tolerance of 5 %, before 4.38 of 0.1 mm.
  EXPECT_THAT(text, ::testing::ContainsRegex("mean error .mm. +1 +5.74 +5.7 x +94.8 +worse +[+]1"));
  // 4 % and 0.09 mm pass a gate; three runs that all differ have two steps, of which the first passes.
  const auto passes = trends_of({1, 1.04}, {-0.02, -0.11}).second;
  EXPECT_THAT(series_of(passes, "accuracy_mean_mm").changes, IsEmpty());
  EXPECT_FALSE(series_of(passes, "accuracy_mean_mm").pinned.value().changed);
  EXPECT_THAT(series_of(passes, "bias_mean_mm").changes, IsEmpty());
  const auto three = trends_of({1, 1.02, 5}, {0, 0, 1}).second;
  ASSERT_EQ(series_of(three, "accuracy_mean_mm").changes.size(), 1u);
  EXPECT_EQ(series_of(three, "accuracy_mean_mm").changes[0].index, 2u);
  EXPECT_DOUBLE_EQ(series_of(three, "accuracy_mean_mm").changes[0].level.mean_before, 1.01);
  EXPECT_EQ(series_of(three, "bias_mean_mm").changes[0].level.p, 0) << "it did not vary by itself";
}

// +1.2 % must not look like +900 %: all charts have one scale, of the change since the first run, 5 % at
// least.
TEST(Trend, ChartsHaveOneScaleOfTheChangeSinceTheFirstRun) {
  const TrendHistory history = history_of(2, 1);
  const TrendSeries small{"a", "accuracy_mean_mm", "mm", Better::lower, false, {0, 1}, {1, 1.012}, {}, {}};
  TrendSeries large = small, share = small;
  large.values = {1, 10};
  share.unit = "%";
  share.values = {50, 40};
  EXPECT_THAT(trends_svg(history, {small}),
              AllOf(HasSubstr(">+5 %<"), HasSubstr(">-5 %<"), HasSubstr("first 1 mm")));
  // A fall of 10 % beside a rise of 900 % is near the line of the first run, and its text below that one's.
  const std::string far = trends_svg(history, {share, large});
  const auto y_of = [&](const char* text) {
    return std::stod(far.substr(far.rfind(" y=\"", far.find(text)) + 4));
  };
  EXPECT_GE(y_of(">-10 points<") - y_of(">first<"), 13);
  EXPECT_THAT(trends_svg(history, {small, large, share}),
              AllOf(HasSubstr(">+900 %<"), HasSubstr(">-10 %<"), HasSubstr(">-10 points<"),
                    Not(HasSubstr(">+5 %<"))));
}

TEST(Trend, OneRunIsNoHistory) {
  const TrendHistory history = history_of(1, 18);
  EXPECT_THAT(render_trends(history, detect_trends(history, {})),
              HasSubstr("no value occurs in two runs with the same options"));
}

TEST(Trend, AgainstAPinnedRelease) {
  const TrendHistory history = history_of(30, 18);
  TrendOptions options;
  options.pinned = "c1003";
  const auto all = detect_trends(history, options);
  ASSERT_TRUE(series_of(all, "time_ms").pinned.has_value());
  EXPECT_TRUE(series_of(all, "time_ms").pinned->changed);
  EXPECT_FALSE(series_of(all, "fscore_2mm_pct").pinned->changed);
  options.pinned = "run125";
  EXPECT_FALSE(series_of(detect_trends(history, options), "time_ms").pinned->changed);
  options.pinned = "nobody";
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { detect_trends(history, options); }), HasSubstr("nobody"));
}

TEST(Trend, TimesOfOtherMachinesAreOtherSeries) {
  TrendHistory history = history_of(30, 15);
  for (std::size_t i = 15; i < 30; ++i) history.runs[i].machine = R"({"cpu":"other"})";
  const auto all = detect_trends(history, {});
  EXPECT_EQ(series_of(all, "accuracy_mean_mm").values.size(), 30u);
  EXPECT_EQ(series_of(all, "time_ms").values.size(), 15u);
  EXPECT_THAT(series_of(all, "time_ms").changes, IsEmpty());
  for (TrendRun& run : history.runs) run.machine.clear();
  for (const TrendSeries& series : detect_trends(history, {})) EXPECT_NE(series.metric, "time_ms");
}

// Values with other options are not compared with those before; the banner says so.
TEST(Trend, SaysSinceWhichRunACaseHasOtherOptions) {
  TrendHistory history = history_of(6, 4);
  EXPECT_EQ(trend_banner(history, detect_trends(history, {})).caution, "");
  for (std::size_t i = 4; i < 6; ++i)
    history.runs[i].results.records[0].options.emplace_back("plane_sweep.window", std::int64_t{9});
  const std::string caution = trend_banner(history, detect_trends(history, {})).caution;
  EXPECT_THAT(caution, HasSubstr("Since run run104 c1004 1 case has other options"));
  EXPECT_THAT(caution, HasSubstr("option plane_sweep.window is 9, was absent"));
}

// Under load wall time says nothing of a step of 5 % in CPU time; on a quiet machine wall time is shown.
TEST(Trend, UnderLoadCpuTimeStandsInForWallTime) {
  TrendHistory history = history_of(30, 30);
  for (std::size_t i = 0; i < 30; ++i) {
    TrendRun& run = history.runs[i];
    run.results.environment = Json{{"comparability", {{"cores", 2u}}}};
    Timing& timing = run.results.records[0].timing;
    timing.warm_ms = {20 + 10 * std::sin(7.0 * static_cast<double>(i * i))};
    timing.cpu_ms = {(i < 12 ? 10 : 10.5) + 0.01 * static_cast<double>(i % 3)};
    timing.blocks.emplace_back().load_1m = 6;
  }
  const auto all = detect_trends(history, {});
  ASSERT_EQ(series_of(all, "cpu_ms").changes.size(), 1u);
  EXPECT_EQ(series_of(all, "cpu_ms").changes[0].index, 12u);
  EXPECT_THROW(series_of(all, "time_ms"), std::out_of_range);
  TrendOptions options;
  options.decide_by = DecideBy::both;
  EXPECT_NO_THROW(series_of(detect_trends(history, options), "time_ms"));
  options = {};
  options.metric = "time_ms";
  EXPECT_THAT(series_of(detect_trends(history, options), "time_ms").changes, IsEmpty());
  for (TrendRun& run : history.runs) run.results.records[0].timing.blocks[0].load_1m = 0.5;
  const auto quiet = detect_trends(history, {});
  EXPECT_NO_THROW(series_of(quiet, "time_ms"));
  EXPECT_THROW(series_of(quiet, "cpu_ms"), std::out_of_range);
}

TEST(Trend, TheChartsAreXml) {
  const TrendHistory history = history_of(30, 18);
  const std::string head = R"(<?xml version="1.0" encoding="UTF-8"?>)";
  const auto root = xml_testing::parse_xml(head + trends_svg(history, detect_trends(history, {})));
  EXPECT_EQ(root.name, "svg");
  EXPECT_GT(root.children.size(), 200u);
  EXPECT_EQ(xml_testing::parse_xml(head + trends_svg({}, {})).name, "svg");
  EXPECT_THAT(render_trends({}, {}), HasSubstr("no verified bundle"));
}

TEST(Trend, ReadsVerifiedBundlesOnceAndNamesTheOthers) {
  const TemporaryDirectory directory;
  for (const char* id : {"20250521T000000Z", "20250520T000000Z", "20250522T000000Z"}) {
    Results results = synthetic_results();
    results.run.id = id;
    results.run.started_utc = std::string("2025-05-") + std::string(id).substr(6, 2) + "T00:00:00Z";
    results.run.finished_utc = results.run.started_utc.substr(0, 17) + "02Z";
    results.records[0].timing.cold_ms = static_cast<double>(id[7]);
    synthetic_bundle(directory / "a/b", results);
  }
  write_file(directory / "a/b/20250522T000000Z/bench.log", "changed\n");
  std::filesystem::copy(directory / "a/b/20250521T000000Z", directory / "copy",
                        std::filesystem::copy_options::recursive);
  const TrendHistory history = read_history({directory.path()});
  ASSERT_EQ(history.runs.size(), 2u);
  EXPECT_EQ(history.runs[0].id, "20250520T000000Z");
  ASSERT_EQ(history.problems.size(), 1u);
  ASSERT_EQ(history.notes.size(), 1u);
  EXPECT_THAT(history.problems[0], HasSubstr("bench.log"));
  EXPECT_THAT(history.notes[0], HasSubstr("there already"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read_history({directory / "absent"}); }),
              HasSubstr("no such file or folder"));
}

// Eight comparisons, of which B is slower from the fifth on and A is not.
TEST(Trend, OfAComparisonBCounts) {
  const TemporaryDirectory folder;
  for (unsigned i = 0; i < 8; ++i) {
    AbDocument document = document_of(timed_samples(20, i < 4 ? 1.0 : 1.3, i + 1));
    const std::string number = std::to_string(i);
    document.run.id = "2026112" + number + "T120000Z";
    document.environment =
        Json{{"comparability", {{"cores", 2u}}}, {"working_directory_git", {{"commit", "abc" + number}}}};
    write_ab_bundle(folder / document.run.id, document, SIZE_MAX, "2026-11-2" + number + "T12:00:00Z");
  }
  const TrendHistory history = read_history({folder.path()});
  EXPECT_THAT(history.problems, IsEmpty());
  ASSERT_EQ(history.runs.size(), 8u);
  const auto all = detect_trends(history, {});
  const TrendSeries& time = series_of(all, "time_ms");
  EXPECT_EQ(time.case_name, "waves/x");
  ASSERT_EQ(time.changes.size(), 1u);
  EXPECT_EQ(time.changes[0].index, 4u);
  EXPECT_NEAR(time.changes[0].level.change.value(), 0.3, 0.01);
  EXPECT_EQ(series_of(all, "stage:match").changes.size(), 1u);
  EXPECT_THAT(series_of(all, "stage:fuse").changes, IsEmpty());
  EXPECT_THAT(render_trends(history, all), HasSubstr("abc4"));
}

// A calibration compares one version with itself, often: no history.
TEST(Trend, ACalibrationIsNoRun) {
  const TemporaryDirectory folder;
  AbDocument document = document_of(timed_samples(20, 1.0));
  document.run.validation = AbValidation{"waves/x", 1};
  std::filesystem::create_directories(folder / "x");
  Journal::create(folder / "x", journal_header_of(document, {"--calibrate"}, {"plan"}));
  write_file(folder / "x/results.json", "{}");
  EXPECT_THAT(find_bundles({folder.path()}), IsEmpty());
}

TEST(Trend, ACommitIsTakenFromThePath) {
  EXPECT_EQ(commit_in_path("results/{commit}.json", "/home/me/results/3f2a.json"), "3f2a");
  EXPECT_EQ(commit_in_path("results/{commit}.json", "results/3f2a.json"), "3f2a");
  EXPECT_EQ(commit_in_path("out/{commit}", "out/3f2a/20261121T120000Z"), "3f2a");
  EXPECT_EQ(commit_in_path("run-{commit}-cpu.json", "x/run-3f-2a-cpu.json"), "3f-2a");
  EXPECT_FALSE(commit_in_path("results/{commit}.json", "results/a/3f2a.json"));
  EXPECT_FALSE(commit_in_path("results/{commit}.json", "old_results/3f2a.json"));
  EXPECT_FALSE(commit_in_path("results/{commit}.json", "results/3f2a.txt"));
  EXPECT_THAT(error_of(ErrorKind::usage, [] { commit_in_path("results/*.json", "x"); }),
              HasSubstr("has no {commit}"));
}

// It was passed over, as a folder that holds no bundle.
TEST(Trend, NamesABundleWhoseResultsAreGone) {
  const TemporaryDirectory folder;
  Results results = synthetic_results();
  const auto bundle = synthetic_bundle(folder.path(), results);
  std::filesystem::remove(bundle / "results.json");
  ASSERT_EQ(find_bundles({folder.path()}).size(), 1u);
  const TrendHistory history = read_history({folder.path()});
  EXPECT_THAT(history.runs, IsEmpty());
  ASSERT_EQ(history.problems.size(), 1u);
  EXPECT_THAT(history.problems[0], HasSubstr("left out: "));
}

}  // namespace
}  // namespace aqbench
