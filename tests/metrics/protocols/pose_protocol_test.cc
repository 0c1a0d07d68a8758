// Poses and normals: closed forms; the numbers themselves are held by conformance/cases.json.

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>

#include "core/error.h"
#include "core/scratch_folder.h"
#include "metrics/protocols/normal_agreement.h"
#include "metrics/protocols/pose_protocol.h"

namespace aqbench::test {
namespace {

double of(const ProtocolResult& result, const char* name, std::optional<double> threshold = {}) {
  const ProtocolValue* value = find_value(result, name, threshold);
  EXPECT_TRUE(value != nullptr && value->value) << name;
  return value != nullptr && value->value ? *value->value : -1;
}

TEST(PoseProtocol, AreaUnderTheRecallCurveByHand) {
  EXPECT_EQ(recall_auc({0, 0}, 5), 1.0);
  EXPECT_EQ(recall_auc({7}, 5), 0.0);
  // From (0, 0) to (1, 0.5), then level to 2.
  EXPECT_EQ(recall_auc({1, 9}, 2), (0.25 + 0.5) / 2);
}

TEST(PoseProtocol, SmallErrorsAreAStepAndWholeDegreesASum) {
  // Half are at most 1: from (0, 0.5) level to (1, 0.5), then to (2, 1), level to 4.
  EXPECT_EQ(recall_auc({0.25, 2}, 4, 1), (0.5 + 0.75 + 2) / 4);
  EXPECT_EQ(recall_auc({0.25, 9}, 0.5, 1), 0.5);
  // Below 1: none of 4; below 2: one; below 3: two; up to 4: three.
  EXPECT_EQ(whole_degree_auc({1, 2.5, 4, 5}, 4), (0 + 0.25 + 0.5 + 0.75) / 4);
}

// Cameras on a helix that look anywhere.
Trajectory helix(int count) {
  Trajectory trajectory;
  for (int i = 0; i < count; ++i) {
    const double angle = 0.7 * i;
    const Vec3 axis = Vec3(1, 0.3 * i, 2).normalized();
    trajectory.poses.push_back(
        {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), {std::cos(angle), std::sin(angle), 0.1 * i * i}});
  }
  return trajectory;
}

PoseKnobs as_paper(RelativePose paper) {
  PoseKnobs knobs{.alignment = PoseAlignment::none};
  compare_as(paper, knobs);
  return knobs;
}

// One camera of 20 is wrong: 19 of 190 pairs. Depth-Anything-3's pairs all pass through the first camera.
TEST(PoseProtocol, OneWrongCameraByTheRulesOfEachPaper) {
  const Trajectory truth = helix(20);
  const auto auc_with_wrong = [&](std::size_t wrong, RelativePose paper) {
    Trajectory estimate = truth;
    estimate.poses[wrong].rotation =
        Eigen::AngleAxisd(1.5, Vec3(0.2, 1, 0.1).normalized()) * estimate.poses[wrong].rotation;
    return of(pose_errors(truth, estimate, as_paper(paper)), "auc", 30);
  };
  for (const RelativePose paper : {RelativePose::vggt, RelativePose::pi3})
    for (const std::size_t wrong : {std::size_t{0}, std::size_t{7}})
      EXPECT_NEAR(auc_with_wrong(wrong, paper), 0.9, 1e-12);
  EXPECT_NEAR(auc_with_wrong(7, RelativePose::da3), 0.9, 1e-12);
  EXPECT_LT(auc_with_wrong(0, RelativePose::da3), 0.2);
}

// All centres are mirrored: each direction is the opposite one.
TEST(PoseProtocol, FreeDirectionsHaveNoSign) {
  const Trajectory truth = helix(6);
  Trajectory mirrored = truth;
  for (CameraPose& pose : mirrored.poses) pose.position_m = -pose.position_m;
  const ProtocolResult free = pose_errors(truth, mirrored, as_paper(RelativePose::vggt));
  EXPECT_EQ(of(free, "auc", 3), 1.0);
  EXPECT_EQ(of(free, "tacc", 3), 1.0);
  const ProtocolResult with_sign = pose_errors(truth, mirrored, as_paper(RelativePose::colmap));
  EXPECT_NEAR(of(with_sign, "rte_median"), 180, 1e-5);
  EXPECT_EQ(find_value(with_sign, "tacc", 5), nullptr);
}

TEST(PoseProtocol, PosesWithoutPartnerLowerTheShares) {
  Trajectory truth = helix(5), estimate = helix(4);
  truth.names = {"a.png", "b.png", "c.png", "d.png", "e.png"};
  estimate.names = {"x/a.png", "x/b.png", "x/c.png", "x/d.png"};
  PoseKnobs knobs = as_paper(RelativePose::vggt);
  EXPECT_EQ(of(pose_errors(truth, estimate, knobs), "auc", 5), 1.0);
  knobs.count_missing = true;
  EXPECT_EQ(of(pose_errors(truth, estimate, knobs), "auc", 5), 0.6);  // 6 of 10 pairs
  EXPECT_EQ(of(pose_errors(truth, estimate, knobs), "racc", 5), 0.6);
  estimate.names.clear();
  EXPECT_THROW(pose_errors(truth, estimate, knobs), Error);
}

// One metre a frame, the estimate 10 % longer. A segment of 100 m ends at the first frame beyond it, 101 m.
TEST(PoseProtocol, SegmentsEndBeyondTheirLength) {
  Trajectory truth, estimate;
  for (int i = 0; i <= 130; ++i) {
    truth.poses.push_back({Eigen::Matrix3d::Identity(), {0, 0, 1.0 * i}});
    estimate.poses.push_back({Eigen::Matrix3d::Identity(), {0, 0, 1.1 * i}});
  }
  PoseKnobs knobs{.alignment = PoseAlignment::none, .segments_m = {100, 200}};
  const ProtocolResult result = pose_errors(truth, estimate, knobs);
  EXPECT_NEAR(of(result, "segment_translation"), 0.101, 1e-12);
  EXPECT_EQ(of(result, "segment_rotation"), 0.0);
  EXPECT_EQ(of(result, "segments"), 3.0);  // from frames 0, 10 and 20
  knobs.single_precision = true;
  EXPECT_NEAR(of(pose_errors(truth, estimate, knobs), "segment_translation"), 0.101, 1e-6);
  knobs.segments_m = {500};
  EXPECT_EQ(find_value(pose_errors(truth, estimate, knobs), "segment_translation")->reason,
            "no segment is as long");
  knobs.nothing_fails = true;  // as kitti-odom-eval has it, and COLMAP of one camera
  EXPECT_EQ(of(pose_errors(truth, estimate, knobs), "segment_translation"), 0);
  truth.poses.resize(1);
  estimate.poses.resize(1);
  EXPECT_EQ(of(pose_errors(truth, estimate, knobs), "auc", 5), 0);
  knobs.nothing_fails = false;
  EXPECT_FALSE(find_value(pose_errors(truth, estimate, knobs), "auc", 5)->value);
}

TEST(PoseProtocol, KnobsThatContradictEachOtherAreRefused) {
  PoseKnobs halves = as_paper(RelativePose::vggt);
  halves.auc_thresholds_deg = {0.5};
  PoseKnobs stepped = as_paper(RelativePose::vggt);
  stepped.min_error_deg = 0.1;
  for (const PoseKnobs& knobs :
       {halves, stepped, PoseKnobs{.segments_m = {-1}}, PoseKnobs{.segment_step = 0}})
    EXPECT_THROW(check(knobs), Error);
}

TEST(PoseProtocol, PosesOfImagesAreReadWithTheirNames) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "transforms.json")
      << R"({"frames": [{"file_path": "images/b.png", "transform_matrix":
             [[1, 0, 0, 5], [0, -1, 0, 6], [0, 0, -1, 7], [0, 0, 0, 1]]},
             {"file_path": "images/a.png", "transform_matrix":
             [[1, 0, 0, 1], [0, -1, 0, 2], [0, 0, -1, 3], [0, 0, 0, 1]]}]})";
  std::ofstream(folder.path() / "images.txt")
      << "1 1 0 0 0 -1 -2 -3 1 a.png\n\n2 1 0 0 0 -5 -6 -7 1 b.png\n\n";
  const Trajectory truth = read_trajectory(folder.path() / "transforms.json"),
                   estimate = read_trajectory(folder.path() / "images.txt");
  EXPECT_EQ(truth.names.front(), "images/a.png");
  const ProtocolResult result = pose_errors(truth, estimate, {.alignment = PoseAlignment::none});
  EXPECT_NEAR(of(result, "ate_max"), 0, 1e-12);
  EXPECT_NEAR(of(result, "are_rmse"), 0, 1e-6);
  EXPECT_EQ(of(result, "poses"), 2.0);
}

TEST(PoseProtocol, ShiftedTrajectoryIsAlignedAndTimesAreMatched) {
  Trajectory reference, estimate;
  for (int i = 0; i < 6; ++i) {
    const Vec3 place(i, i * i * 0.1, std::sin(i));
    reference.stamps_s.push_back(i);
    reference.poses.push_back({Eigen::Matrix3d::Identity(), place});
    if (i == 2) continue;
    estimate.stamps_s.push_back(i + 0.005);
    estimate.poses.push_back({Eigen::Matrix3d::Identity(), place + Vec3(1, 2, 3)});
  }
  const ProtocolResult aligned = pose_errors(reference, estimate);
  EXPECT_NEAR(of(aligned, "ate_rmse"), 0, 1e-12);
  EXPECT_EQ(of(aligned, "poses"), 5.0);
  EXPECT_EQ(of(aligned, "missing"), 1.0);
  EXPECT_NEAR(of(aligned, "auc", 5.0), 1.0, 1e-12);
  EXPECT_NEAR(of(pose_errors(reference, estimate, {.alignment = PoseAlignment::none}), "ate_mean"),
              std::sqrt(14), 1e-12);
  EXPECT_NEAR(of(pose_errors(reference, estimate, {.count_missing = true}), "recall", 5.0), 20.0 / 30, 1e-12);
  for (double& stamp : estimate.stamps_s) stamp += 0.5;
  EXPECT_THROW(pose_errors(reference, estimate), Error);
}

// As COLMAP's vec_angular_dist_deg: cameras that all stand at one place agree with no direction.
TEST(PoseProtocol, CamerasAtOnePlaceHaveNoDirection) {
  Trajectory reference, estimate;
  for (const Vec3& place : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)}) {
    reference.poses.push_back({Eigen::Matrix3d::Identity(), place});
    estimate.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(2, 2, 2)});
  }
  const ProtocolResult result = pose_errors(reference, estimate, {.alignment = PoseAlignment::none});
  EXPECT_EQ(of(result, "rre_mean"), 0);
  EXPECT_EQ(of(result, "rte_mean"), 90);
  EXPECT_EQ(of(result, "recall", 10.0), 0);
  const PoseKnobs no_baselines{.alignment = PoseAlignment::none, .min_baseline_m = 2};
  EXPECT_EQ(of(pose_errors(reference, estimate, no_baselines), "rte_mean"), 0);
}

TEST(PoseProtocol, PairsOfTooManyPosesAreComparedOnlyIfAskedFor) {
  Trajectory long_one;
  for (int i = 0; i <= PoseKnobs{}.max_paired_poses; ++i)
    long_one.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(i, 0, 0)});
  const ProtocolResult result = pose_errors(long_one, long_one, {.alignment = PoseAlignment::none});
  EXPECT_EQ(of(result, "ate_rmse"), 0);
  for (const char* name : {"rre_mean", "rte_mean"}) {
    const ProtocolValue* const value = find_value(result, name);
    ASSERT_NE(value, nullptr);
    EXPECT_FALSE(value->value);
    EXPECT_EQ(value->reason,
              "all pairs of 1001 poses are not compared: knob max_paired_poses is 1000, at most 5000");
  }
  EXPECT_FALSE(find_value(result, "auc", 5.0)->value);
  const PoseKnobs asked{.alignment = PoseAlignment::none, .max_paired_poses = 1001};
  EXPECT_EQ(of(pose_errors(long_one, long_one, asked), "rre_mean"), 0);
  EXPECT_THROW(check(PoseKnobs{.max_paired_poses = kMaxPairedPoses + 1}), Error);
}

// Poses every metre on a line, the estimate 1 % too long: pairs of a path of 10 m of the estimate are 10
// poses apart (the first of 10.1 m), and all of them are 0.1 m off. evo's first pair begins where the path is
// 10 m.
TEST(PoseProtocol, RelativeErrorsByThePathBetweenThePoses) {
  Trajectory truth, estimate;
  for (int i = 0; i <= 40; ++i) {
    truth.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(i, 0, 0)});
    estimate.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(1.01 * i, 0, 0)});
  }
  PoseKnobs knobs{.alignment = PoseAlignment::none, .rpe_path_m = 10};
  const ProtocolResult result = pose_errors(truth, estimate, knobs);
  EXPECT_NEAR(of(result, "rpe_translation_max"), 0.1, 1e-12);
  EXPECT_NEAR(of(result, "rpe_translation_min"), 0.1, 1e-12);
  EXPECT_NEAR(of(result, "rpe_translation_sse"), 3 * 0.01, 1e-12) << "10 to 20, 20 to 30, 30 to 40";
  knobs.rpe_all_pairs = true;  // 10 poses are 10.1 m, the nearest to 10; of the last poses 9.09 m still fit
  const ProtocolResult all = pose_errors(truth, estimate, knobs);
  EXPECT_NEAR(of(all, "rpe_translation_sse"), 31 * 0.01 + 0.09 * 0.09, 1e-12);
  knobs.rpe_path_m = 100;
  EXPECT_EQ(find_value(pose_errors(truth, estimate, knobs), "rpe_translation_rmse")->reason,
            "there is no pair of poses with so long a path between them");
}

// On a straight way, or one that is straight but for its noise, an alignment turns by chance about the way.
// All else is known: orientations off by 0.17 degrees, positions by 5 mm on each axis.
TEST(PoseProtocol, AStraightWayDeterminesNoRotationButAllElse) {
  std::mt19937_64 generator(11);
  std::normal_distribution<double> noise(0, 0.005);
  const Eigen::Matrix3d off(Eigen::AngleAxisd(0.17 * std::numbers::pi / 180, Vec3(0, 0, 1)));
  for (const double wiggle_m : {0.0, 0.005}) {
    Trajectory truth, estimate;
    for (int i = 0; i < 60; ++i) {
      const Eigen::Matrix3d turn(Eigen::AngleAxisd(0.1 * i, Vec3(1, 2, 3).normalized()));
      const Vec3 at(i, wiggle_m * std::sin(2.0 * i), wiggle_m * std::cos(3.0 * i));
      truth.poses.push_back({turn, at});
      estimate.poses.push_back(
          {i % 2 == 0 ? turn : turn * off, at + Vec3(noise(generator), noise(generator), noise(generator))});
    }
    for (const PoseAlignment alignment : {PoseAlignment::rigid, PoseAlignment::similarity}) {
      const ProtocolResult result = pose_errors(truth, estimate, {.alignment = alignment});
      for (const char* const name : {"are_rmse", "are_mean", "are_median"}) {
        const ProtocolValue& value = *find_value(result, name);
        EXPECT_FALSE(value.value);
        EXPECT_EQ(value.reason,
                  "the positions all lie on one line: the rotation about it is not determined; knob "
                  "alignment=none compares the poses as they are");
      }
      EXPECT_NEAR(of(result, "ate_rmse"), 0.005 * std::sqrt(3), 0.0015);
      EXPECT_NEAR(of(result, "rpe_rotation_rmse"), 0.17, 1e-9);
      EXPECT_EQ(of(result, "recall", 5.0), 1);
    }
    for (const PoseAlignment alignment : {PoseAlignment::none, PoseAlignment::scale})
      EXPECT_NEAR(of(pose_errors(truth, estimate, {.alignment = alignment}), "are_rmse"), 0.17 / std::sqrt(2),
                  1e-9);
  }
}

// Two poses, or all at one place, have no alignment; what needs none is scored.
TEST(PoseProtocol, TooFewPlacesLeaveWhatNeedsAnAlignmentUndefined) {
  Trajectory truth, estimate;
  for (int i = 0; i < 2; ++i) {
    truth.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(i, 0, 0)});
    estimate.poses.push_back({Eigen::Matrix3d::Identity(), Vec3(2 * i, 0, 0)});
  }
  const auto is_undefined = [&](PoseAlignment alignment, const char* name) {
    const ProtocolResult result = pose_errors(truth, estimate, {.alignment = alignment});
    EXPECT_EQ(of(result, "recall", 5.0), 1);
    EXPECT_EQ(of(result, "rpe_rotation_rmse"), 0);
    const ProtocolValue& value = *find_value(result, name);
    if (!value.value) {
      EXPECT_NE(value.reason.find("2 poses do not determine the alignment"), std::string::npos);
    }
    return !value.value;
  };
  EXPECT_TRUE(is_undefined(PoseAlignment::rigid, "ate_rmse"));
  EXPECT_TRUE(is_undefined(PoseAlignment::rigid, "are_rmse"));
  EXPECT_FALSE(is_undefined(PoseAlignment::rigid, "rpe_translation_rmse")) << "a motion keeps lengths";
  EXPECT_TRUE(is_undefined(PoseAlignment::similarity, "rpe_translation_rmse"));
  EXPECT_FALSE(is_undefined(PoseAlignment::scale, "are_rmse")) << "nothing is turned";
  EXPECT_FALSE(is_undefined(PoseAlignment::none, "ate_rmse"));
}

TEST(PoseProtocol, WrongTrajectoriesAreRefusedWithTheirLine) {
  const ScratchFolder folder;
  const auto reason = [&](const std::string& text) {
    const std::filesystem::path path = folder.path() / "poses.txt";
    std::ofstream(path) << text;
    try {
      read_trajectory(path);
    } catch (const Error& error) {
      return error.problem();
    }
    return std::string("read");
  };
  EXPECT_EQ(reason("# a comment\n1 0 0 0 0 0 0 1\n"), "read");
  EXPECT_EQ(reason("1 0 0 0 0 1 0 0 0 0 1 0\n"), "read");
  EXPECT_NE(reason("1 0 0 0 0 0 0 0\n").find("quaternion"), std::string::npos);
  EXPECT_NE(reason("2 0 0 0 0 1 0 0 0 0 1 0\n").find("not a rotation"), std::string::npos);
  EXPECT_NE(reason("1 2 3\n").find("expected 8"), std::string::npos);
  EXPECT_NE(reason("").find("no pose"), std::string::npos);
  EXPECT_NE(reason("2 0 0 0 0 0 0 1\n1 0 0 0 0 0 0 1\n").find("before that of the pose before"),
            std::string::npos);
}

TEST(NormalProtocol, SignsDoNotMatterAndAnglesDo) {
  const PointCloud truth{{{0, 0, 0}, {1, 0, 0}}, {{0, 0, 1}, {0, 0, 1}}, {}};
  const PointCloud cloud{{{0, 0, 0.1}, {1, 0, 0.1}}, {{0, 0, -2}, {0, 0.6, 0.8}}, {}};
  EXPECT_NEAR(of(normal_agreement(cloud, truth), "normals_consistency"), 0.9, 1e-15);
  // Two points at one place: which of them is the nearest does not depend on their order.
  const PointCloud ab{{{0, 0, 0.1}, {0, 0, 0.1}}, {{0, 0, 1}, {1, 0, 0}}, {}},
      ba{{{0, 0, 0.1}, {0, 0, 0.1}}, {{1, 0, 0}, {0, 0, 1}}, {}};
  EXPECT_EQ(of(normal_agreement(ab, truth), "normals_completeness"),
            of(normal_agreement(ba, truth), "normals_completeness"));
  EXPECT_EQ(find_value(normal_agreement({}, truth), "normals_accuracy")->reason, "the cloud has no normals");
}

}  // namespace
}  // namespace aqbench::test
