#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "harness/planning/plan.h"
#include "harness/planning/plan_request.h"
#include "harness/records/results.h"
#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using test::case_names;
using test::error_of;
using test::plan;
using test::usage_message;
using test::with;
using testing::HasSubstr;
using testing::SizeIs;

struct RefusedPlan {
  const char* what;
  PlanRequest request;
  const char* why;
};
class PlanRefuses : public testing::TestWithParam<RefusedPlan> {};

TEST_P(PlanRefuses, WithAUsageError) {
  EXPECT_THAT(usage_message(GetParam().request), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, PlanRefuses,
    testing::Values(
        RefusedPlan{"suite", with([](auto& r) { r.suite = "sead"; }), "did you mean seed"},
        RefusedPlan{"scene", with([](auto& r) { r.scenes = {"flat_plan"}; }), "did you mean flat_plane"},
        RefusedPlan{"glob", with([](auto& r) { r.scenes = {"x*"}; }),
                    "matches none of flat_plane, undulating"},
        RefusedPlan{"method", with([](auto& r) { r.methods = {"roma"}; }), "did you mean roma_like"},
        RefusedPlan{"preset", with([](auto& r) { r.methods = {"plane_sweep:zzzzzzzzzz"}; }),
                    "known: plane_sweep:fast, plane_sweep:quality"},
        RefusedPlan{"axis", with([](auto& r) { r.axes = {parse_axis("thread=1")}; }), "did you mean threads"},
        RefusedPlan{"axis parameter", with([](auto& r) { r.axes = {parse_axis("undulating.amplitude=1")}; }),
                    "did you mean amplitude_m"},
        RefusedPlan{"axis owner", with([](auto& r) { r.axes = {parse_axis("plane_sweep.batch=1")}; }),
                    "--axis plane_sweep.batch"},
        RefusedPlan{"axis without user", with([](auto& r) { r.axes = {parse_axis("batch=1,2")}; }),
                    "no method or workload of this sweep has a parameter 'batch'"},
        RefusedPlan{"axis range",
                    with([](auto& r) { r.axes = {parse_axis("undulating.amplitude_m=0.1,0.2")}; }),
                    "undulating.amplitude_m: 0.2 is outside"},
        RefusedPlan{"axis type", with([](auto& r) { r.axes = {parse_axis("threads=1,x")}; }),
                    "'x' is not an integer"},
        RefusedPlan{"axis threads 0", with([](auto& r) { r.axes = {parse_axis("threads=0,1")}; }),
                    "from 1 to"},
        RefusedPlan{"axis device", with([](auto& r) { r.axes = {parse_axis("device=cpu,gpu")}; }), "'gpu'"},
        RefusedPlan{"same axis twice", with([](auto& r) {
                      r.axes = {parse_axis("threads=1"), parse_axis("threads=2")};
                    }),
                    "given more than once"},
        RefusedPlan{"same value twice",
                    with([](auto& r) { r.axes = {parse_axis("undulating.amplitude_m=0.002,0.0020")}; }),
                    "two cases would be called"},
        RefusedPlan{"axis and flag", with([](auto& r) {
                      r.axes = {parse_axis("threads=1,2")};
                      r.threads = 1;
                    }),
                    "--axis threads excludes --threads"},
        RefusedPlan{"axis and set", with([](auto& r) {
                      r.axes = {parse_axis("undulating.amplitude_m=0.002")};
                      r.sets = {parse_override("undulating.amplitude_m=0.003")};
                    }),
                    "conflicts with --set undulating.amplitude_m"},
        RefusedPlan{"axis under two names", with([](auto& r) {
                      r.methods = {"plane_sweep"};
                      r.axes = {parse_axis("plane_sweep.batch=1"), parse_axis("batch=1")};
                    }),
                    "conflicts with --axis"},
        RefusedPlan{"set owner", with([](auto& r) { r.sets = {parse_override("plane_sweep.batch=1")}; }),
                    "--set plane_sweep.batch"},
        RefusedPlan{"set parameter", with([](auto& r) { r.sets = {parse_override("roma_like.point=1")}; }),
                    "did you mean points"},
        RefusedPlan{"set value", with([](auto& r) { r.sets = {parse_override("roma_like.points=1.5")}; }),
                    "roma_like.points: '1.5' is not an integer"},
        RefusedPlan{"repeat", with([](auto& r) { r.repeat = 0; }), "--repeat 0"},
        RefusedPlan{"too many", with([](auto& r) { r.repeat = 100000; }), "more than 100000 cases"},
        RefusedPlan{"seed", with([](auto& r) { r.seed = UINT64_MAX; }), "--seed"},
        RefusedPlan{"threads", with([](auto& r) { r.threads = 0; }), "--threads 0"},
        RefusedPlan{"device", with([](auto& r) { r.device = "tpu"; }), "--device: 'tpu'"},
        RefusedPlan{"timeout", with([](auto& r) { r.timeout_s = -1; }), "--timeout"},
        RefusedPlan{"inject glob", with([](auto& r) { r.injects = {parse_inject("roma:simulate=throw")}; }),
                    "no planned case matches 'roma'"},
        RefusedPlan{"inject stage", with([](auto& r) { r.injects = {parse_inject("*:simulat=throw")}; }),
                    "did you mean simulate"}),
    [](const auto& tested) {
      std::string name = tested.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

TEST(Plan, FaultsGoToTheCasesThatAreNamedAsTablesDo) {
  const SweepPlan given =
      plan(with([](auto& r) { r.injects = {parse_inject("undulating/roma_like:simulate=throw")}; }));
  for (const Case& planned : given.cases)
    EXPECT_EQ(planned.faults.size(), planned.name == "undulating/roma_like/seed=42" ? 1U : 0U)
        << planned.name;
}

TEST(Plan, FaultsGoToTheCasesThatHaveTheStage) {
  PlanRequest request;
  request.injects = {parse_inject("*:dropout=throw"), parse_inject("undulating/*:*=20ms")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(given.cases[0].faults, SizeIs(0));  // lightglue_like has no stage dropout
  ASSERT_THAT(given.cases[1].faults, SizeIs(1));
  EXPECT_EQ(given.cases[1].faults[0].stage, "dropout");
  EXPECT_THAT(given.cases[2].faults, SizeIs(1));
  EXPECT_THAT(given.cases[3].faults, SizeIs(2));
  EXPECT_NE(given.sha256, plan({}).sha256) << "a fault decides the result";
}

TEST(Shards, PartitionTheCasesTheSameWayForAnyOrder) {
  PlanRequest request;
  request.repeat = 10;
  const SweepPlan whole = plan(request);
  const std::vector<std::string> all = case_names(whole);
  std::set<std::string> seen;
  std::vector<std::size_t> sizes;
  for (std::size_t i = 1; i <= 3; ++i) {
    request.shard = {i, 3};
    const SweepPlan part = plan(request);
    EXPECT_EQ(part.cases_in_all_shards, all.size());
    EXPECT_EQ(part.all_shards_sha256, whole.sha256);
    sizes.push_back(part.cases.size());
    for (const std::string& name : case_names(part)) EXPECT_TRUE(seen.insert(name).second) << name;
  }
  EXPECT_EQ(seen, (std::set<std::string>{all.begin(), all.end()}));
  EXPECT_EQ(*std::ranges::max_element(sizes) - *std::ranges::min_element(sizes), 1U);
  // Asked for in another order, each case stays in its shard.
  PlanRequest reversed = request;
  reversed.scenes = {"undulating", "flat_plane"};
  reversed.methods = {"roma_like", "lightglue_like"};
  std::vector<std::string> names = case_names(plan(reversed)), expected = case_names(plan(request));
  std::ranges::sort(names);
  std::ranges::sort(expected);
  EXPECT_EQ(names, expected);
}

TEST(Plan, SaysWhatTypesOfNumbersRan) {
  const auto dtype_of = [](std::vector<std::string> methods, Shard shard = {}) {
    return plan_sweep(with([&](auto& r) {
             r.scenes = {"flat_plane"};
             r.methods = std::move(methods);
             r.shard = shard;
           }))
        .dtype;
  };
  EXPECT_EQ(dtype_of({"roma_like"}), "float64");
  EXPECT_EQ(dtype_of({"plane_sweep:fast"}), "float32");
  EXPECT_EQ(dtype_of({"roma_like", "plane_sweep:fast"}), "float32, float64");
  // The same for each shard, or their times would be of unlike kinds.
  EXPECT_EQ(dtype_of({"roma_like", "plane_sweep:fast"}, {2, 2}), "float32, float64");
}

TEST(Shards, ParseTheirArgument) {
  EXPECT_EQ(parse_shard("2/3").index, 2U);
  EXPECT_EQ(to_string(parse_shard("2/3")), "2/3");
  for (const char* wrong : {"", "0/3", "4/3", "1", "a/b", "1/3/4", "-1/3", "1/", "/2"})
    EXPECT_THAT(error_of(ErrorKind::usage, [&] { parse_shard(wrong); }), HasSubstr(wrong));
}

TEST(Shards, MayBeEmpty) {
  PlanRequest request;
  request.shard = {5, 5};
  EXPECT_THAT(plan(request).cases, SizeIs(0));
}

TEST(PlanHash, ChangesWithWhateverDecidesTheResult) {
  const std::string base = plan({}).sha256;
  EXPECT_EQ(plan({}).sha256, base);
  std::set<std::string> hashes = {base};
  for (const PlanRequest& request : {with([](auto& r) { r.seed = 1; }), with([](auto& r) { r.threads = 17; }),
                                     with([](auto& r) { r.device = "cuda"; }),
                                     with([](auto& r) { r.sets = {parse_override("roma_like.points=5")}; }),
                                     with([](auto& r) { r.injects = {parse_inject("*:simulate=throw")}; })})
    EXPECT_TRUE(hashes.insert(plan(request).sha256).second);
  const PlanRequest reordered = with([](auto& r) { r.scenes = {"undulating", "flat_plane"}; });
  EXPECT_EQ(plan(reordered).sha256, base) << "the order in which cases run does not";
}

TEST(PlanHash, IsThatOfTheCasesAsOneDocument) {
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like", "lightglue_like"});
  request.repeat = 12;  // in another order by name than by number
  const SweepPlan whole = plan(request);
  std::vector<Case> sorted = whole.cases;
  std::ranges::sort(sorted, {}, &Case::name);
  Json all = Json::array();
  for (const Case& planned : sorted) all.push_back(to_json(planned));
  EXPECT_EQ(cases_text(whole.cases), all.dump());
  EXPECT_EQ(cases_text({}), "[]");
  EXPECT_EQ(whole.sha256, sha256_hex(all.dump()));
  EXPECT_EQ(whole.all_shards_sha256, whole.sha256);
}

// Each value of an axis once, in the order in which they come; 3 and 3.0 are one value, 3 and "3" are two.
TEST(EffectiveJson, NamesEachValueOfAnAxisOnce) {
  SweepPlan swept;
  for (const ParameterValue& value : std::vector<ParameterValue>{
           std::int64_t{3}, 0.5, 3.0, std::string("3"), 0.5, std::string("0.5"), -0.0, std::int64_t{0}}) {
    Case planned;
    planned.scene = "flat_plane";
    planned.axes = {{"a", value}};
    swept.cases.push_back(planned);
  }
  EXPECT_EQ(effective_json(swept).at("axes"), Json::parse(R"({"a": [3, 0.5, "3", "0.5", 0.0]})"));
  EXPECT_EQ(effective_json(swept).at("scenes"), Json::parse(R"(["flat_plane"])"));
}

TEST(EffectiveJson, SaysWhatRan) {
  PlanRequest request;
  request.axes = {parse_axis("undulating.amplitude_m=0.001,0.002")};
  request.threads = 2;
  const Json json = effective_json(plan(request));
  EXPECT_EQ(json["suite"], "seed");
  EXPECT_EQ(json["threads"], Json({2}));
  EXPECT_EQ(json["axes"]["undulating.amplitude_m"], Json({0.001, 0.002}));
  EXPECT_EQ(json["cases"], 6);
  EXPECT_EQ(json["timeout_s"], 600);
  EXPECT_THAT(json["definitions"]["chamfer_l1_mm"].get<std::string>(), HasSubstr("half"));
  request = {};
  request.workloads = {"absorption"};
  EXPECT_TRUE(effective_json(plan_sweep(request))["definitions"].empty()) << "workloads have no metrics";
  EXPECT_GT(json["memory_limit_bytes"].get<std::uint64_t>(), std::uint64_t{1} << 28);
}

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

// The committed bundles, whose results.json is what it is: simulated methods, methods on images, workloads
// timed in several processes.
TEST(EstimateResultsBytes, IsTheRealSizeOrUpToTwiceOfIt) {
  for (const char* name : {"seed", "pipeline", "batching"}) {
    const std::filesystem::path file =
        std::filesystem::path(AQBENCH_SOURCE_DIR) / "docs" / "bundles" / name / "results.json";
    const Json results = read_strict_json(file);
    const SweepPlan plan = plan_sweep(request_from_json(results.at("run").at("requested"), name));
    ASSERT_EQ(plan.cases.size(), results.at("records").size()) << name;
    const auto bytes = static_cast<double>(regular_file_size(file));
    EXPECT_GE(static_cast<double>(estimate_results_bytes(plan)), bytes) << name;
    EXPECT_LE(static_cast<double>(estimate_results_bytes(plan)), 2 * bytes) << name;
  }
}

TEST(RequireRecordsFit, RefusesWhatCouldNotBeReadAgain) {
  PlanRequest request = test::request_for({"flat_plane"}, {"lightglue_like"});
  request.repeat = 20;
  SweepPlan plan = plan_sweep(request);
  require_records_fit(plan);
  const Case one = plan.cases.front();
  plan.cases.assign(kMaxCases, one);
  require_records_fit(plan);
  plan.cases.assign(2 * kMaxCases, one);
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { require_records_fit(plan); }),
              HasSubstr("the records of these 200000 cases would take about "));
  plan.cases.assign(1, one);
  plan.cases.front().timing = {.repetitions = 10'000'000};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { require_records_fit(plan); }), HasSubstr("MiB"));
}

// A sweep that was let through can be read even if its records come out twice as large as estimated.
TEST(RequireRecordsFit, LeavesRoomForReaders) {
  EXPECT_GE(kMaxResultsFileBytes, 2 * kMaxPlannedResultsBytes);
  EXPECT_GE(kResultsJson.max_values, kResultsJson.max_bytes / 16)
      << "a value takes a line of 16 bytes or more";
}

}  // namespace
}  // namespace aqbench
