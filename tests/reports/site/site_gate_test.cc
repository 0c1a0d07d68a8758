#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "reports/bundle/bundle.h"
#include "tests/reports/site/site_folder.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

using SiteGateTest = SiteFolder;

// The accuracy of a case of the newest run is worse than what was accepted from the first run, and with it
// ten metrics that follow from the same errors.
TEST_F(SiteGateTest, IsRedWhereTheNewestRunFailsItsAcceptedValues) {
  Results run = synthetic_results();
  synthetic_bundle(folder_ / "out", run);
  const fs::path accepted = folder_ / "out/seed.json";
  write_file(accepted, baseline_text(synthetic_baseline(run)));
  const auto badge = [&] {
    write_well();
    return page("badge/seed.svg");
  };
  EXPECT_THAT(badge(), HasSubstr("4 of 4 ok, gate: pass"));
  set_day(run, "21");
  metric_of(run.records[1], "accuracy_mean_mm").value = 0.7931;
  synthetic_bundle(folder_ / "out", run);
  EXPECT_THAT(badge(), HasSubstr("4 of 4 ok, gate: pass"));
  set_day(run, "22");
  metric_of(run.records[1], "accuracy_mean_mm").value = 0.95;
  synthetic_bundle(folder_ / "out", run);
  EXPECT_THAT(badge(), HasSubstr("4 of 4 ok, gate: FAIL, 11 values"));
  EXPECT_THAT(page("index.html"), HasSubstr("badge bad\">4 of 4 ok, gate: FAIL, 11 values"));
  const Json endpoint = Json::parse(page("api/seed.json"));
  EXPECT_EQ(endpoint["gate"], "fail");
  EXPECT_EQ(endpoint["color"], "red");
  write_file(accepted, read_file(accepted).substr(0, 300));
  EXPECT_THAT(write().problems, Not(::testing::IsEmpty()));
}

// Each run that was gated when it was made says so, not the newest alone, also where the site knows it from
// before.
TEST_F(SiteGateTest, OfAnEarlierRunStandsBesideIt) {
  Results run = synthetic_results();
  const std::string accepted = baseline_text(synthetic_baseline(run));
  const auto add_run = [&](const std::string& day, double mean_mm, bool gated) {
    set_day(run, day);
    metric_of(run.records[1], "accuracy_mean_mm").value = mean_mm;
    const fs::path bundle = synthetic_bundle(folder_ / "out", run);
    if (!gated) return;
    write_file(bundle / kBaselineCopyName, accepted);
    finalise_bundle(bundle, run);
  };
  add_run("21", 0.7931, false);
  add_run("22", 0.95, true);
  add_run("23", 0.7932, true);
  for (const bool known : {false, true}) {
    const SiteSummary made = write_well();
    EXPECT_EQ(made.read, known ? 0u : 3u);
    const std::string suite = page("suite/seed.html"), moved = page("comparison/seed.html");
    const std::string cell = "T101112Z</td><td data-label=\"cases\" class=\"text\"><span class=\"badge ";
    EXPECT_THAT(suite, HasSubstr("20250521" + cell + "unknown\">4 of 4 ok, not gated<"));
    EXPECT_THAT(suite, HasSubstr("20250522" + cell + "bad\">4 of 4 ok, gate: FAIL, 4 values<"));
    EXPECT_THAT(suite, HasSubstr("20250523" + cell + "good\">4 of 4 ok, gate: pass<"));
    EXPECT_THAT(moved, HasSubstr("badge bad\">4 of 4 ok, gate: FAIL, 4 values<"));
    EXPECT_THAT(moved, ::testing::ContainsRegex("<b>WORSE</b> [1-9] of 4 cases worse"));
  }
}

TEST_F(SiteGateTest, IsRedWhereFaultsWereInjected) {
  Results run = synthetic_results();
  run.records[0].injected = {{"noise", "+5%", 1}};
  synthetic_bundle(folder_ / "out", run);
  write();
  EXPECT_THAT(page("index.html"), HasSubstr("badge bad\">4 of 4 ok, injected faults"));
  EXPECT_EQ(Json::parse(page("api/seed.json"))["injected_faults"], true);
}

}  // namespace
}  // namespace aqbench
