#include <nlohmann/json.hpp>

#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using test::plan;

TEST(PlanJson, RequestReadsBackTheSame) {
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

TEST(PlanJson, EffectiveSaysWhatRan) {
  PlanRequest request;
  request.axes = {parse_axis("undulating.amplitude_m=0.001,0.002")};
  request.threads = 2;
  const Json json = effective_json(plan(request));
  EXPECT_EQ(json["suite"], "seed");
  EXPECT_EQ(json["threads"], Json({2}));
  EXPECT_EQ(json["axes"]["undulating.amplitude_m"], Json({0.001, 0.002}));
  EXPECT_EQ(json["cases"], 6);
  EXPECT_EQ(json["timeout_s"], 600);
  EXPECT_GT(json["memory_limit_bytes"].get<std::uint64_t>(), std::uint64_t{1} << 28);
}

}  // namespace
}  // namespace aqbench
