#include "reports/site/site_steps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t metric_place(const char* name) {
  const auto found = std::ranges::find(site_metrics(), name, &SiteMetric::name);
  return static_cast<std::size_t>(found - site_metrics().begin());
}

// 30 runs of two cases, their mean error 1 mm and from run 18 on 1.2 mm: "noisy" with a little noise, "exact"
// without; times go from 10 to 14 ms at the same run.
std::vector<SiteRun> thirty_runs() {
  std::vector<SiteRun> runs(30);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].id = fmt::format("run{}", 100 + i);
    runs[i].suite = "s";
    runs[i].started_utc = fmt::format("2025-05-20T10:{}:00Z", 10 + i);
    runs[i].commit = fmt::format("c{}", 1000 + i);
    runs[i].comparable = "here";
    const double noise = 0.002 * static_cast<double>((i * 7) % 5);
    for (const char* const name : {"exact", "noisy"}) {
      SiteCase one{name, "flat_plane", "m", "ok", {}};
      one.values.resize(site_metrics().size());
      one.values[metric_place("accuracy_mean_mm")] = (i < 18 ? 1.0 : 1.2) + (one.name == "noisy" ? noise : 0);
      one.values[metric_place("time_ms")] = (i < 18 ? 10 : 14) + noise;
      runs[i].cases.push_back(std::move(one));
    }
  }
  return runs;
}

const SiteReports& no_reports() {
  static const SiteReports none;
  return none;
}

std::vector<SiteStep> steps_of(const std::vector<SiteRun>& runs) {
  std::vector<const SiteRun*> list;
  for (const SiteRun& run : runs) list.push_back(&run);
  return site_steps(list);
}

TEST(SiteSteps, AreWhereALevelChangedOfEachCaseAndMetric) {
  const std::vector<SiteStep> steps = steps_of(thirty_runs());
  ASSERT_EQ(steps.size(), 4u);
  const std::size_t accuracy = metric_place("accuracy_mean_mm");
  for (const SiteStep& step : steps) {
    EXPECT_EQ(step.before, 17u);
    EXPECT_EQ(step.since, 18u);
    EXPECT_EQ(step.worsening(), 1);
    const double scale = step.metric == accuracy ? 1 : 10, factor = step.metric == accuracy ? 1.2 : 1.4;
    EXPECT_NEAR(step.level.mean_before, scale, 0.01);
    EXPECT_NEAR(step.level.mean_after, factor * scale, 0.01);
  }
  EXPECT_EQ(steps[0].case_name, "exact");
  EXPECT_EQ(steps[0].metric, accuracy);
  EXPECT_EQ(steps[0].level.p, 0);
  EXPECT_EQ(steps[2].case_name, "noisy");
  EXPECT_GT(steps[2].level.p, 0);
}

TEST(SiteSteps, ABiasThatMovedAwayFromZeroIsWorse) {
  std::vector<SiteRun> runs = thirty_runs();
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].cases = {SiteCase{"biased", "flat_plane", "m", "ok",
                              std::vector<std::optional<double>>(site_metrics().size())}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].cases[0].values[metric_place("bias_mean_mm")] = i < 18 ? -0.2 : -0.3;
  const std::vector<SiteStep> steps = steps_of(runs);
  ASSERT_EQ(steps.size(), 1u);
  std::vector<const SiteRun*> list;
  for (const SiteRun& run : runs) list.push_back(&run);
  const ShortNames names = site_short_names(list);
  const std::string row = site_step_row(steps[0], list, {&names, &no_reports()});
  EXPECT_THAT(row, HasSubstr("<td data-label=\"change\">-0.1</td>"));
  EXPECT_THAT(row, HasSubstr("class=\"text bad\">worse</td>"));
}

// Two runs do not tell whether a value varies by itself: what a gate would not pass is a step. A time
// varies.
TEST(SiteSteps, OfTwoRunsAreWhatAGateWouldNotPass) {
  std::vector<SiteRun> runs = thirty_runs();
  runs.resize(2);
  for (SiteCase& one : runs[1].cases) {
    one.values[metric_place("accuracy_mean_mm")] = one.name == "exact" ? 5.74 : 1.01;
    one.values[metric_place("time_ms")] = 100;
  }
  const std::vector<SiteStep> steps = steps_of(runs);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].case_name, "exact");
  EXPECT_EQ(steps[0].worsening(), 1);
  EXPECT_EQ(steps[0].level.p, 1);
}

TEST(SiteSteps, OtherOptionsMachinesAndFailedCasesAreNoChange) {
  std::vector<SiteRun> runs = thirty_runs();
  for (std::size_t i = 18; i < runs.size(); ++i) {
    runs[i].comparable = "elsewhere";
    runs[i].cases[0].options = "other";
    runs[i].cases[1].status = "failed";
  }
  EXPECT_THAT(steps_of(runs), ::testing::IsEmpty());
  runs = thirty_runs();
  for (SiteRun& run : runs) run.comparable.clear();
  for (const SiteStep& step : steps_of(runs)) EXPECT_EQ(step.metric, metric_place("accuracy_mean_mm"));
}

// A case that is missing in a run leaves its last run before the step where it is.
TEST(SiteSteps, ARunWithoutTheCaseLiesBetween) {
  std::vector<SiteRun> runs = thirty_runs();
  runs[17].cases.clear();
  for (const SiteStep& step : steps_of(runs)) {
    EXPECT_EQ(step.before, 16u);
    EXPECT_EQ(step.since, 18u);
  }
}

TEST(SiteSteps, StandOnThePagesOfTheSuiteAndOfTheMetric) {
  const std::vector<SiteRun> runs = thirty_runs();
  SiteSuites suites;
  for (const SiteRun& run : runs) suites["s"].push_back(&run);
  const SiteSteps steps = {{"s", site_steps(suites["s"])}};
  const SiteNames names = {{"s", site_short_names(suites["s"])}};
  const std::string page = suite_page("s", suites["s"], names.at("s"), {}, steps.at("s")).second;
  EXPECT_THAT(page, HasSubstr("Where a level changed"));
  EXPECT_THAT(page, HasSubstr("<li>since run run118, commit c1018 after c1017: <span class=\"bad\">4 values "
                              "worse</span>, 0 better</li>"));
  EXPECT_THAT(page, HasSubstr("c1017 to c1018"));
  EXPECT_THAT(
      page, HasSubstr("<td data-label=\"change\">+20 %</td><td data-label=\"it is\" class=\"text bad\">worse"
                      "</td><td data-label=\"since run\" class=\"text\">run118</td>"));
  EXPECT_THAT(suite_data("s", suites["s"], names.at("s"), steps.at("s")).second,
              HasSubstr(R"(window.aqbench_steps=[["accuracy_mean_mm",0,18,1],["time_ms",0,18,1],)"));
  for (const auto& [path, text] : subject_pages(suites, names, steps, {})) {
    if (path == "metric/accuracy_mean_mm.html") {
      EXPECT_THAT(
          text, HasSubstr("<td data-label=\"suite\" class=\"text\"><a href=\"../suite/s.html\">s</a></td><td "
                          "data-label=\"case\" class=\"text\">noisy</td>"));
    }
    if (path == "metric/accuracy_rmse_mm.html") {
      EXPECT_THAT(text, Not(HasSubstr("Where a level changed")));
    }
  }
  EXPECT_THAT(suite_page("s", suites["s"], names.at("s"), {}, {}).second,
              Not(HasSubstr("Where a level changed")));
}

}  // namespace
}  // namespace aqbench
