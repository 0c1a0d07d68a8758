#include "harness/plan.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "scenes/core/sha256.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::case_names;
using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

SweepPlan plan(const PlanRequest& request) { return plan_sweep(request, test::fake_catalogue()); }

std::string usage_error(const PlanRequest& request) {
  return error_of(ErrorKind::usage, [&] { plan(request); });
}

const ParameterValue& option(const Case& planned, const std::string& key) {
  return std::ranges::find(planned.options, key, [](const auto& item) { return item.first; })->second;
}

TEST(Plan, NothingGivenMeansSuiteSeed) {
  const SweepPlan given = plan({});
  EXPECT_EQ(given.suite, "seed");
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/lightglue_like/seed=42", "flat_plane/roma_like/seed=42",
                          "undulating/lightglue_like/seed=42", "undulating/roma_like/seed=42"));
  for (const Case& planned : given.cases) {
    EXPECT_TRUE(planned.simulated);
    EXPECT_GE(planned.threads, 1);
    EXPECT_EQ(planned.device, "cpu");
  }
}

TEST(Plan, RepeatMeansConsecutiveSeeds) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  request.repeat = 3;
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/roma_like/seed=42", "flat_plane/roma_like/seed=43",
                          "flat_plane/roma_like/seed=44"));
  request.seed = 7;
  EXPECT_EQ(plan(request).cases.back().name, "flat_plane/roma_like/seed=9");
  request.repeat = std::nullopt;
  EXPECT_THAT(plan(request).cases, SizeIs(1));
}

TEST(Plan, SceneAndMethodFilterASuite) {
  PlanRequest request;
  request.suite = "seed";
  request.scenes = {"undul*"};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("undulating/lightglue_like/seed=42", "undulating/roma_like/seed=42"));
  request.methods = {"plane_sweep"};
  EXPECT_THAT(usage_error(request), HasSubstr("method of the suite 'plane_sweep'"));
}

TEST(Plan, WithoutSuiteScenesAndMethodsChooseFromTheRegistries) {
  PlanRequest request;
  request.methods = {"plane_sweep"};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/plane_sweep/seed=42", "undulating/plane_sweep/seed=42"));
  EXPECT_EQ(plan(request).suite, "");
  request = {};
  request.scenes = {"flat_plane", "*"};  // each once
  EXPECT_THAT(plan(request).cases, SizeIs(4)) << "the simulated methods";
}

TEST(Plan, PresetsStandInTheNameAndDecideTheOptions) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"plane_sweep:*", "plane_sweep"};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep:fast/seed=42", "flat_plane/plane_sweep:quality/seed=42",
                          "flat_plane/plane_sweep/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[1], "plane_sweep.depths")), 256);
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[2], "plane_sweep.depths")), 64) << "the default preset";
  request.sets = {parse_override("plane_sweep.depths=32")};
  EXPECT_EQ(std::get<std::int64_t>(option(plan(request).cases[1], "plane_sweep.depths")), 32) << "--set wins";
  request.methods = {"plane_sweep:slow"};
  EXPECT_THAT(usage_error(request), HasSubstr("plane_sweep:slow"));
}

TEST(Plan, WorkloadsStandAloneAndTheirParametersAreAxes) {
  PlanRequest request;
  request.workloads = {"absorption"};
  request.axes = {parse_axis("variant=torch,fused"), parse_axis("size=256,512")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(
      case_names(given),
      ElementsAre("absorption/variant=torch/size=256/seed=42", "absorption/variant=torch/size=512/seed=42",
                  "absorption/variant=fused/size=256/seed=42", "absorption/variant=fused/size=512/seed=42"));
  EXPECT_EQ(given.cases[0].workload, "absorption");
  EXPECT_EQ(given.cases[0].scene + given.cases[0].method, "");
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[1], "absorption.size")), 512);
  EXPECT_EQ(given.cases[0].timing.repetitions, 10) << "workloads are timed warm unless asked otherwise";
  request.workloads = {"nosuch"};
  EXPECT_THAT(usage_error(request), HasSubstr("unknown workload 'nosuch'"));
}

TEST(Plan, AnAxisConcernsTheWorkloadsThatHaveIt) {
  PlanRequest request;
  request.workloads = {"*"};
  request.axes = {parse_axis("batch=1,8")};
  EXPECT_THAT(case_names(plan(request)), ElementsAre("absorption/seed=42", "sweep_kernel/batch=1/seed=42",
                                                     "sweep_kernel/batch=8/seed=42"));
  request.axes = {parse_axis("absorption.size=1,2")};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("absorption/absorption.size=1/seed=42", "absorption/absorption.size=2/seed=42",
                          "sweep_kernel/seed=42"));
}

TEST(Plan, WorkloadsComeBesideScenesAndMethods) {
  PlanRequest request;
  request.workloads = {"absorption"};
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  EXPECT_THAT(case_names(plan(request)), ElementsAre("flat_plane/roma_like/seed=42", "absorption/seed=42"));
  EXPECT_EQ(plan(request).cases[0].timing, TimingPlan{}) << "methods run once unless asked otherwise";
  request.timing.precision = 0.02;
  EXPECT_EQ(plan(request).cases[0].timing.precision, 0.02);
  EXPECT_GE(plan(request).cases[0].timing.repetitions, 6) << "an interval of the median needs six";
}

TEST(Plan, TimingThatCannotBeIsRefused) {
  PlanRequest request;
  request.timing.repetitions = -1;
  EXPECT_THAT(usage_error(request), HasSubstr("--repetitions -1"));
  request.timing = {};
  request.timing.precision = 1.5;
  EXPECT_THAT(usage_error(request), HasSubstr("--precision"));
  request.timing = {};
  request.timing.repetitions = 20;
  request.timing.max_repetitions = 10;
  EXPECT_THAT(usage_error(request), HasSubstr("--max-repetitions 10"));
}

TEST(Plan, FaultsOfAWorkloadNameItsStages) {
  PlanRequest request;
  request.workloads = {"absorption"};
  request.injects = {parse_inject("*:absorption=20ms")};
  EXPECT_THAT(plan(request).cases[0].faults, SizeIs(1));
  request.injects = {parse_inject("*:sweep=20ms")};
  EXPECT_THAT(usage_error(request), HasSubstr("unknown stage 'sweep'"));
}

TEST(Plan, SweptAxesStandInTheNameButThreadsAndDeviceDoNot) {
  PlanRequest request;
  request.scenes = {"undulating"};
  request.methods = {"roma_like"};
  request.threads = 3;
  EXPECT_THAT(case_names(plan(request)), ElementsAre("undulating/roma_like/seed=42"));
  EXPECT_EQ(plan(request).cases[0].threads, 3);
  request.threads = std::nullopt;
  request.axes = {parse_axis("threads=1,2"), parse_axis("undulating.amplitude_m=0.002,0.0030")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("undulating/roma_like/seed=42/threads=1/undulating.amplitude_m=0.002",
                          "undulating/roma_like/seed=42/threads=1/undulating.amplitude_m=0.003",
                          "undulating/roma_like/seed=42/threads=2/undulating.amplitude_m=0.002",
                          "undulating/roma_like/seed=42/threads=2/undulating.amplitude_m=0.003"));
  EXPECT_EQ(given.cases[3].threads, 2);
  EXPECT_EQ(std::get<double>(option(given.cases[3], "undulating.amplitude_m")), 0.003);
  ASSERT_THAT(given.cases[3].axes, SizeIs(1));
  EXPECT_EQ(std::get<double>(given.cases[3].axes[0].second), 0.003);
}

TEST(Plan, ReplicasAreTheSameCaseUnderSeveralNames) {
  PlanRequest request;
  request.workloads = {"absorption"};
  request.axes = {parse_axis("replica=1,2")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given), ElementsAre("absorption/replica=1/seed=42", "absorption/replica=2/seed=42"));
  EXPECT_EQ(given.cases[0].options, given.cases[1].options);
  request.axes = {parse_axis("replica=0")};
  EXPECT_THAT(usage_error(request), HasSubstr("--axis replica: '0' is not an integer from 1"));
}

TEST(Plan, AnAxisConcernsOnlyTheCasesOfItsOwner) {
  PlanRequest request;
  request.axes = {parse_axis("undulating.amplitude_m=0.001:0.003:0.001")};
  EXPECT_THAT(plan(request).cases, SizeIs(2 + 2 * 3));
  request.axes = {parse_axis("batch=1,8")};
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like", "plane_sweep"};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/roma_like/seed=42", "flat_plane/plane_sweep/seed=42/batch=1",
                          "flat_plane/plane_sweep/seed=42/batch=8"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[2], "plane_sweep.batch")), 8);
  EXPECT_EQ(std::get<std::int64_t>(given.cases[2].axes[0].second), 8);
}

TEST(Plan, SeedsMayBeAnAxis) {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"roma_like"};
  request.axes = {parse_axis("seed=5,9")};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/roma_like/seed=5", "flat_plane/roma_like/seed=9"));
  request.seed = 1;
  EXPECT_THAT(usage_error(request), HasSubstr("--axis seed excludes"));
}

TEST(Plan, SetsReachOnlyTheirOwners) {
  PlanRequest request;
  request.sets = {parse_override("undulating.amplitude_m=0.002")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(given.cases[0].overrides, SizeIs(0));
  EXPECT_THAT(given.cases[2].overrides, SizeIs(1));
  EXPECT_EQ(std::get<double>(option(given.cases[2], "undulating.amplitude_m")), 0.002);
  EXPECT_EQ(std::get<double>(option(given.cases[2], "undulating.wavelength_m")), 0.05);
}

TEST(Plan, OwnSuitesAreTakenAsGiven) {
  PlanRequest request;
  request.own_suite = Suite{"mine",
                            "",
                            {"undul*"},
                            {"roma_like"},
                            {1, 2},
                            {parse_axis("threads=1,2")},
                            {parse_override("roma_like.points=10")}};
  EXPECT_THAT(plan(request).cases, SizeIs(4));
  EXPECT_EQ(plan(request).suite, "mine");
  request.axes = {parse_axis("threads=4")};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("undulating/roma_like/seed=1/threads=4", "undulating/roma_like/seed=2/threads=4"));
  request.suite = "seed";
  EXPECT_THAT(usage_error(request), HasSubstr("exclude each other"));
}

TEST(Plan, AUsersMeshIsKnownByItsBytes) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.ply").string();
  std::ofstream(path) << "ply\n";
  PlanRequest request;
  request.scenes = {"mesh:" + path};
  request.methods = {"roma_like"};
  const SweepPlan before = plan(request);
  EXPECT_EQ(before.cases[0].name, "mesh:" + path + "/roma_like/seed=42");
  EXPECT_EQ(std::get<std::string>(option(before.cases[0], "mesh.sha256")), sha256_hex("ply\n"));
  std::ofstream(path) << "other\n";
  EXPECT_NE(plan(request).sha256, before.sha256);
  request.scenes = {"mesh:/nowhere/a.ply"};
  EXPECT_THAT(error_of(ErrorKind::input, [&] { plan(request); }), HasSubstr("/nowhere/a.ply"));
}

struct RefusedPlan {
  const char* what;
  PlanRequest request;
  const char* why;
};
class PlanRefuses : public testing::TestWithParam<RefusedPlan> {};

TEST_P(PlanRefuses, WithAUsageError) {
  EXPECT_THAT(usage_error(GetParam().request), HasSubstr(GetParam().why));
}

PlanRequest with(const std::function<void(PlanRequest&)>& change) {
  PlanRequest request;
  change(request);
  return request;
}

INSTANTIATE_TEST_SUITE_P(
    Wrong, PlanRefuses,
    testing::Values(
        RefusedPlan{"suite", with([](auto& r) { r.suite = "sead"; }), "did you mean seed"},
        RefusedPlan{"scene", with([](auto& r) { r.scenes = {"flat_plan"}; }), "did you mean flat_plane"},
        RefusedPlan{"glob", with([](auto& r) { r.scenes = {"x*"}; }),
                    "matches none of flat_plane, undulating"},
        RefusedPlan{"method", with([](auto& r) { r.methods = {"roma"}; }), "did you mean roma_like"},
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
                    "given twice"},
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
                    "--set undulating.amplitude_m gives it too"},
        RefusedPlan{"axis under two names", with([](auto& r) {
                      r.methods = {"plane_sweep"};
                      r.axes = {parse_axis("plane_sweep.batch=1"), parse_axis("batch=1")};
                    }),
                    "gives it too"},
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
        RefusedPlan{"inject glob",
                    with([](auto& r) { r.injects = {parse_inject("roma_like:simulate=throw")}; }),
                    "no planned case matches 'roma_like'"},
        RefusedPlan{"inject stage", with([](auto& r) { r.injects = {parse_inject("*:simulat=throw")}; }),
                    "did you mean simulate"}),
    [](const auto& tested) {
      std::string name = tested.param.what;
      std::ranges::replace(name, ' ', '_');
      return name;
    });

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

TEST(PlanParts, AddCasesOfTheirOwnOnce) {
  PlanRequest request;
  Suite suite{"mine", "d", {"flat_plane", "undulating"}, {"plane_sweep:fast", "roma_like"}, {42}, {}, {}};
  suite.more = {{{"undulating"}, {"plane_sweep:*"}, {parse_axis("plane_sweep.batch=1,8")}},
                {{"undulating"}, {"roma_like", "lightglue_like"}, {}}};
  request.own_suite = suite;
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/plane_sweep:fast/seed=42", "flat_plane/roma_like/seed=42",
                          "undulating/plane_sweep:fast/seed=42", "undulating/roma_like/seed=42",
                          "undulating/plane_sweep:fast/seed=42/plane_sweep.batch=1",
                          "undulating/plane_sweep:fast/seed=42/plane_sweep.batch=8",
                          "undulating/plane_sweep:quality/seed=42/plane_sweep.batch=1",
                          "undulating/plane_sweep:quality/seed=42/plane_sweep.batch=8",
                          "undulating/lightglue_like/seed=42"));
  request.methods = {"lightglue_like"};
  EXPECT_THAT(case_names(plan(request)), ElementsAre("undulating/lightglue_like/seed=42"));
  request.methods = {"nobody"};
  EXPECT_THAT(usage_error(request), HasSubstr("method of the suite 'nobody'"));
  request.methods = {"plane_sweep:fast"};
  request.axes = {parse_axis("plane_sweep.batch=4")};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/plane_sweep:fast/seed=42/plane_sweep.batch=4",
                          "undulating/plane_sweep:fast/seed=42/plane_sweep.batch=4"))
      << "an axis of the request replaces that of a part";
  const Json json = to_json(suite);
  EXPECT_EQ(to_json(suite_from_json(json, "x")).dump(), json.dump());
  suite.more[0].axes = {parse_axis("seed=1,2")};
  request = {};
  request.own_suite = suite;
  EXPECT_THAT(usage_error(request), HasSubstr("cannot have the axis seed"));
}

// ---- Images ----

PlanRequest real_request() {
  PlanRequest request;
  request.scenes = {"flat_plane"};
  request.methods = {"plane_sweep"};
  return request;
}

TEST(PlanImages, OnlyRealMethodsHaveThem) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  const SweepPlan given = plan(request);
  ASSERT_THAT(given.cases, SizeIs(2));
  ASSERT_TRUE(given.cases[0].images.has_value());
  EXPECT_EQ(given.cases[0].images->rig, "ring12");
  EXPECT_EQ(std::get<std::string>(option(given.cases[0], "dataset.imaging")), "default");
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[0], "ring12.width")), 1600);
  EXPECT_EQ(std::get<double>(option(given.cases[0], "imaging.texture_contrast")), 0.15);
  EXPECT_FALSE(given.cases[1].images.has_value());
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep/seed=42", "flat_plane/roma_like/seed=42"));
}

TEST(PlanImages, WhatIsNotTheDefaultStandsInTheName) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  request.images = {"sparse4", "clean", 480, 360};
  request.axes = {parse_axis("plane_sweep.depths=64,128")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360/"
                          "plane_sweep.depths=64",
                          "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360/"
                          "plane_sweep.depths=128",
                          "flat_plane/roma_like/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[0], "sparse4.height")), 360);
  EXPECT_THAT(given.cases[0].axes, SizeIs(5));
  request.images = {"ring12", "default", std::nullopt, std::nullopt};
  request.axes.clear();
  EXPECT_EQ(plan(request).cases[0].name, "flat_plane/plane_sweep/seed=42") << "the defaults, said aloud";
}

TEST(PlanImages, AxesVaryThemForRealMethodsAlone) {
  PlanRequest request = real_request();
  request.methods = {"plane_sweep", "roma_like"};
  request.axes = {parse_axis("rig=ring12,sparse4"), parse_axis("width=240,480")};
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given), ElementsAre("flat_plane/plane_sweep/seed=42/rig=ring12/width=240",
                                             "flat_plane/plane_sweep/seed=42/rig=ring12/width=480",
                                             "flat_plane/plane_sweep/seed=42/rig=sparse4/width=240",
                                             "flat_plane/plane_sweep/seed=42/rig=sparse4/width=480",
                                             "flat_plane/roma_like/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[3], "sparse4.height")), 360) << "the rig's ratio";
  request.axes = {parse_axis("imaging.noise_sigma=0,0.01"), parse_axis("ring12.radius_m=0.5,0.6")};
  const SweepPlan parameters = plan(request);
  ASSERT_THAT(parameters.cases, SizeIs(4 + 1));
  EXPECT_EQ(std::get<double>(option(parameters.cases[3], "ring12.radius_m")), 0.6);
  EXPECT_EQ(parameters.cases[3].name,
            "flat_plane/plane_sweep/seed=42/imaging.noise_sigma=0.01/ring12.radius_m=0.6");
}

TEST(PlanImages, SetsReachRigAndImaging) {
  PlanRequest request = real_request();
  request.sets = {parse_override("ring12.radius_m=0.5"), parse_override("imaging.noise_sigma=0")};
  const Case planned = plan(request).cases[0];
  EXPECT_EQ(planned.name, "flat_plane/plane_sweep/seed=42");
  EXPECT_EQ(std::get<double>(option(planned, "ring12.radius_m")), 0.5);
  EXPECT_EQ(std::get<double>(option(planned, "imaging.noise_sigma")), 0);
  request.sets = {parse_override("perturb.water_z_m=0.002")};
  request.axes = {parse_axis("perturb.n_water=0,0.001")};
  EXPECT_EQ(plan(request).cases[1].name, "flat_plane/plane_sweep/seed=42/perturb.n_water=0.001");
  EXPECT_EQ(std::get<double>(option(plan(request).cases[1], "perturb.water_z_m")), 0.002);
  request.axes.clear();
  request.images.imaging = "clean";
  request.sets = {parse_override("imaging.noise_sigma=0.02")};
  EXPECT_EQ(std::get<double>(option(plan(request).cases[0], "imaging.noise_sigma")), 0.02) << "--set wins";
}

TEST(PlanImages, MistakesAreNamed) {
  const auto error_with = [](const std::function<void(PlanRequest&)>& change) {
    PlanRequest request = real_request();
    change(request);
    return usage_error(request);
  };
  EXPECT_THAT(error_with([](auto& r) { r.images.rig = "ring13"; }), HasSubstr("did you mean ring12"));
  EXPECT_THAT(error_with([](auto& r) { r.images.imaging = "cleen"; }), HasSubstr("did you mean clean"));
  EXPECT_THAT(error_with([](auto& r) { r.axes = {parse_axis("rig=nope")}; }),
              HasSubstr("unknown rig 'nope'"));
  EXPECT_THAT(error_with([](auto& r) { r.axes = {parse_axis("width=1.5")}; }), HasSubstr("--axis width"));
  EXPECT_THAT(error_with([](auto& r) {
                r.images.width_px = 480;
                r.axes = {parse_axis("width=240,480")};
              }),
              HasSubstr("--axis width excludes --width"));
  EXPECT_THAT(error_with([](auto& r) {
                r.images.width_px = 480;
                r.sets = {parse_override("ring12.width=640")};
              }),
              HasSubstr("width 480: ring12.width=640 contradicts it"));
  EXPECT_THAT(error_with([](auto& r) {
                r.axes = {parse_axis("rig=ring12,sparse4"), parse_axis("ring12.radius_m=1")};
              }),
              HasSubstr("excludes --axis rig"));
  EXPECT_THAT(error_with([](auto& r) { r.sets = {parse_override("sparse4.radius_m=1")}; }),
              HasSubstr("workload of this sweep 'sparse4'"));
  EXPECT_THAT(error_with([](auto& r) {
                r.methods = {"roma_like"};
                r.images.height_px = 100;
              }),
              HasSubstr("--height: no method of this sweep looks at images"));
}

TEST(PlanImages, AMeshCannotBeRendered) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "a.ply";
  std::ofstream(file) << "ply";
  PlanRequest request = real_request();
  request.scenes = {"mesh:" + file.string()};
  EXPECT_THAT(usage_error(request), HasSubstr("cannot be rendered"));
}

TEST(PlanImages, ASuitesChoiceIsTheDefaultOfTheFlags) {
  PlanRequest request;
  request.own_suite =
      Suite{"mine", "d", {"flat_plane"}, {"plane_sweep"}, {42}, {}, {}, {}, {"sparse4", "clean", 480, 360}};
  EXPECT_EQ(plan(request).cases[0].name,
            "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=480/height=360");
  request.images.width_px = 240;
  request.images.rig = "ring12";
  EXPECT_EQ(plan(request).cases[0].name, "flat_plane/plane_sweep/seed=42/imaging=clean/width=240")
      << "a size is one choice";
  const Json json = requested_json(request);
  const PlanRequest same = request_from_json(json, "test");
  EXPECT_EQ(requested_json(same), json);
  EXPECT_EQ(plan(same).sha256, plan(request).sha256);
  request.images = {};
  request.axes = {parse_axis("width=240,800")};
  EXPECT_EQ(plan(request).cases[1].name,
            "flat_plane/plane_sweep/seed=42/rig=sparse4/imaging=clean/width=800");
}

TEST(PlanImages, TheHashStandsForThem) {
  std::set<std::string> hashes;
  for (const char* variant : {"default", "clean", "low_contrast"}) {
    PlanRequest request = real_request();
    request.images.imaging = variant;
    hashes.insert(plan(request).sha256);
  }
  EXPECT_THAT(hashes, SizeIs(3));
}

}  // namespace
}  // namespace aqbench
