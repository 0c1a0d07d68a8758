#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/site/site_pages.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t metric_at(const char* name) {
  return static_cast<std::size_t>(std::ranges::find(site_metrics(), name, &SiteMetric::name) -
                                  site_metrics().begin());
}

// Runs of one case whose mean and median errors are these.
std::vector<SiteRun> runs_with(const std::vector<double>& errors_mm) {
  std::vector<SiteRun> runs;
  for (std::size_t i = 0; i < errors_mm.size(); ++i) {
    SiteRun run;
    run.key = run.id = "run" + std::to_string(i);
    run.suite = "seed";
    run.started_utc = "2025-05-0" + std::to_string(i + 1) + "T00:00:00Z";
    run.commit = "abc" + std::to_string(i);
    run.planned = 1;
    run.cases = {{"plane/roma/seed=1", "plane", "roma", "ok", {}}};
    run.cases[0].values.resize(site_metrics().size());
    run.cases[0].values[metric_at("accuracy_mean_mm")] = errors_mm[i];
    run.cases[0].values[metric_at("accuracy_median_mm")] = 0.8 * errors_mm[i];
    runs.push_back(run);
  }
  return runs;
}

SiteSuite suite_of(const std::vector<SiteRun>& runs) {
  SiteSuite suite;
  for (const SiteRun& run : runs) suite.runs.push_back(&run);
  suite.names = site_short_names(suite.runs);
  suite.steps = site_steps(suite.runs);
  return suite;
}

std::string index_of(const std::vector<SiteRun>& runs) {
  return index_page({{"seed", suite_of(runs)}}, {}, {}).second;
}

TEST(SiteIndex, BeginsWithWhatGotWorseOneRowForOneCause) {
  const std::string page = index_of(runs_with({0.5, 0.5, 0.5, 2}));
  const std::string worse = page.substr(0, page.find("<h2>Suites</h2>"));
  for (const char* const part :
       {"<h2>Newest changes for the worse</h2>", "mean error [mm]</a> and 1 more</td>",
        "<td data-label=\"before\">0.500</td>", "class=\"bad\">2</td>",
        "<td data-label=\"since run\" class=\"text\"><a href=\"suite/seed.html#steps\">run3</a></td><td "
        "data-label=\"commit\" class=\"text\">abc3</td>"})
    EXPECT_THAT(worse, HasSubstr(part));
  EXPECT_THAT(page, HasSubstr("aria-label=\"mean error [mm] over 4 runs\""));
}

// Pages of very many cases have a limit, say what they leave out, and show what failed.
TEST(SitePages, HaveALimitOfRows) {
  std::vector<SiteRun> runs = runs_with({1.0, 1.0});
  const SiteCase one = runs[0].cases[0];
  for (SiteRun& run : runs) {
    run.cases.clear();
    for (int seed = 1; seed <= 3000; ++seed) {
      run.cases.push_back(one);
      run.cases.back().name = "plane/roma/seed=" + std::to_string(seed);
    }
    run.planned = run.cases.size();
    run.cases[2500].status = "failed";
  }
  const SiteSuites suites = {{"seed", suite_of(runs)}};
  const std::string page = suite_page("seed", suites.at("seed"), {}).second;
  EXPECT_THAT(page, HasSubstr("and 2000 more rows, in results.json"));
  EXPECT_THAT(page, HasSubstr("title=\"plane/roma/seed=2501\""));
  EXPECT_THAT(page, HasSubstr("The plot has 2000 of 3000 cases"));
  EXPECT_LT(page.size(), 1'000'000u);
  const Json endpoint = Json::parse(suite_endpoint("seed", runs.back()).second);
  EXPECT_EQ(endpoint["cases"].size(), 2000u);
  EXPECT_EQ(endpoint["cases_left_out"], 1000);
  EXPECT_EQ(endpoint["cases"]["plane/roma/seed=2501"]["status"], "failed");
  for (const SiteFile& subject : subject_pages(suites, {})) {
    EXPECT_THAT(subject.second, HasSubstr("and 2000 more rows, in results.json")) << subject.first;
    EXPECT_LT(subject.second.size(), 1'000'000u) << subject.first;
  }
}

TEST(SiteIndex, SaysThatNothingGotWorse) {
  const std::string page = index_of(runs_with({2, 2, 2, 0.5}));
  EXPECT_THAT(page, HasSubstr("None: no value of any suite changed its level for the worse"));
  EXPECT_THAT(page, Not(HasSubstr("aria-label=\"newest changes for the worse\"")));
}

SiteRun run_of(const std::vector<std::tuple<std::string, std::string, int, double>>& values) {
  SiteRun run;
  for (const auto& [scene, method, seed, value] : values) {
    SiteCase one{scene + "/" + method + "/seed=" + std::to_string(seed), scene, method, "ok", {}};
    one.values.resize(site_metrics().size());
    one.values[metric_at("accuracy_mean_mm")] = value;
    run.cases.push_back(one);
  }
  return run;
}

// Method c lacks a scene and stands last; b is better than a on the mean of both.
TEST(Leaderboard, IsSortedByValueAndCountsWhatIsMissing) {
  const SiteRun run =
      run_of({{"s", "a", 1, 2}, {"t", "a", 1, 3}, {"s", "b", 1, 1}, {"t", "b", 1, 3.5}, {"s", "c", 1, 0.5}});
  const SiteRun* const runs[] = {&run};
  const std::string text = leaderboard(runs, metric_at("accuracy_mean_mm"), {}, {});
  const std::size_t a = text.find(">a</td>"), b = text.find(">b</td>"), c = text.find(">c</td>");
  EXPECT_LT(b, a);
  EXPECT_LT(a, c);
  EXPECT_THAT(text.substr(c), HasSubstr("<strong>0.500</strong>"));
  EXPECT_THAT(text.substr(c), HasSubstr("n/a</td><td data-label=\"missing\">1</td><td data-label=\"since "
                                        "when\" class=\"text\">first run</td>"));
  EXPECT_THAT(text.substr(a, c - a), HasSubstr("2.00</td><td data-label=\"t\"><strong>3.00</strong>"));
  EXPECT_EQ(leaderboard(runs, metric_at("bias_mean_mm"), {}, {}), "");
}

TEST(Leaderboard, EachRowLeadsToTheNewestStepOfItsCases) {
  SiteRun old = run_of({{"s", "a", 1, 2}, {"s", "b", 1, 1}}), run = old;
  run.id = "r2";
  run.suite = old.suite = "seed";
  const SiteRun* const runs[] = {&old, &run};
  const std::size_t metric = metric_at("accuracy_mean_mm");
  const SiteStep steps[] = {{metric, "s/a/seed=1", 0, 1, {}}, {metric + 1, "s/b/seed=1", 0, 1, {}}};
  const std::string text = leaderboard(runs, metric, {}, steps);
  const std::size_t a = text.find(">a</td>"), b = text.find(">b</td>");
  EXPECT_THAT(text.substr(a), HasSubstr("<a href=\"../suite/seed.html#steps\">r2</a>"));
  EXPECT_THAT(text.substr(b, a - b), HasSubstr("first run"));
}

// Differences of 0.1, -0.1, 0.2 mm between a and b scatter around 0; c is 1 mm worse for each seed.
TEST(Leaderboard, BoldAreAlsoThoseThatTheSeedsCannotTellFromTheBest) {
  const SiteRun run = run_of({{"s", "a", 1, 1.0},
                              {"s", "a", 2, 1.2},
                              {"s", "a", 3, 1.1},
                              {"s", "b", 1, 1.1},
                              {"s", "b", 2, 1.1},
                              {"s", "b", 3, 1.3},
                              {"s", "c", 1, 2.0},
                              {"s", "c", 2, 2.21},
                              {"s", "c", 3, 2.1}});
  const SiteRun* const runs[] = {&run};
  const std::string text = leaderboard(runs, metric_at("accuracy_mean_mm"), {}, {});
  for (const char* const part : {"<strong>1.10 ± ", "<strong>1.17 ± ", "<u>2.10 ± "})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("<strong>2.10")));
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
      one.values[metric_at("accuracy_mean_mm")] = (i < 18 ? 1.0 : 1.2) + (one.name == "noisy" ? noise : 0);
      one.values[metric_at("time_ms")] = (i < 18 ? 10 : 14) + noise;
      runs[i].cases.push_back(std::move(one));
    }
  }
  return runs;
}

TEST(SiteSteps, AreWhereALevelChangedOfEachCaseAndMetric) {
  const std::vector<SiteRun> runs = thirty_runs();
  const std::vector<SiteStep> steps = suite_of(runs).steps;
  ASSERT_EQ(steps.size(), 4u);
  const std::size_t accuracy = metric_at("accuracy_mean_mm");
  for (const SiteStep& step : steps) {
    EXPECT_EQ(step.before, 17u);
    EXPECT_EQ(step.since, 18u);
    EXPECT_EQ(step.worsening(), 1);
    const double scale = step.metric == accuracy ? 1 : 10, factor = step.metric == accuracy ? 1.2 : 1.4;
    EXPECT_NEAR(step.level.mean_before, scale, 0.01);
    EXPECT_NEAR(step.level.mean_after, factor * scale, 0.01);
  }
  // The largest change first: times grew by 40 %, errors by 20 %.
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) EXPECT_NE(steps[i].metric, accuracy);
  for (const std::size_t i : {std::size_t{2}, std::size_t{3}}) EXPECT_EQ(steps[i].metric, accuracy);
}

TEST(SiteSteps, ABiasThatMovedAwayFromZeroIsWorse) {
  std::vector<SiteRun> runs = thirty_runs();
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].cases = {SiteCase{"biased", "flat_plane", "m", "ok",
                              std::vector<std::optional<double>>(site_metrics().size())}};
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[i].cases[0].values[metric_at("bias_mean_mm")] = i < 18 ? -0.2 : -0.3;
  const SiteSuite suite = suite_of(runs);
  ASSERT_EQ(suite.steps.size(), 1u);
  const std::string row = steps_section({site_step_row(suite.steps[0], suite, {})}, false);
  EXPECT_THAT(row, HasSubstr("<td data-label=\"change\">-0.1</td>"));
  EXPECT_THAT(row, HasSubstr("class=\"text bad\">worse</td>"));
}

// Two runs do not tell whether a value varies by itself: what a gate would not pass is a step. A time
// varies.
TEST(SiteSteps, OfTwoRunsAreWhatAGateWouldNotPass) {
  std::vector<SiteRun> runs = thirty_runs();
  runs.resize(2);
  for (SiteCase& one : runs[1].cases) {
    one.values[metric_at("accuracy_mean_mm")] = one.name == "exact" ? 5.74 : 1.01;
    one.values[metric_at("time_ms")] = 100;
  }
  const std::vector<SiteStep> steps = suite_of(runs).steps;
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
  EXPECT_THAT(suite_of(runs).steps, ::testing::IsEmpty());
  runs = thirty_runs();
  for (SiteRun& run : runs) run.comparable.clear();
  for (const SiteStep& step : suite_of(runs).steps) EXPECT_EQ(step.metric, metric_at("accuracy_mean_mm"));
}

// A case that is missing in a run leaves its last run before the step where it is.
TEST(SiteSteps, ARunWithoutTheCaseLiesBetween) {
  std::vector<SiteRun> runs = thirty_runs();
  runs[17].cases.clear();
  for (const SiteStep& step : suite_of(runs).steps) {
    EXPECT_EQ(step.before, 16u);
    EXPECT_EQ(step.since, 18u);
  }
}

TEST(SiteSteps, StandOnThePagesOfTheSuiteAndOfTheMetric) {
  const std::vector<SiteRun> runs = thirty_runs();
  SiteSuite suite = suite_of(runs);
  const std::string page = suite_page("s", suite, {}).second;
  EXPECT_THAT(page, HasSubstr("Where a level changed"));
  EXPECT_THAT(page, HasSubstr("<li>since run run118, commit c1018 after c1017: 4 values "
                              "worse, 0 better</li>"));
  EXPECT_THAT(page, HasSubstr("c1017 to c1018"));
  EXPECT_THAT(
      page, HasSubstr("<td data-label=\"change\">+20 %</td><td data-label=\"it is\" class=\"text bad\">worse"
                      "</td><td data-label=\"since run\" class=\"text\">run118</td>"));
  EXPECT_THAT(
      suite_data("s", suite).second,
      HasSubstr(
          R"(window.aqbench_steps=[["time_ms",0,18,1],["time_ms",1,18,1],["accuracy_mean_mm",0,18,1],)"));
  for (const auto& [path, text] : subject_pages({{"s", suite}}, {})) {
    if (path == "metric/accuracy_mean_mm.html") {
      EXPECT_THAT(
          text, HasSubstr("<td data-label=\"suite\" class=\"text\"><a href=\"../suite/s.html\">s</a></td><td "
                          "data-label=\"case\" class=\"text\">noisy</td>"));
    }
    if (path == "metric/accuracy_rmse_mm.html") {
      EXPECT_THAT(text, Not(HasSubstr("Where a level changed")));
    }
  }
  suite.steps.clear();
  EXPECT_THAT(suite_page("s", suite, {}).second, Not(HasSubstr("Where a level changed")));
}

}  // namespace
}  // namespace aqbench
