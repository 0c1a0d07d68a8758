// Recordings as scenes: planned, run without their truth in reach, scored.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/processes/isolate.h"
#include "harness/planning/scene_choice.h"
#include "harness/running/case_input.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/image_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/harness/running/recording_scene.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST_F(RecordingScene, FramesAreAnAxisAndNamesHoldNoPath) {
  request_.axes = {parse_axis("frame=0:2")};
  const SweepPlan plan = plan_sweep(request_);
  EXPECT_THAT(test::case_names(plan), testing::ElementsAre("dataset:tank/external/seed=42/frame=0",
                                                           "dataset:tank/external/seed=42/frame=1",
                                                           "dataset:tank/external/seed=42/frame=2"));
  EXPECT_EQ(recording_frame(plan.cases[2]), 2U);
  EXPECT_EQ(cases_text(plan.cases).find(folder_.path().string() + "/tank"), std::string::npos);
  EXPECT_EQ(case_from_json(to_json(plan.cases[1]), "test").name, plan.cases[1].name);
  const Json again = parse_strict_json(requested_json(request_).dump(), "test");
  EXPECT_EQ(plan_sweep(request_from_json(again, "test")).sha256, plan.sha256);

  request_.axes = {parse_axis("frame=0:3")};
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { plan_sweep(request_); }), HasSubstr("dataset.frame"));
}

TEST_F(RecordingScene, MistakesAreNamedBeforeAnythingRuns) {
  const auto error_with = [&](ErrorKind kind, const std::function<void(PlanRequest&)>& change) {
    PlanRequest request = request_;
    change(request);
    return error_of(kind, [&] { plan_sweep(request); });
  };
  EXPECT_THAT(error_with(ErrorKind::usage,
                         [](auto& r) {
                           r.methods = {"roma_like"};
                           r.sets = {};
                         }),
              HasSubstr("simulated methods"));
  EXPECT_THAT(error_with(ErrorKind::usage, [](auto& r) { r.images.rig = "ring12"; }),
              HasSubstr("--rig: no method of this sweep uses images that are rendered"));
  EXPECT_THAT(error_with(ErrorKind::input, [](auto& r) { r.scenes = {"dataset:/nowhere"}; }),
              HasSubstr("/nowhere"));
  make(folder_.path() / "other");
  std::filesystem::copy(dir_, folder_.path() / "other/tank", std::filesystem::copy_options::recursive);
  EXPECT_THAT(error_with(ErrorKind::usage,
                         [&](auto& r) {
                           r.scenes.push_back("dataset:" + (folder_.path() / "other/tank/").string());
                         }),
              HasSubstr("would both be called dataset:tank"));
  PlanRequest labelled = request_;
  labelled.scenes.push_back("dataset:copy=" + (folder_.path() / "other/tank").string());
  EXPECT_EQ(test::case_names(plan_sweep(labelled)).at(1), "dataset:copy/external/seed=42");
  const std::filesystem::path image = dir_ / "cam00/1.png";
  write_file(image, read_file(image).substr(0, 50));
  EXPECT_THAT(error_with(ErrorKind::input, [](auto&) {}), HasSubstr("cam00/1.png: is truncated"));
}

TEST_F(RecordingScene, IsScoredAgainstTheScanThatTheMethodCannotReach) {
  add_scan();
  const Case planned = plan_sweep(request_).cases.at(0);
  const Record record = run_in_child(planned);
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_NEAR(find_metric(record.metrics, "accuracy_mean_mm")->value.value_or(0), 1, 1e-3);
  EXPECT_EQ(find_metric(record.metrics, "reprojection_median_px")->reason, "the method gives no depth maps");
  EXPECT_EQ(record.dataset_sha256.size(), 64U);
  EXPECT_THAT(record.options, testing::Contains(testing::Pair("dataset.truth", ParameterValue("surface"))));
  EXPECT_THAT(record.options,
              testing::Contains(testing::Pair("dataset.sha256", ParameterValue(record.dataset_sha256))));

  write_file(dir_ / "truth/note.txt", "changed");
  const Record changed = run_in_child(planned);
  EXPECT_EQ(changed.status, Status::failed);
  EXPECT_THAT(changed.reason, HasSubstr("changed since the sweep was planned"));
}

// Lengths of its own stand in the truth alone: a record with their metrics, and without the usual, is right.
// The method finds masks and smaller images; a point beside the mask is none of the object's.
TEST_F(RecordingScene, MasksAndScaleReachMethodAndScore) {
  add_scan();
  for (const char* const camera : {"cam00", "cam01"}) {
    make(dir_ / "masks" / camera);
    write_file(dir_ / "masks" / camera / "0.png",
               encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 1)));
  }
  const auto record_of = [&](const char* scale) {
    PlanRequest request = request_;
    request.sets.push_back(parse_override(std::string("dataset.scale=") + scale));
    return run_in_child(plan_sweep(request).cases.at(0));
  };
  const auto masked_pct = [](const Record& record) {
    const Metric* const metric = find_metric(record.metrics, "points_in_masks_pct");
    return metric == nullptr ? -1 : metric->value.value_or(-2);
  };
  const Record whole = record_of("1"), small = record_of("2");
  EXPECT_EQ(whole.status, Status::ok) << whole.reason;
  EXPECT_EQ(small.status, Status::ok) << small.reason;
  EXPECT_EQ(masked_pct(whole), 100);
  EXPECT_EQ(masked_pct(small), 100);
  EXPECT_EQ(whole.dataset_sha256, small.dataset_sha256) << "of the files as they are";
  write_file(dir_ / "masks/cam00/0.png", encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 0)));
  const Record none = record_of("1");
  EXPECT_EQ(masked_pct(none), 0);
  EXPECT_NE(none.dataset_sha256, whole.dataset_sha256);
}

TEST_F(RecordingScene, IsScoredByLengthsOfItsTruth) {
  add_scan();
  write_file(dir_ / "truth/truth.json",
             R"({"surface": {"file": "scan.ply", "unit": "mm", "thresholds_mm": [2, 3], "outlier_mm": 7,
                 "tile_mm": 50, "max_distance_mm": 30}})");
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_NE(find_metric(record.metrics, "fscore_3mm_pct"), nullptr);
  EXPECT_EQ(find_metric(record.metrics, "fscore_5mm_pct"), nullptr);

  // What the user gives comes before it, alone.
  request_.sets.push_back(parse_override("scoring.thresholds_mm=4"));
  const Record given = run_in_child(plan_sweep(request_).cases.at(0));
  ASSERT_EQ(given.status, Status::ok) << given.reason;
  EXPECT_NE(find_metric(given.metrics, "fscore_4mm_pct"), nullptr);
  EXPECT_EQ(find_metric(given.metrics, "fscore_3mm_pct"), nullptr);
  EXPECT_NE(find_metric(given.metrics, "outlier_ratio_7mm_pct"), nullptr);
  EXPECT_THAT(given.options, testing::Contains(testing::Pair("scoring.thresholds_mm", ParameterValue("4"))));
}

TEST_F(RecordingScene, ANameWithALineBreakIsToldInOneLine) {
  write_file(dir_ / "truth/truth.json", R"({"surface": {"file": "a\nb.ply", "unit": "m"}})");
  const std::string error = error_of(ErrorKind::input, [&] { plan_sweep(request_); });
  EXPECT_THAT(error, testing::AllOf(HasSubstr("truth/a?b.ply: no such file"), testing::Not(HasSubstr("\n"))));
}

// Depth maps of the plane z = 1.178 m, of all frames; the program's points lie 1 mm below it.
TEST_F(RecordingScene, TrueDepthMapsAreTheSurface) {
  const Rig rig = read_calibration(dir_ / "calibration.json");
  for (const Camera& camera : rig.cameras) {
    const RefractiveCamera view = refractive_camera(camera);
    std::vector<float> depths;
    for (int y = 0; y < 12; ++y)
      for (int x = 0; x < 16; ++x) {
        const WaterRay ray = cast_ray(view, Vec2(x, y)).value();
        depths.push_back(static_cast<float>((1.178 - ray.origin_m[2]) / ray.direction[2]));
      }
    make(dir_ / "truth" / camera.name);
    for (const char* const frame : {"000000.npy", "000001.npy", "000002.npy"})
      write_npy(dir_ / "truth" / camera.name / frame, depths, std::vector<std::size_t>{12, 16});
  }
  const auto plan_with = [&](const std::string& entry) {
    write_file(dir_ / "truth/truth.json", "{\"surface\": " + entry + "}");
    return plan_sweep(request_);
  };
  const Record record = run_in_child(plan_with("{\"depths\": true}").cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_NEAR(find_metric(record.metrics, "accuracy_mean_mm")->value.value_or(0), 1, 1e-3);
  EXPECT_THAT(record.options,
              testing::Contains(testing::Pair("dataset.truth", ParameterValue("surface+depth"))));
  const auto refused = [&](const std::string& entry) {
    return error_of(ErrorKind::input, [&] { plan_with(entry); });
  };
  EXPECT_THAT(refused("{\"depths\": false}"), HasSubstr("surface.depths: must be true"));
  EXPECT_THAT(refused("{\"depths\": true, \"unit\": \"mm\"}"),
              HasSubstr("not allowed with depths, which are in metres"));
  for (const Camera& camera : rig.cameras)
    std::filesystem::remove(dir_ / "truth" / camera.name / "000001.npy");
  EXPECT_THAT(refused("{\"depths\": true}"), HasSubstr("surface.depths: frame 1 has no depth map in"));
}

TEST_F(RecordingScene, OfAProjectHasItsNameAndATruthOutOfReach) {
  const std::filesystem::path scan = folder_.path() / "scan.xyz";
  std::string points;
  for (int x = -200; x <= 200; x += 20)
    for (int y = -200; y <= 200; y += 20) points += fmt::format("{} {} 1178\n", x, y);
  write_file(scan, points);
  std::ofstream(folder_.path() / "script.sh", std::ios::app)
      << "cat " << scan.string() << " && exit 6\nexit 0\n";
  request_.project = {
      folder_.path().string(),
      {},
      {{"pool", dir_.string(), Json::parse(R"({"surface": {"file": "scan.xyz", "unit": "mm"}})")},
       {"other", "/nowhere", {}}}};
  request_.scenes = {"dataset:pool"};
  const SweepPlan plan = plan_sweep(request_);
  EXPECT_EQ(plan.cases.at(0).name, "dataset:pool/external/seed=42");
  EXPECT_THAT(plan.request.project.datasets, testing::SizeIs(1)) << "what no case needs is left out";
  const Json again = parse_strict_json(requested_json(plan.request).dump(), "test");
  EXPECT_EQ(plan_sweep(request_from_json(again, "test")).sha256, plan.sha256);

  const Record record = run_in_child(plan.cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_NEAR(find_metric(record.metrics, "accuracy_mean_mm")->value.value_or(0), 1, 1e-3);
  EXPECT_EQ(find_metric(record.metrics, "points_left_out_pct")->value, 0);

  request_.project.datasets[0].truth = Json::parse(R"({"surface": {"file": "scan.xyz", "unit": "m"}})");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { plan_sweep(request_); }),
              HasSubstr("dataset pool.truth: surface.unit: 'm' looks wrong"));
}

TEST_F(RecordingScene, ControlPointsAndBoardsAreCheckedFirstAndScored) {
  const auto write_truth = [&](const char* name, const std::string& text) {
    write_file(dir_ / "truth" / name, text);
  };
  write_truth("truth.json", R"({"control_points": "points.json", "charuco": "board.json"})");
  write_truth("board.json", R"({"unit": "mm", "squares_x": 4, "square_size": 20,
      "corners": [{"id": 0, "pixels": {"cam00": [3, 4]}}, {"id": 1, "pixels": {"camXX": [3, 4]}}]})");
  write_truth("points.json", R"({"unit": "mm", "sigma": 0.5, "radius": 200,
      "points": [{"name": "A", "position": [20, 20, 1178]}, {"name": "B", "position": [40, 20, 1181]}]})");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { plan_sweep(request_); }),
              HasSubstr("truth/board.json: corners: pixels of corner 1: camXX: unknown camera"));
  write_truth("board.json", R"({"unit": "mm", "squares_x": 4, "square_size": 20,
      "corners": [{"id": 0, "pixels": {"cam00": [3, 4]}}]})");
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  // Its points are on z = 1.179 m: 1 mm below A and 2 mm above B.
  EXPECT_EQ(find_metric(record.metrics, "control_points")->value, 2);
  EXPECT_NEAR(find_metric(record.metrics, "control_mean_mm")->value.value_or(0), 1.5, 1e-3);
  EXPECT_NEAR(find_metric(record.metrics, "control_rms_sigmas")->value.value_or(0), std::sqrt(10.0), 1e-2);
  EXPECT_THAT(record.options,
              testing::Contains(testing::Pair("dataset.truth", ParameterValue("charuco+control"))));
  // Without depth maps and without known positions no run has these.
  for (const char* const name : {"charuco_rmse_mm", "charuco_scale_pct", "reprojection_median_px"})
    EXPECT_TRUE(is_never_defined(*find_metric(record.metrics, name))) << name;
}

// The cloud is right; that the truth is ten times as far away is only possible.
TEST_F(RecordingScene, ATruthInTheWrongUnitIsNamedAndNotTheCloudAlone) {
  add_scan();
  write_file(dir_ / "truth/truth.json", R"({"surface": {"file": "scan.ply", "unit": "cm"}})");
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason,
              testing::AllOf(HasSubstr("truth.json: surface.unit: 'cm' is likely wrong: in cm"),
                             HasSubstr("but in mm 100 % of it is in view, 1."),
                             HasSubstr("; its cloud: spans "), HasSubstr("is the truth in millimetres?")));
}

TEST_F(RecordingScene, AWrongUnitFailsInEvalsWords) {
  add_scan();
  use_program(1000);
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("coordinates look like millimetres, not metres"));
  EXPECT_THAT(record.metrics, testing::IsEmpty());
}

// ---- Recordings without a truth: what is known of them all the same. ----

TEST_F(RecordingScene, WithoutTruthThereIsAgreementAlone) {
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  ASSERT_EQ(record.status, Status::ok) << record.reason;
  EXPECT_EQ(find_metric(record.metrics, "accuracy_mean_mm"), nullptr);
  EXPECT_THAT(record.metrics, testing::SizeIs(7));
  // The images are of one grey: there is nothing that they could agree on.
  EXPECT_EQ(find_metric(record.metrics, "photometric_points")->value, 0);
  EXPECT_EQ(find_metric(record.metrics, "photometric_zncc_median")->reason,
            "no two images show a point of the cloud with some texture");
  EXPECT_THAT(record.options, testing::Contains(testing::Pair("dataset.truth", ParameterValue("none"))));
}

// Runs a case in a process of its own.
CaseResult result_in_child(const Case& planned, const KeptFiles& kept, const std::filesystem::path& log) {
  CaseBoard board;
  const IsolateOutcome outcome =
      run_isolated([&] { return encode_case_result(run_case_keeping(planned, board, kept)); },
                   {.timeout_s = 120, .log_file = log});
  EXPECT_EQ(outcome.end, IsolateOutcome::End::ok) << outcome.log_tail;
  return decode_case_result(outcome.result);
}

TEST_F(RecordingScene, AnOutputThatCannotBeWrittenIsNoFailureOfTheMethod) {
  const Case planned = plan_sweep(request_).cases.at(0);
  const std::filesystem::path file = folder_.path() / "file";
  write_file(file, "in place of a folder");
  const CaseResult result = result_in_child(planned, {.output_dir = file}, folder_.path() / "log");
  EXPECT_THAT(result.unwritten, HasSubstr(file.string() + "/cloud.ply"));
  EXPECT_EQ(result.record.status, Status::ok);
}

TEST_F(RecordingScene, WithoutTruthTheCloudIsKeptAndShownToo) {
  const Case planned = plan_sweep(request_).cases.at(0);
  const CaseResult result = result_in_child(planned, {.cloud = true}, folder_.path() / "log");
  const auto bytes_of = [&](const char* folder, const char* ending) {
    const auto found = std::ranges::find(result.artefacts, case_file(folder, planned.name, ending),
                                         &std::pair<std::string, std::string>::first);
    return found == result.artefacts.end() ? std::string() : found->second;
  };
  EXPECT_THAT(bytes_of(kCloudsFolder, ".ply"), HasSubstr("element vertex 3\n"));
  const CloudView view = decode_view(bytes_of(kViewerFolder, ".bin"), "view");
  EXPECT_TRUE(view.is_agreement);
  EXPECT_EQ(view.points.size(), 3u);
  EXPECT_EQ(view.errors, std::vector<std::int8_t>(3, kUnknownAgreement));  // of one grey
  EXPECT_FALSE(view.rays.empty());
  EXPECT_THAT(bytes_of(kPicturesFolder, "/pictures.csv"),
              HasSubstr("\nphotograph.jpg,photograph,cam00,,0,255,1,,\n"));
  EXPECT_THAT(bytes_of(kPicturesFolder, "/photograph.jpg"), testing::StartsWith("\xff\xd8"));
}

TEST_F(RecordingScene, WithoutTruthTheCamerasSayWhichUnitCannotBe) {
  use_program(1000);
  const Record record = run_in_child(plan_sweep(request_).cases.at(0));
  EXPECT_EQ(record.status, Status::failed);
  EXPECT_THAT(record.reason, HasSubstr("if the cloud is not in metres"));
  EXPECT_THAT(record.metrics, testing::IsEmpty());
}

}  // namespace
}  // namespace aqbench
