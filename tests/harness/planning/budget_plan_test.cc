#include "harness/planning/budget_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

PlanRequest planted() {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"sparse"};
  request.images.rig = "arc6";
  request.images.width_px = 320;
  request.repeat = 2;
  request.sets = {{"perturb", "camera_rotation_deg", "0.2"},
                  {"perturb", "camera_position_m", "0"},
                  {"perturb", "water_z_m", "0.001"},
                  {"imaging", "noise_sigma", "0.02"}};
  return request;
}

double imaging_of(const Case& planned, const std::string& name) {
  return std::get<double>(*find_option(planned, "imaging." + name));
}

// Each case of a seed by what was taken away.
std::map<std::string, Case> cases_of(const PlanRequest& request, bool pairs = false) {
  std::map<std::string, Case> cases;
  const std::vector<std::string> present = {"camera poses", "water surface", "noise", "blur", "weak texture"};
  for (const Case& planned : plan_sweep(budget_request(request, pairs)).cases)
    if (planned.seed == 42) {
      EXPECT_TRUE(cases.emplace(name_of_causes(taken_away(planned.axes), present), planned).second)
          << planned.name;
    }
  return cases;
}

TEST(BudgetPlan, TakesOneCauseAwayAtATime) {
  EXPECT_EQ(plan_sweep(budget_request(planted())).cases.size(), 16U);
  const auto cases = cases_of(planted());
  ASSERT_EQ(cases.size(), 8U);
  for (const auto& [cause, planned] : cases) {
    const bool all = cause == kAllCauses;
    const CalibrationError error = case_calibration_error(planned);
    EXPECT_EQ(error.camera_rotation_deg, all || cause == "camera poses" || cause == "calibration" ? 0 : 0.2)
        << cause;
    EXPECT_EQ(error.water_z_m, all || cause == "water surface" || cause == "calibration" ? 0 : 0.001)
        << cause;
    EXPECT_EQ(imaging_of(planned, "noise_sigma"), all || cause == "noise" ? 0 : 0.02) << cause;
    EXPECT_EQ(imaging_of(planned, "psf_sigma_px"), all || cause == "blur" ? 0 : 0.5) << cause;
    EXPECT_EQ(imaging_of(planned, "texture_contrast"), all || cause == "weak texture" ? 0.25 : 0.15) << cause;
  }
}

// Of five causes there are ten pairs; the two of the calibration are its group.
TEST(BudgetPlan, TakesTwoCausesAwayWhereThatIsAsked) {
  const auto cases = cases_of(planted(), true);
  ASSERT_EQ(cases.size(), 8U + 9U);
  const CalibrationError error = case_calibration_error(cases.at("camera poses with noise"));
  EXPECT_EQ(error.camera_rotation_deg, 0);
  EXPECT_EQ(error.water_z_m, 0.001);
  EXPECT_EQ(imaging_of(cases.at("camera poses with noise"), "noise_sigma"), 0);
  EXPECT_FALSE(cases.contains("camera poses with water surface"));
}

TEST(BudgetPlan, AnErrorFreeRequestHasNothingToTakeAway) {
  PlanRequest request = planted();
  request.images.imaging = "clean";
  request.sets = {{"imaging", "psf_sigma_px", "0"}, {"imaging", "texture_contrast", "0.25"}};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { budget_request(request); }), HasSubstr("no cause of errors"));
}

TEST(BudgetPlan, AMethodWithoutImagesIsRefused) {
  PlanRequest request = planted();
  request.methods = {"roma_like"};
  request.images = {};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_sweep(budget_request(request)); }), HasSubstr("perturb"));
}

}  // namespace
}  // namespace aqbench
