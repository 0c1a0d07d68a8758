#include "harness/scoring/evaluate.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "scenes/registry.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

// Samples of a plane of 0.5 m x 0.3 m, 1.178 m deep, moved by (0, 0, above_m), in that many metres a unit.
Output plane_above(const Surface& plane, double above_m, double metres_per_unit = 1) {
  Output output;
  for (const Vec3& point : plane.stratified_samples(0.002, 7).positions_m)
    output.reconstruction.cloud.points_m.push_back((point - Vec3(0, 0, above_m)) / metres_per_unit);
  return output;
}

double metric_value(const CaseResult& result, const char* name) {
  return find_metric(result.record.metrics, name)->value.value();
}

// 2 mm towards the cameras, so each error is 2 mm. A file in millimetres says the same, from memory or block
// by block, and where a transform puts it there.
TEST(Evaluate, AMethodAndAFileAreMeasuredAlike) {
  const Subject subject{.scene = make_scene("flat_plane", {})};
  const Surface& plane = *subject.surface();
  CaseResult of_method, of_file, of_blocks;
  evaluate(subject, plane_above(plane, 0.002), {}, of_method);
  PlaceOptions place;
  place.hints = {.name = "c.ply", .metres_per_unit = 0.001};
  evaluate(subject, plane_above(plane, 0.002, 0.001), {.place = place}, of_file);
  const Output given = plane_above(plane, 0.002, 0.001);
  const Output blocks{.blocks = std::make_shared<SpanBlocks>(given.reconstruction.cloud.points_m)};
  const Evaluation done = evaluate(subject, blocks, {.place = place}, of_blocks);
  for (const CaseResult* result : {&of_method, &of_file, &of_blocks}) {
    EXPECT_NEAR(metric_value(*result, "accuracy_mean_mm"), 2, 1e-9);
    EXPECT_NEAR(metric_value(*result, "bias_mean_mm"), 2, 1e-9);
    EXPECT_EQ(metric_value(*result, "precision_1mm_pct"), 0);
    EXPECT_TRUE(result->artefacts.empty());
  }
  EXPECT_EQ(done.score.counts.scored, given.reconstruction.cloud.points_m.size());
}

// The same mistake is a failure of a method, and of a file an error of input that names it; a simulated
// method cannot be elsewhere and is not asked.
TEST(Evaluate, WhatIsInAnotherUnitIsRefusedInTheWordsOfItsKind) {
  const Subject subject{.scene = make_scene("flat_plane", {})};
  const Output given = plane_above(*subject.surface(), 0, 0.001);
  CaseResult result;
  const std::string of_method = error_of(ErrorKind::method, [&] { evaluate(subject, given, {}, result); });
  EXPECT_TRUE(of_method.starts_with("its cloud: ")) << of_method;
  PlaceOptions place;
  place.hints.name = "c.ply";
  const std::string of_file =
      error_of(ErrorKind::input, [&] { evaluate(subject, given, {.place = place}, result); });
  EXPECT_TRUE(of_file.starts_with("c.ply: ")) << of_file;
  EXPECT_TRUE(result.record.metrics.empty());
}

// 3 mm above the plane; ICP takes them away, a given matrix 1 mm of them, and both stand in the record.
TEST(Evaluate, AnOutputIsAlignedAsItsOptionsSay) {
  const Subject subject{.scene = make_scene("flat_plane", {})};
  CaseResult aligned;
  evaluate(subject, plane_above(*subject.surface(), 0.003), {.then = "icp"}, aligned);
  EXPECT_NEAR(metric_value(aligned, "accuracy_mean_mm"), 0, 1e-6);
  EXPECT_EQ(aligned.record.effective.front().first, "icp_scale");
  PlaceOptions place;
  place.steps = {"icp"};
  CaseResult of_file;
  const Evaluation done =
      evaluate(subject, plane_above(*subject.surface(), 0.003), {.place = place}, of_file);
  EXPECT_NEAR(metric_value(of_file, "accuracy_mean_mm"), 0, 1e-6);
  EXPECT_TRUE(done.placement.notes.front().starts_with("aligned by ICP"));
}

}  // namespace
}  // namespace aqbench
