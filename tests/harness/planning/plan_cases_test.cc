#include "harness/planning/plan_basis.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/sha256.h"
#include "tests/harness/planning/plan_support.h"

namespace aqbench {
namespace {

using test::case_names;
using test::error_of;
using test::option;
using test::plan;
using test::usage_message;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

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
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
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
  EXPECT_THAT(usage_message(request), HasSubstr("method of the suite 'plane_sweep'"));
}

TEST(Plan, AFilterNamesAPresetOfASuitesMethod) {
  PlanRequest request;
  request.own_suite = Suite{"mine", "d", {"flat_plane"}, {"plane_sweep", "roma_like"}};
  request.methods = {"plane_sweep:fast"};
  EXPECT_THAT(case_names(plan(request)), ElementsAre("flat_plane/plane_sweep:fast/seed=42"));
  request.methods = {"plane_sweep:fastest"};
  EXPECT_THAT(usage_message(request), HasSubstr("did you mean plane_sweep:fast"));
  request.methods = {"sparse"};
  EXPECT_THAT(usage_message(request), HasSubstr("method of the suite 'sparse'"));
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
  PlanRequest request = test::request_for({"flat_plane"}, {"plane_sweep:*", "plane_sweep"});
  const SweepPlan given = plan(request);
  EXPECT_THAT(case_names(given),
              ElementsAre("flat_plane/plane_sweep:fast/seed=42", "flat_plane/plane_sweep:quality/seed=42",
                          "flat_plane/plane_sweep/seed=42"));
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[1], "plane_sweep.depths")), 256);
  EXPECT_EQ(std::get<std::int64_t>(option(given.cases[2], "plane_sweep.depths")), 64) << "the default preset";
  request.sets = {parse_override("plane_sweep.depths=32")};
  EXPECT_EQ(std::get<std::int64_t>(option(plan(request).cases[1], "plane_sweep.depths")), 32) << "--set wins";
  request.methods = {"plane_sweep:slow"};
  EXPECT_THAT(usage_message(request), HasSubstr("plane_sweep:slow"));
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
  EXPECT_THAT(usage_message(request), HasSubstr("unknown workload 'nosuch'"));
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
  EXPECT_THAT(usage_message(request), HasSubstr("--repetitions -1"));
  request.timing = {};
  request.timing.precision = 1.5;
  EXPECT_THAT(usage_message(request), HasSubstr("--precision"));
  request.timing = {};
  request.timing.repetitions = 20;
  request.timing.max_repetitions = 10;
  EXPECT_THAT(usage_message(request), HasSubstr("--max-repetitions 10"));
}

TEST(Plan, FaultsOfAWorkloadNameItsStages) {
  PlanRequest request;
  request.workloads = {"absorption"};
  request.injects = {parse_inject("*:absorption=20ms")};
  EXPECT_THAT(plan(request).cases[0].faults, SizeIs(1));
  request.injects = {parse_inject("*:sweep=20ms")};
  EXPECT_THAT(usage_message(request), HasSubstr("unknown stage 'sweep'"));
}

TEST(Plan, SweptAxesStandInTheNameButThreadsAndDeviceDoNot) {
  PlanRequest request = test::request_for({"undulating"}, {"roma_like"});
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
  EXPECT_THAT(usage_message(request), HasSubstr("--axis replica: '0' is not an integer from 1"));
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

TEST(Plan, AnAxisOfAMethodThatTakesNoPartNamesTheFlagThatIsMissing) {
  PlanRequest request;
  request.axes = {parse_axis("plane_sweep.batch=1,8")};
  EXPECT_THAT(usage_message(request),
              HasSubstr("--axis plane_sweep.batch: plane_sweep is not selected; add --method plane_sweep"));
}

TEST(Plan, SeedsMayBeAnAxis) {
  PlanRequest request = test::request_for({"flat_plane"}, {"roma_like"});
  request.axes = {parse_axis("seed=5,9")};
  EXPECT_THAT(case_names(plan(request)),
              ElementsAre("flat_plane/roma_like/seed=5", "flat_plane/roma_like/seed=9"));
  request.seed = 1;
  EXPECT_THAT(usage_message(request), HasSubstr("--axis seed excludes"));
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
  EXPECT_THAT(usage_message(request), HasSubstr("exclude each other"));
}

TEST(Plan, AUsersMeshIsKnownByItsBytes) {
  const test::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.ply").string();
  std::ofstream(path) << "ply\n";
  PlanRequest request = test::request_for({"mesh:" + path}, {"roma_like"});
  const SweepPlan before = plan(request);
  EXPECT_EQ(before.cases[0].name, "mesh:" + path + "/roma_like/seed=42");
  EXPECT_EQ(std::get<std::string>(option(before.cases[0], "mesh.sha256")), sha256_hex("ply\n"));
  std::ofstream(path) << "other\n";
  EXPECT_NE(plan(request).sha256, before.sha256);
  request.scenes = {"mesh:/nowhere/a.ply"};
  EXPECT_THAT(error_of(ErrorKind::input, [&] { plan(request); }), HasSubstr("/nowhere/a.ply"));
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
  EXPECT_THAT(usage_message(request), HasSubstr("method of the suite 'nobody'"));
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
  EXPECT_THAT(usage_message(request), HasSubstr("cannot have the axis seed"));
}

}  // namespace
}  // namespace aqbench
