#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/sha256.h"
#include "harness/planning/case_options.h"
#include "harness/planning/plan.h"
#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PlanRequest scored_by(const std::vector<Override>& sets) {
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
  request.sets = sets;
  return request;
}

ScoreOptions given_scoring(const Case& planned) {
  ScoreOptions options;
  take_given_scoring(planned, options);
  return options;
}

TEST(CaseScoring, IsTheDefaultAndInNoOptionsUnlessItIsGiven) {
  const Case planned = test::plan(scored_by({})).cases.at(0);
  EXPECT_FALSE(has_overrides(planned, kScoringOwner));
  for (const auto& [name, value] : planned.options) EXPECT_FALSE(name.starts_with("scoring.")) << name;
  const ScoreOptions given = given_scoring(planned), usual;
  EXPECT_EQ(given.tolerances_m, usual.tolerances_m);
  EXPECT_EQ(given.sample_spacing_m, usual.sample_spacing_m);
}

TEST(CaseScoring, StandsInTheOptionsAndLeavesTheOthersAsTheyAre) {
  const Case planned =
      test::plan(scored_by({{"scoring", "thresholds_mm", "50,10"}, {"scoring", "outlier_mm", "100"}}))
          .cases.at(0);
  EXPECT_EQ(to_string(test::option(planned, "scoring.thresholds_mm")), "50,10");
  EXPECT_EQ(std::get<double>(test::option(planned, "scoring.outlier_mm")), 100);
  EXPECT_EQ(std::get<double>(test::option(planned, "scoring.tile_mm")), 10);
  const ScoreOptions given = given_scoring(planned), usual;
  EXPECT_THAT(given.tolerances_m, ElementsAre(0.01, 0.05));
  EXPECT_EQ(given.outlier_m, 0.1);
  EXPECT_EQ(given.tile_m, usual.tile_m);
  EXPECT_EQ(given.sample_spacing_m, usual.sample_spacing_m);
}

// The defaults of the parameters, once any is given, are those of ScoreOptions.
TEST(CaseScoring, DefaultsAreThoseOfScoreOptions) {
  const ScoreOptions given = given_scoring(test::plan(scored_by({{"scoring", "tile_mm", "20"}})).cases.at(0)),
                     usual;
  EXPECT_EQ(given.tile_m, 0.02);
  EXPECT_EQ(given.tolerances_m, usual.tolerances_m);
  EXPECT_EQ(given.outlier_m, usual.outlier_m);
}

TEST(CaseScoring, CanBeAnAxis) {
  PlanRequest request = scored_by({});
  request.axes = {parse_axis("scoring.outlier_mm=20,50")};
  EXPECT_THAT(test::case_names(test::plan(request)),
              ElementsAre("flat_plane/roma_like/seed=42/scoring.outlier_mm=20",
                          "flat_plane/roma_like/seed=42/scoring.outlier_mm=50"));
}

TEST(CaseScoring, WhatMakesNoSenseIsRefusedBeforeACaseRuns) {
  for (const auto& [parameter, value, said] :
       {std::array{"thresholds_mm", "1,,5", "expected positive lengths"},
        {"thresholds_mm", "5,1,5", "duplicate tolerance"},
        {"thresholds_mm", "-1", "expected positive lengths"},
        {"outlier_mm", "0", "outlier_mm"},
        {"tiles_mm", "1", "tile_mm"}})
    EXPECT_THAT(test::usage_message(scored_by({{"scoring", parameter, value}})), HasSubstr(said)) << value;
}

TEST(ForeignCode, IsWhatCasesStartAndLoad) {
  PlanRequest request = test::request_for({"flat_plane", "step"}, {"roma_like"});
  EXPECT_THAT(foreign_code(plan_sweep(request).cases), ::testing::IsEmpty());
  request.methods = {"roma_like", "external", "torchscript"};
  request.sets = {{"external", "command", "sh run {output}"}, {"torchscript", "model", "m.pt"}};
  EXPECT_THAT(
      foreign_code(plan_sweep(request).cases),
      ::testing::UnorderedElementsAre("external.command: sh run {output}", "torchscript.model: m.pt"));
}

// Bundles are read where the file is not.
TEST(AskedProtocols, NameFilesOfKnobsWithTheirHashes) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "aqbench_asked_lpips.pt").string();
  std::ofstream(file) << "module";
  std::vector<Override> sets;
  ask_for_protocol(sets, "dtu:thinning_m=0.001");
  ask_for_protocol(sets, "images:ssim=zero:lpips=" + file);
  std::filesystem::remove(file);
  const std::string images = "images:ssim=zero:lpips=" + file + '#' + sha256_hex("module");
  EXPECT_EQ(sets.at(0).value, "dtu:thinning_m=0.001 " + images);
  std::vector<Override> again;
  ask_for_protocol(again, images);
  EXPECT_EQ(again.at(0).value, images);
}

}  // namespace
}  // namespace aqbench
