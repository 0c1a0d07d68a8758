// Cases whose method looks at images: from the dataset to the score.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/processes/isolate.h"
#include "harness/running/case_input.h"
#include "harness/running/journal.h"
#include "harness/running/sweep.h"
#include "harness/scoring/depth_score.h"
#include "pipeline/method/method.h"
#include "scenes/cloud/npy.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;
using testing::SizeIs;

// A cache of the tests' own.
class RealCase : public testing::Test {
 protected:
  RealCase() { ::setenv("AQBENCH_CACHE_DIR", (folder_.path() / "cache").c_str(), 1); }
  ~RealCase() override { ::unsetenv("AQBENCH_CACHE_DIR"); }

  static SweepPlan plan_of(const std::string& method, const std::vector<std::string>& sets = {}) {
    PlanRequest request = test::request_for({"flat_plane"}, {method});
    const bool small = method == "external";
    request.images = {"single_pair", "clean", small ? 64 : 480, small ? 48 : 360};
    request.threads = 2;
    for (const std::string& set : sets) request.sets.push_back(parse_override(set));
    return plan_sweep(request);
  }
  CaseResult run_in_child(const Case& planned) const {
    CaseBoard board;
    const IsolateOutcome outcome = run_isolated([&] { return encode_case_result(run_case(planned, board)); },
                                                {.timeout_s = 120, .log_file = folder_.path() / "log"});
    EXPECT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.log_tail;
    return decode_case_result(outcome.result);
  }
  // The program of an external method: a shell script with $1 the dataset, $2 the output folder.
  std::string script(const std::string& body) const {
    std::ofstream(folder_.path() / "script.sh") << body;
    return "external.command=/bin/sh " + (folder_.path() / "script.sh").string() + " {dataset} {output}";
  }

  test::TemporaryFolder folder_;
};

const char* const kThreePoints =
    "printf 'ply\\nformat ascii 1.0\\nelement vertex 3\\nproperty float x\\nproperty float y\\nproperty "
    "float z\\n"
    "end_header\\n0 0 1.179\\n0.1 0 1.179\\n0 0.1 1.179\\n' > \"$2/cloud.ply\"\n";

TEST_F(RealCase, SparseReconstructsTheFlatPlane) {
  const CaseResult result = run_in_child(plan_of("sparse").cases[0]);
  ASSERT_EQ(result.record.status, Status::ok) << result.record.reason;
  EXPECT_GT(*find_metric(result.record.metrics, "points")->value, 50);
  EXPECT_LT(*find_metric(result.record.metrics, "accuracy_median_mm")->value, 3);  // a pixel is 2.6 mm
  EXPECT_GT(result.record.timing.dataset_ms.value_or(0), 0);
  EXPECT_GT(result.record.timing.cold_ms.value_or(0), 0);
  std::vector<std::string> stages;
  for (const StageRecord& stage : result.record.stages) stages.push_back(stage.name);
  EXPECT_THAT(stages, testing::ElementsAre("pipeline", "image_reading", "undistortion", "sparse_matching",
                                           "triangulation"));
  const CaseResult again = run_in_child([] {
    Case planned = plan_of("sparse").cases[0];
    planned.threads = 1;
    return planned;
  }());
  EXPECT_EQ(again.record.output_sha256, result.record.output_sha256) << "any thread count";
}

TEST_F(RealCase, MethodsOpenTheStagesThatTheyList) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> methods = {
      {"sparse", {}},
      {"plane_sweep:fast", {"plane_sweep.voxel_m=0.004"}},
      {"dense_flow", {"dense_flow.voxel_m=0.004"}}};
  for (const auto& [name, coarser] : methods) {
    Case planned = plan_of(name, coarser).cases[0];
    if (planned.method == "dense_flow")
      planned.images = {"arc6", "clean", 240, 180};  // two cameras confirm none
    const CaseResult result = run_in_child(planned);
    ASSERT_EQ(result.record.status, Status::ok) << name << ": " << result.record.reason;
    std::set<std::string> opened;
    for (const StageRecord& stage : result.record.stages) opened.insert(stage.name);
    const auto spec = std::ranges::find(method_registry(), planned.method, &MethodSpec::name);
    ASSERT_NE(spec, method_registry().end()) << name;
    const std::vector<std::string>& listed = spec->stages;
    EXPECT_EQ(listed.front(), "pipeline") << name;
    EXPECT_THAT(std::vector<std::string>(opened.begin(), opened.end()), testing::IsSubsetOf(listed)) << name;
    EXPECT_GE(opened.size(), std::min<std::size_t>(listed.size(), 3)) << name;
  }
}

// In the method's sandbox, where a driver compiles kernels.
TEST_F(RealCase, AnOpenClDeviceGivesTheScoresOfTheProcessor) {
  Case planned = plan_of("plane_sweep:fast", {"plane_sweep.depths=16", "plane_sweep.surface=none",
                                              "plane_sweep.voxel_m=0.004", "plane_sweep.fusion_radius_m=0"})
                     .cases[0];
  const Record here = run_in_child(planned).record;
  ASSERT_EQ(here.status, Status::ok) << here.reason;
  planned.device = "opencl";
  const Record there = run_in_child(planned).record;
  if (there.status == Status::skipped) GTEST_SKIP() << there.reason;
  ASSERT_EQ(there.status, Status::ok) << there.reason;
  for (const char* const metric : {"accuracy_mean_mm", "accuracy_median_mm"})
    EXPECT_NEAR(*find_metric(there.metrics, metric)->value, *find_metric(here.metrics, metric)->value, 0.01)
        << metric;
  EXPECT_NEAR(*find_metric(there.metrics, "points")->value, *find_metric(here.metrics, "points")->value,
              0.01 * *find_metric(here.metrics, "points")->value);
  std::set<std::string> opened;
  for (const StageRecord& stage : there.stages) {
    opened.insert(stage.name);
    // Six planes of row sums for each of eight hypotheses, and more.
    if (stage.name == "build_cost_volume") {
      EXPECT_GT(stage.peak_bytes.value_or(0), 6 * 8 * 480 * 360 * 4);
    }
  }
  EXPECT_THAT(opened, testing::IsSupersetOf({"device_build", "build_cost_volume", "depth_refinement"}));
}

TEST_F(RealCase, WhatHasNoCodeForADeviceIsSkippedWithTheReason) {
  const auto reason_of = [&](const std::string& method, const std::string& device) {
    Case planned = plan_of(method).cases[0];
    planned.device = device;
    const Record record = run_in_child(planned).record;
    EXPECT_EQ(record.status, Status::skipped) << method;
    return record.reason;
  };
  EXPECT_EQ(reason_of("sparse", "opencl"), "sparse has no code for OpenCL");
  EXPECT_THAT(reason_of("plane_sweep", "opencl:999"), HasSubstr("OpenCL"));
  EXPECT_THAT(reason_of("plane_sweep", "cuda"), HasSubstr("no CUDA device"));
}

TEST_F(RealCase, AWrongCalibrationReachesTheMethodAndTheCamerasViewsAreCounted) {
  const std::string show = "grep -o '\"water_z\": [0-9.]*' \"$1/calibration.json\" | head -1\n";
  const CaseResult result =
      run_in_child(plan_of("external", {script(kThreePoints + show), "perturb.water_z_m=0.002"}).cases[0]);
  ASSERT_EQ(result.record.status, Status::ok) << result.record.reason;
  std::string log, views;
  for (const auto& [path, bytes] : result.artefacts) {
    if (path.starts_with("logs/")) log = bytes;
    if (path.starts_with("views/")) views = bytes;
  }
  EXPECT_THAT(log, HasSubstr("\"water_z\": 0.98\n"));  // 0.978 + 0.002
  EXPECT_THAT(views, HasSubstr("views,surface_pct,completeness_2mm_pct\n0,"));
  ASSERT_NE(find_metric(result.record.metrics, "completeness_seen2_2mm_pct"), nullptr);
  EXPECT_THAT(result.record.options,
              testing::Contains(testing::Pair("perturb.water_z_m", ParameterValue(0.002))));
  EXPECT_THAT(result.record.defaults,
              testing::Contains(testing::Pair("perturb.tilt_deg", ParameterValue(0.0))));
  EXPECT_THAT(plan_of("external", {script("")}).cases[0].options,
              testing::Not(testing::Contains(testing::Key("perturb.tilt_deg"))));
}

TEST_F(RealCase, CalibrationErrorsAreAxesOfMethodsThatSeeImages) {
  PlanRequest request = test::request_for({"flat_plane"}, {"sparse"});
  request.axes = {parse_axis("perturb.water_z_m=0,0.001")};
  const SweepPlan plan = plan_sweep(request);
  ASSERT_THAT(plan.cases, SizeIs(2));
  EXPECT_THAT(plan.cases[1].name, HasSubstr("perturb.water_z_m=0.001"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_of("sparse", {"perturb.n_watr=0.1"}); }),
              HasSubstr("n_water"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_of("sparse", {"perturb.water_z_m=-2"}); }),
              HasSubstr("perturb"));
  request.methods = {"roma_like"};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_sweep(request); }), HasSubstr("perturb"));
}

TEST_F(RealCase, AnExternalCloudIsScoredAndItsLogKept) {
  const SweepPlan plan = plan_of("external", {script(std::string("echo hello; ls $1\n") + kThreePoints)});
  const CaseResult result = run_in_child(plan.cases[0]);
  ASSERT_EQ(result.record.status, Status::ok) << result.record.reason;
  EXPECT_NEAR(*find_metric(result.record.metrics, "accuracy_mean_mm")->value, 1, 1e-4);
  ASSERT_FALSE(result.artefacts.empty());
  EXPECT_THAT(result.artefacts[0].first, HasSubstr("logs/flat_plane__external"));
  EXPECT_EQ(result.artefacts[0].second, "hello\ncalibration.json\nimages\n") << "no truth";
}

// The method is given the wrong calibration with the right images; a tilt is taken back from its cloud.
TEST_F(RealCase, APerturbedCalibrationIsWhatTheMethodSees) {
  const std::string body = std::string("cat $1/calibration.json\n") + kThreePoints;
  const auto rig_seen_in = [&](const std::vector<std::string>& sets) {
    const CaseResult result = run_in_child(plan_of("external", sets).cases[0]);
    EXPECT_EQ(result.record.status, Status::ok) << result.record.reason;
    return parse_calibration(result.artefacts.at(0).second, "log");
  };
  const Rig seen = rig_seen_in({script(body)});
  const Rig seen_wrong = rig_seen_in({script(body), "perturb.water_z_m=0.002", "perturb.n_water=0.01"});
  const WaterInterface wrong_water = level_water(seen_wrong).value(), water = level_water(seen).value();
  EXPECT_NEAR(wrong_water.water_z_m - water.water_z_m, 0.002, 1e-12);
  EXPECT_NEAR(wrong_water.n_water - water.n_water, 0.01, 1e-12);
  const Case tilted = plan_of("external", {script(body), "perturb.tilt_deg=1"}).cases[0];
  const Record record = run_in_child(tilted).record;
  EXPECT_EQ(record.status, Status::ok) << record.reason;
  // (0, 0.1, 1.179) turns by a degree about X through the water at z = 0.978: 1 mm off before,
  // 100 sin(1 deg) - 201 (1 - cos(1 deg)) = 1.7146 mm more after.
  EXPECT_NEAR(*find_metric(record.metrics, "accuracy_max_mm")->value, 2.7146, 1e-3);
}

TEST_F(RealCase, AHangACrashAndNothingGiveTheRightRecord) {
  const auto record_of = [&](const std::string& body, int limit_s = 60) {
    return run_in_child(
               plan_of("external", {script(body), fmt::format("external.timeout_s={}", limit_s)}).cases[0])
        .record;
  };
  const Record hang = record_of("echo working; sleep 60", 3);
  EXPECT_EQ(hang.status, Status::timeout);
  EXPECT_THAT(hang.reason, HasSubstr("3 s, its time limit; it said: working"));
  const Record crash = record_of("kill -ABRT $$");
  EXPECT_EQ(crash.status, Status::crashed);
  EXPECT_THAT(crash.reason, HasSubstr("signal 6"));
  const Record nothing = record_of("true");
  EXPECT_EQ(nothing.status, Status::failed);
  EXPECT_THAT(nothing.reason, HasSubstr("wrote no cloud.ply"));
  const Record bad = record_of("exit 7");
  EXPECT_EQ(bad.status, Status::failed);
  EXPECT_THAT(bad.reason, HasSubstr("exit code 7"));
  const char* const header =
      "printf 'ply\\nformat ascii 1.0\\nelement vertex %s\\nproperty float x\\nproperty "
      "float y\\nproperty float z\\nend_header\\n%s' '";
  const Record empty = record_of(std::string(header) + "0' '' > $2/cloud.ply");
  EXPECT_EQ(empty.reason, "it gave no points");
  const Record nan = record_of(std::string(header) + "1' '0 0 nan\n' > $2/cloud.ply");
  EXPECT_EQ(nan.reason, "1 of its 1 points are not finite, or beyond 1e100 m");
  const Record beyond = record_of(
      "printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty double x\\nproperty double y\\n"
      "property double z\\nend_header\\n0 0 1e101\\n' > $2/cloud.ply");
  EXPECT_EQ(beyond.reason, nan.reason);
  const Record above = record_of(std::string(header) + "1' '0 0 -1.178\n' > $2/cloud.ply");
  EXPECT_EQ(above.status, Status::ok) << "far from the scene in any unit: its errors say so";
  const Record millimetres =
      record_of(std::string(header) + "3' '0 0 1178\n-100 0 1178\n0 100 1178\n' > $2/cloud.ply");
  EXPECT_EQ(millimetres.status, Status::failed);
  EXPECT_THAT(millimetres.reason, HasSubstr("millimetres"));
  EXPECT_THAT(millimetres.metrics, SizeIs(0));
  for (const Record* record : {&hang, &crash, &nothing, &bad, &empty, &nan}) {
    EXPECT_THAT(record->metrics, SizeIs(0));
    EXPECT_EQ(record->output_sha256, "");
  }
}

TEST_F(RealCase, ASweepLeavesNoScratchBehind) {
  PlanRequest request = test::request_for({"flat_plane"}, {"external"});
  request.images = {"single_pair", "clean", 64, 48};
  request.sets = {parse_override(script("echo \"$2\"; kill -KILL $$"))};
  const SweepPlan plan = plan_sweep(request);
  const std::filesystem::path bundle = folder_.path() / "bundle";
  std::filesystem::create_directories(bundle);
  Journal journal = test::new_journal(bundle, plan);
  run_sweep(plan, journal, {});
  ASSERT_THAT(journal.records(), SizeIs(1));
  EXPECT_EQ(journal.records()[0].status, Status::crashed);
  std::string output;
  std::ifstream(bundle / "logs" / (file_name_of(journal.records()[0].case_name) + ".log")) >> output;
  ASSERT_THAT(output, HasSubstr("aqbench_"));
  EXPECT_FALSE(std::filesystem::exists(output));
}

// What is gone after the case is not named: the copy of the images, the folder for output.
TEST_F(RealCase, AReasonNamesNoFolderThatIsGone) {
  PlanRequest request = test::request_for({"flat_plane"}, {"external"});
  request.images = {"single_pair", "clean", 64, 48};
  const auto reason_of = [&](const std::string& body, const std::string& bundle) {
    request.sets = {parse_override(script(body))};
    const SweepPlan plan = plan_sweep(request);
    std::filesystem::create_directories(folder_.path() / bundle);
    Journal journal = test::new_journal(folder_.path() / bundle, plan);
    run_sweep(plan, journal, {});
    EXPECT_THAT(journal.records(), SizeIs(1));
    return journal.records().at(0).reason;
  };
  const std::string failed = reason_of("echo \"$1/images: none in $2\" >&2; exit 3\n", "failed");
  EXPECT_THAT(failed, HasSubstr("{dataset}/images: none in {output}"));
  EXPECT_THAT(failed, testing::Not(HasSubstr("aqbench_")));
}

TEST(DepthScore, IsTheMedianOverCamerasAndAMissingMapCounts) {
  const test::TemporaryFolder folder;
  Rig rig = make_rig("arc6", {}, 1);
  rig.cameras.resize(4);
  rig.cameras[3].is_auxiliary = true;
  for (Camera& camera : rig.cameras) {
    camera.intrinsics.width_px = 3;
    camera.intrinsics.height_px = 2;
  }
  const std::vector<float> truth(6, 0.2F);
  const std::array<std::size_t, 2> shape = {2, 3};
  for (const Camera& camera : rig.cameras) {
    std::filesystem::create_directories(folder.path() / "truth" / camera.name);
    write_npy(folder.path() / "truth" / camera.name / "depth.npy", std::span<const float>(truth), shape);
  }
  const std::vector<DepthMap> maps = {{"cam00", 3, 2, std::vector<float>(6, 0.201F), {}},
                                      {"cam02", 3, 2, std::vector<float>(6, 0.203F), {}}};
  const auto scores = score_depth_maps(maps, rig.cameras, folder.path());
  ASSERT_THAT(scores, SizeIs(3));
  EXPECT_EQ(scores[1].camera, "cam01");
  EXPECT_EQ(find_metric(scores[1].metrics, "depth_fill_rate_pct")->value, 0);
  EXPECT_FALSE(find_metric(scores[1].metrics, "depth_mae_mm")->value);
  const MetricSet median = median_over_cameras(scores);
  EXPECT_NEAR(*find_metric(median, "depth_mae_mm")->value, 2, 1e-4);
  EXPECT_EQ(find_metric(median, "depth_fill_rate_pct")->value, 100);
  EXPECT_THAT(depth_scores_csv(scores), HasSubstr("\ncam01,,"));
  EXPECT_THAT(score_depth_maps({}, rig.cameras, folder.path()), SizeIs(0));
  const std::vector<DepthMap> small = {{"cam00", 2, 2, std::vector<float>(4, 1), {}}};
  EXPECT_THAT(error_of(ErrorKind::method, [&] { score_depth_maps(small, rig.cameras, folder.path()); }),
              HasSubstr("2 x 2 px where the truth has 3 x 2"));
  const std::vector<DepthMap> unknown = {{"nobody", 3, 2, truth, {}}};
  EXPECT_THAT(error_of(ErrorKind::method, [&] { score_depth_maps(unknown, rig.cameras, folder.path()); }),
              HasSubstr("no such camera"));
}

}  // namespace
}  // namespace aqbench
