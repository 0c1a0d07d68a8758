#include "reports/site/leaderboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t place_of(const char* name) {
  return static_cast<std::size_t>(std::ranges::find(site_metrics(), name, &SiteMetric::name) -
                                  site_metrics().begin());
}

SiteRun run_of(const std::vector<std::tuple<std::string, std::string, int, double>>& values) {
  SiteRun run;
  for (const auto& [scene, method, seed, value] : values) {
    SiteCase one{scene + "/" + method + "/seed=" + std::to_string(seed), scene, method, "ok", {}};
    one.values.resize(site_metrics().size());
    one.values[place_of("accuracy_mean_mm")] = value;
    run.cases.push_back(one);
  }
  return run;
}

// Method c lacks a scene and stands last; b is better than a on the mean of both.
TEST(Leaderboard, IsSortedByValueAndCountsWhatIsMissing) {
  const SiteRun run =
      run_of({{"s", "a", 1, 2}, {"t", "a", 1, 3}, {"s", "b", 1, 1}, {"t", "b", 1, 3.5}, {"s", "c", 1, 0.5}});
  const SiteRun* const runs[] = {&run};
  const std::string text = leaderboard(runs, place_of("accuracy_mean_mm"), {}, {});
  const std::size_t a = text.find("<td>a</td>"), b = text.find("<td>b</td>"), c = text.find("<td>c</td>");
  EXPECT_LT(b, a);
  EXPECT_LT(a, c);
  EXPECT_THAT(text.substr(c), HasSubstr("<strong>0.500</strong>"));
  EXPECT_THAT(text.substr(c), HasSubstr("n/a</td><td data-label=\"missing\">1</td><td data-label=\"since "
                                        "when\" class=\"text\">first run</td>"));
  EXPECT_THAT(text.substr(a, c - a), HasSubstr("2.00</td><td data-label=\"t\"><strong>3.00</strong>"));
  EXPECT_EQ(leaderboard(runs, place_of("bias_mean_mm"), {}, {}), "");
}

TEST(Leaderboard, EachRowLeadsToTheNewestStepOfItsCases) {
  SiteRun old = run_of({{"s", "a", 1, 2}, {"s", "b", 1, 1}}), run = old;
  run.id = "r2";
  run.suite = old.suite = "seed";
  const SiteRun* const runs[] = {&old, &run};
  const std::size_t metric = place_of("accuracy_mean_mm");
  const SiteStep steps[] = {{metric, "s/a/seed=1", 0, 1, {}}, {metric + 1, "s/b/seed=1", 0, 1, {}}};
  const std::string text = leaderboard(runs, metric, {}, steps);
  const std::size_t a = text.find("<td>a</td>"), b = text.find("<td>b</td>");
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
  const std::string text = leaderboard(runs, place_of("accuracy_mean_mm"), {}, {});
  EXPECT_THAT(text, HasSubstr("<strong>1.10</strong>"));
  EXPECT_THAT(text, HasSubstr("<strong>1.17</strong>"));
  EXPECT_THAT(text, HasSubstr(">2.10</td>"));
  EXPECT_THAT(text, Not(HasSubstr("<strong>2.10")));
}

}  // namespace
}  // namespace aqbench
