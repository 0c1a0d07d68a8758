#include "harness/planning/foreign_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/planning/plan.h"

namespace aqbench {
namespace {

TEST(ForeignCode, IsWhatCasesStartAndLoad) {
  PlanRequest request;
  request.scenes = {"flat_plane", "step"};
  request.methods = {"roma_like"};
  EXPECT_THAT(foreign_code(plan_sweep(request).cases), ::testing::IsEmpty());
  request.methods = {"roma_like", "external", "torchscript"};
  request.sets = {{"external", "command", "sh run {output}"}, {"torchscript", "model", "m.pt"}};
  EXPECT_THAT(
      foreign_code(plan_sweep(request).cases),
      ::testing::UnorderedElementsAre("external.command: sh run {output}", "torchscript.model: m.pt"));
}

}  // namespace
}  // namespace aqbench
