#include "harness/planning/plan_request.h"

#include <nlohmann/json.hpp>

#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using test::plan;

TEST(PlanRequest, ReadsBackTheSame) {
  PlanRequest request;
  request.own_suite = Suite{"mine", "d", {"undulating"}, {"roma_like"}, {3}, {parse_axis("threads=1,2")}, {}};
  request.scenes = {"undul*"};
  request.axes = {parse_axis("undulating.amplitude_m=0.001:0.003:0.001")};
  request.sets = {parse_override("roma_like.points=5")};
  request.seed = 9;
  request.repeat = 2;
  request.device = "cpu";
  request.timeout_s = 1.5;
  request.memory_limit_bytes = 1 << 30;
  request.shard = {1, 2};
  request.injects = {parse_inject("*:simulate=+5%")};
  for (const PlanRequest& given : {request, PlanRequest{}}) {
    const Json json = requested_json(given);
    const PlanRequest back = request_from_json(json, "x");
    EXPECT_EQ(requested_json(back).dump(), json.dump());
    EXPECT_EQ(plan(back).sha256, plan(given).sha256);
  }
}

}  // namespace
}  // namespace aqbench
