#include "metrics/alignment/align.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>
#include <string>

#include "core/error.h"
#include "scenes/surfaces/shapes.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

PointCloud moved(PointCloud cloud, const Eigen::Isometry3d& motion) {
  for (Vec3& point : cloud.points_m) point = motion * point;
  return cloud;
}

Eigen::Isometry3d small_motion() {
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  motion.linear() = Eigen::AngleAxisd(0.01, Vec3(1, 2, -0.5).normalized()).toRotationMatrix();
  const Vec3 centre(0, 0, 1.178);
  motion.translation() = centre - motion.linear() * centre + Vec3(0.002, -0.001, 0.003);
  return motion;
}

TEST(Align, UndoesAMotionOnASurfaceThatResistsAllSix) {
  const auto truth = make_mound({}, {});
  const auto wavy = make_undulating({}, {});
  for (const Surface* surface : {static_cast<const Surface*>(wavy.get())}) {
    const Eigen::Isometry3d motion = small_motion();
    const PointCloud cloud = moved(test::noisy_cloud(*surface, 20000, 0, 0, 1), motion);
    const Alignment alignment = align_icp(cloud, *surface);
    EXPECT_TRUE(alignment.converged);
    EXPECT_EQ(alignment.constrained, 6);
    EXPECT_GT(alignment.rms_before_m, 1e-3);
    EXPECT_LT(alignment.rms_after_m, 1e-8);
    const Eigen::Matrix4d rest = alignment.b_from_a * motion.matrix();
    EXPECT_LT((rest - Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), 1e-7);
  }
  // About its own axis a mound can be turned freely.
  EXPECT_EQ(align_icp(test::noisy_cloud(*truth, 5000, 0.0001, 0, 2), *truth).constrained, 5);
}

TEST(Align, OnAPlaneMovesOnlyWhatThePlaneResists) {
  const test::PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 10000, 0.0005, 0.004, 3);
  const Alignment alignment = align_icp(cloud, truth);
  EXPECT_TRUE(alignment.converged);
  EXPECT_EQ(alignment.constrained, 3);
  EXPECT_NEAR(alignment.b_from_a(2, 3) + alignment.b_from_a(2, 2) * 1.178, 1.178 + 0.004, 1e-4);
  EXPECT_NEAR(alignment.b_from_a(0, 3) + alignment.b_from_a(0, 2) * 1.178, 0, 1e-4);
  EXPECT_NEAR(alignment.rms_after_m, 0.0005, 2e-5);
}

// The reason why alignment is off by default.
TEST(Align, HidesABias) {
  const test::PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 5000, 0, 0.005, 4);
  const Alignment alignment = align_icp(cloud, truth);
  Eigen::Isometry3d motion;
  motion.matrix() = alignment.b_from_a;
  EXPECT_NEAR(test::value_of(test::score_cloud(moved(cloud, motion), truth), "accuracy_mean_mm"), 0, 1e-6);
}

TEST(Align, IsNotPulledByOutliers) {
  const test::PlaneTruth truth;
  PointCloud cloud = test::noisy_cloud(truth, 10000, 0.0005, 0.002, 5);
  for (std::size_t i = 0; i < 2000; ++i) cloud.points_m[i].z() -= 0.05;
  cloud.points_m[9999].x() = test::kNaN;
  const Alignment alignment = align_icp(cloud, truth);
  const Eigen::Vector4d centre = alignment.b_from_a * Eigen::Vector4d(0, 0, 1.176, 1);
  EXPECT_NEAR(centre.z(), 1.178, 5e-5);
}

// Full Gauss-Newton steps from here end metres away.
TEST(Align, NeverEndsFartherAwayThanItBegan) {
  const auto truth = make_mound({}, {});
  for (const double degrees : {5.0, 15.0, 25.0, 40.0}) {
    const Eigen::Isometry3d turn(
        Eigen::AngleAxisd(degrees * std::numbers::pi / 180, Vec3(1, 0.5, 0.3).normalized()));
    try {
      const Alignment alignment =
          align_icp(moved(test::noisy_cloud(*truth, 5000, 0.0005, 0, 3), turn), *truth);
      EXPECT_LE(alignment.rms_after_m, alignment.rms_before_m) << degrees;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("ends farther from the truth"), std::string::npos)
          << error.what();
    }
  }
}

TEST(Align, LeavesAPerfectCloudWhereItIs) {
  const test::PlaneTruth truth(0.2);
  const Alignment alignment = align_icp(test::noisy_cloud(truth, 1000, 0, 0, 6), truth);
  EXPECT_TRUE(alignment.converged);
  EXPECT_LT((alignment.b_from_a - Eigen::Matrix4d::Identity()).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Align, NeedsSixFinitePoints) {
  PointCloud cloud;
  cloud.points_m.assign(5, Vec3(0, 0, 1));
  cloud.points_m.emplace_back(test::kNaN, 0, 0);
  EXPECT_THROW(align_icp(cloud, test::PlaneTruth()), Error);
}

}  // namespace
}  // namespace aqbench
