#include "scenes/optics/rig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "scenes/optics/refractive_camera.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

// By the numbers of the requirements: radius 0.635 m at z = 0, towards (0, 0, 1.178), water at 0.978 m.
TEST(Ring12, StandsWhereItShould) {
  const Rig rig = make_rig("ring12", {}, 0);
  EXPECT_EQ(level_water(rig)->water_z_m, 0.978);
  EXPECT_EQ(level_water(rig)->n_air, 1.0);
  EXPECT_EQ(level_water(rig)->n_water, 1.333);
  ASSERT_EQ(rig.cameras.size(), 13u);
  for (std::size_t i = 0; i < 12; ++i) {
    const Camera& camera = rig.cameras[i];
    EXPECT_EQ(camera.name, "cam" + std::string(i < 10 ? "0" : "") + std::to_string(i));
    EXPECT_FALSE(camera.is_auxiliary);
    const Vec3 centre = camera_centre_m(camera.camera_from_world);
    const double angle = static_cast<double>(i) * std::numbers::pi / 6;
    EXPECT_LT((centre - Vec3(0.635 * std::cos(angle), 0.635 * std::sin(angle), 0)).norm(), 1e-14);
    const Mat3& rotation = camera.camera_from_world.rotation;
    EXPECT_LT((rotation.row(2).transpose() - (Vec3(0, 0, 1.178) - centre).normalized()).norm(), 1e-14);
    EXPECT_NEAR(rotation.row(0).dot(Vec3::UnitZ()), 0, 1e-15);  // the image's width is level ...
    EXPECT_NEAR(rotation.row(0).dot(centre), 0, 1e-14);         // ... and tangent to the ring
    EXPECT_GT(rotation.row(1).dot(Vec3::UnitZ()), 0);           // the image's down is the world's
    EXPECT_NEAR(rotation.determinant(), 1, 1e-14);
  }
  const Camera& centre = rig.cameras.back();
  EXPECT_EQ(centre.name, "centre");
  EXPECT_TRUE(centre.is_auxiliary);
  EXPECT_LT((centre.camera_from_world.rotation - Mat3::Identity()).norm(), 1e-15);
  EXPECT_LT(centre.camera_from_world.translation_m.norm(), 1e-15);
}

TEST(Ring12, HasTheDefaultIntrinsics) {
  const Intrinsics full = make_rig("ring12", {}, 0).cameras[0].intrinsics;
  EXPECT_EQ(full.width_px, 1600);
  EXPECT_EQ(full.height_px, 1200);
  EXPECT_EQ(full.K(0, 0), 1504.6);
  EXPECT_EQ(full.K(1, 1), 1504.6);
  EXPECT_EQ(full.K(0, 2), 799.5);
  EXPECT_EQ(full.K(1, 2), 599.5);
  EXPECT_EQ(full.distortion, (std::vector<double>{-0.05, 0.01, 0, 0, 0}));
  const Intrinsics half =
      make_rig("ring12", {{"ring12", "width", "800"}, {"ring12", "height", "600"}}, 0).cameras[0].intrinsics;
  EXPECT_EQ(half.K(0, 0), 752.3);
  EXPECT_EQ(half.K(0, 2), 399.5);
  EXPECT_EQ(half.K(1, 2), 299.5);
  const Intrinsics own = make_rig("ring12", {{"ring12", "focal_px", "900"}}, 0).cameras[0].intrinsics;
  EXPECT_EQ(own.K(0, 0), 900);
}

TEST(Ring12, SeesTheWholePatchWithEveryCamera) {
  const Rig rig = make_rig("ring12", {}, 0);
  for (const Camera& camera : rig.cameras) {
    const RefractiveCamera prepared = refractive_camera(camera);
    for (const double x : {-0.25, 0.25}) {
      for (const double y : {-0.15, 0.15}) {
        const auto seen = project(prepared, {x, y, 1.178});
        ASSERT_TRUE(seen);
        EXPECT_TRUE(seen->pixel.x() > 0 && seen->pixel.x() < 1599 && seen->pixel.y() > 0 &&
                    seen->pixel.y() < 1199)
            << camera.name << " " << seen->pixel.transpose();
      }
    }
  }
}

TEST(SmallRigs, StandOnTheRing) {
  const Rig ring = make_rig("ring12", {}, 0);
  const Rig sparse = make_rig("sparse4", {}, 0);
  ASSERT_EQ(sparse.cameras.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LT((sparse.cameras[i].camera_from_world.translation_m -
               ring.cameras[3 * i].camera_from_world.translation_m)
                  .norm(),
              1e-14);
  const Rig pair = make_rig("single_pair", {}, 0);
  ASSERT_EQ(pair.cameras.size(), 2u);
  const double baseline_m = (camera_centre_m(pair.cameras[0].camera_from_world) -
                             camera_centre_m(pair.cameras[1].camera_from_world))
                                .norm();
  EXPECT_NEAR(baseline_m, 2 * 0.635 * std::sin(std::numbers::pi / 12), 1e-14);
}

TEST(Rigs, FollowTheirParameters) {
  const Rig rig = make_rig("sparse4",
                           {{"sparse4", "look_at_x_m", "0.1"},
                            {"sparse4", "look_at_z_m", "1.5"},
                            {"sparse4", "radius_m", "0.4"},
                            {"sparse4", "water_z_m", "0.8"},
                            {"sparse4", "n_water", "1"},
                            {"sparse4", "k1", "0.03"},
                            {"ring12", "radius_m", "9"}},
                           0);
  EXPECT_EQ(level_water(rig)->water_z_m, 0.8);
  EXPECT_EQ(level_water(rig)->n_water, 1.0);
  EXPECT_EQ(rig.cameras[2].intrinsics.distortion[0], 0.03);
  for (const Camera& camera : rig.cameras) {
    EXPECT_NEAR(camera_centre_m(camera.camera_from_world).norm(), 0.4, 1e-14);
    const Vec3 target =
        camera.camera_from_world.rotation * Vec3(0.1, 0, 1.5) + camera.camera_from_world.translation_m;
    EXPECT_LT(target.head<2>().norm(), 1e-14);  // in the middle of the image
  }
}

TEST(Jitter, IsSeededAndHasTheStatedSize) {
  const std::vector<Override> jitter = {{"ring12", "jitter_position_m", "0.01"},
                                        {"ring12", "jitter_angle_deg", "2"}};
  const Rig exact = make_rig("ring12", {}, 0);
  double square_m2 = 0, square_rad2 = 0;
  const int seeds = 100;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Rig rig = make_rig("ring12", jitter, seed);
    const Rig again = make_rig("ring12", jitter, seed);
    for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
      const CameraFromWorld &pose = rig.cameras[i].camera_from_world,
                            &plain = exact.cameras[i].camera_from_world;
      EXPECT_EQ(pose.translation_m, again.cameras[i].camera_from_world.translation_m);
      EXPECT_EQ(pose.rotation, again.cameras[i].camera_from_world.rotation);
      square_m2 += (camera_centre_m(pose) - camera_centre_m(plain)).squaredNorm();
      square_rad2 += std::pow(Eigen::AngleAxisd(Mat3(pose.rotation * plain.rotation.transpose())).angle(), 2);
    }
  }
  // Three axes each; the relative standard error of the mean square is sqrt(2 / (3 n)).
  const double n = 13.0 * seeds, bound = 4 * std::sqrt(2 / (3 * n));
  const double sigma_rad = 2 * std::numbers::pi / 180;
  EXPECT_NEAR(square_m2 / n / (3 * 0.01 * 0.01), 1, bound);
  EXPECT_NEAR(square_rad2 / n / (3 * sigma_rad * sigma_rad), 1, bound);
  EXPECT_NE(make_rig("ring12", jitter, 1).cameras[0].camera_from_world.translation_m,
            make_rig("ring12", jitter, 2).cameras[0].camera_from_world.translation_m);
}

TEST(Rigs, RefuseUnknownNamesAndValues) {
  EXPECT_THAT(error_of(ErrorKind::usage, [] { make_rig("ring13", {}, 0); }),
              ::testing::HasSubstr("unknown rig 'ring13'; did you mean ring12"));
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         make_rig("ring12", {{"ring12", "radus_m", "1"}}, 0);
                       }),
              ::testing::HasSubstr("did you mean radius_m"));
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [] {
                         make_rig("ring12", {{"ring12", "width", "0"}}, 0);
                       }),
              ::testing::HasSubstr("ring12.width: 0 is outside"));
}

Vec3 axis_of(const Camera& camera) { return camera.camera_from_world.rotation.row(2).transpose(); }

TEST(OrbitRig, StandsOnTwoRingsAndLooksAtThePoint) {
  const Rig rig = make_rig("orbit", {{"orbit", "look_at_z_m", "0.5"}}, 1);
  ASSERT_EQ(rig.cameras.size(), 36U);
  EXPECT_FALSE(level_water(rig).has_value());
  const Vec3 point(0, 0, 0.5);
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    const Vec3 centre = camera_centre_m(rig.cameras[i].camera_from_world);
    EXPECT_NEAR((centre - point).norm(), 0.8, 1e-12) << i;
    EXPECT_LT((axis_of(rig.cameras[i]) - (point - centre).normalized()).norm(), 1e-12) << i;
    EXPECT_NEAR(0.5 - centre.z(), 0.8 * std::sin((i < 18 ? 10 : 40) * std::numbers::pi / 180), 1e-12) << i;
    EXPECT_GT(rig.cameras[i].camera_from_world.rotation(1, 2), 0.5) << "the image's down is the world's";
  }
}

TEST(WalkRig, LooksAlongItsWay) {
  const Rig rig = make_rig("walk", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 24U);
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    EXPECT_LT((axis_of(rig.cameras[i]) - Vec3::UnitX()).norm(), 1e-12);
    EXPECT_NEAR(camera_centre_m(rig.cameras[i].camera_from_world).x(), -1.5 + 0.06 * static_cast<double>(i),
                1e-12);
  }
}

TEST(OutwardsRig, LooksAwayFromTheMiddleInAllDirections) {
  const Rig rig = make_rig("outwards", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 36U);
  Vec3 sum = Vec3::Zero();
  for (const Camera& camera : rig.cameras) {
    EXPECT_LT((0.5 * axis_of(camera) - camera_centre_m(camera.camera_from_world)).norm(), 1e-12);
    EXPECT_NEAR(camera.camera_from_world.rotation(1, 2), 1, 1e-12) << "the image's down is the world's";
    sum += axis_of(camera);
  }
  EXPECT_LT(sum.norm(), 1e-12);
}

TEST(StereoRig, HasParallelAxes) {
  const Rig rig = make_rig("stereo", {}, 1);
  ASSERT_EQ(rig.cameras.size(), 2U);
  for (const Camera& camera : rig.cameras) EXPECT_LT((axis_of(camera) - Vec3::UnitZ()).norm(), 1e-12);
  EXPECT_LT((camera_centre_m(rig.cameras[1].camera_from_world) -
             camera_centre_m(rig.cameras[0].camera_from_world) - Vec3(0.1, 0, 0))
                .norm(),
            1e-12);
}

TEST(PortRigs, SeeThePointAboutWhichTheyStand) {
  const std::pair<const char*, std::size_t> rigs[] = {
      {"port_stereo", 12}, {"port_survey", 18}, {"tank_wall", 4}};
  for (const auto& [name, count] : rigs) {
    const Rig rig = make_rig(name, {}, 1);
    ASSERT_EQ(rig.cameras.size(), count);
    for (const Camera& camera : rig.cameras) {
      EXPECT_TRUE(std::holds_alternative<Port>(camera.interface)) << name;
      const auto seen = project(refractive_camera(camera), Vec3(0, 0, 1.178));
      ASSERT_TRUE(seen && is_in_image(refractive_camera(camera), seen->pixel.x(), seen->pixel.y()))
          << name << " " << camera.name;
    }
  }
}

TEST(PortRigs, HavePortsBySettings) {
  const auto port = [](const char* rig, const std::vector<Override>& settings) {
    return std::get<Port>(make_rig(rig, settings, 1).cameras[0].interface);
  };
  EXPECT_EQ(port("port_stereo", {}), Port());
  EXPECT_EQ(port("port_survey", {{"port_survey", "port_model", "dome"}, {"port_survey", "dome_z_m", "0"}}),
            (Port{PortModel::dome, {0, 0, 0}, 0.05, 0.007, 1, 1.473, 1.333}));
  const Port tilted = port("port_stereo", {{"port_stereo", "flat_nx", "0.6"}});
  EXPECT_LT((tilted.axis - Vec3(0.6, 0, 0.8)).norm(), 1e-15);
  EXPECT_THROW(
      port("port_stereo", {{"port_stereo", "dome_x_m", "0.3"}, {"port_stereo", "port_model", "dome"}}),
      Error);
}

// The middle cameras of a row overlap by 70 % of what straight rays show.
TEST(PortRigs, StationsOfASurveyOverlap) {
  const Rig rig =
      make_rig("port_survey", {{"port_survey", "port_model", "dome"}, {"port_survey", "range_m", "2"}}, 1);
  const double step_m = camera_centre_m(rig.cameras[2].camera_from_world).x() -
                        camera_centre_m(rig.cameras[0].camera_from_world).x();
  EXPECT_NEAR(step_m, 0.3 * 2 * 1600 / 1504.6, 1e-12);
}

// Every pixel's ray leaves the tank's wall where it meets the water, at one height.
TEST(PortRigs, TheWallOfATankIsOnePlane) {
  for (const Camera& camera : make_rig("tank_wall", {}, 1).cameras) {
    const auto ray = cast_ray(refractive_camera(camera), Vec2(300, 900));
    ASSERT_TRUE(ray);
    EXPECT_NEAR(ray->origin_m[2], 0.41, 1e-12) << camera.name;
  }
}

}  // namespace
}  // namespace aqbench
