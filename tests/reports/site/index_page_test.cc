#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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

std::string index_of(const std::vector<SiteRun>& runs) {
  SiteSuites suites;
  for (const SiteRun& run : runs) suites["seed"].push_back(&run);
  return index_page(suites, {{"seed", site_short_names(suites["seed"])}},
                    {{"seed", site_steps(suites["seed"])}}, {}, {})
      .second;
}

TEST(SiteIndex, BeginsWithWhatGotWorseOneRowForOneCause) {
  const std::string page = index_of(runs_with({0.5, 0.5, 0.5, 2}));
  const std::string worse = page.substr(0, page.find("<h2>Suites</h2>"));
  EXPECT_THAT(worse, HasSubstr("<h2>Newest changes for the worse</h2>"));
  EXPECT_THAT(worse, HasSubstr("mean error [mm]</a> and 1 more</td>"));
  EXPECT_THAT(worse, HasSubstr("<td data-label=\"before\">0.500</td>"));
  EXPECT_THAT(worse, HasSubstr("class=\"bad\">2</td>"));
  EXPECT_THAT(worse, HasSubstr("<td data-label=\"since run\" class=\"text\"><a "
                               "href=\"suite/seed.html#steps\">run3</a></td><td "
                               "data-label=\"commit\" class=\"text\">abc3</td>"));
  EXPECT_THAT(page, HasSubstr("aria-label=\"mean error [mm] over 4 runs\""));
}

TEST(SiteIndex, SaysThatNothingGotWorse) {
  const std::string page = index_of(runs_with({2, 2, 2, 0.5}));
  EXPECT_THAT(page, HasSubstr("None: no value of any suite changed its level for the worse"));
  EXPECT_THAT(page, Not(HasSubstr("aria-label=\"newest changes for the worse\"")));
}

}  // namespace
}  // namespace aqbench
