#include "scenes/dataset/perturb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "core/files.h"
#include "core/json.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

const Rig& true_rig() {
  static const Rig rig = make_rig("ring12", {}, 42);
  return rig;
}

// Where the ring's cameras put a point that they see exactly, under a wrong calibration.
Vec3 triangulated(const Vec3& point_m, const CalibrationError& error) {
  const Rig wrong = perturbed(true_rig(), error);
  std::vector<WaterRay> rays;
  for (std::size_t i = 0; i < true_rig().cameras.size(); ++i) {
    const Camera& camera = true_rig().cameras[i];
    if (camera.is_auxiliary) continue;
    const Vec2 pixel = project(refractive_camera(camera), point_m)->pixel;
    rays.push_back(*cast_ray(refractive_camera(wrong.cameras[i]), pixel));
  }
  return *triangulate(rays);
}

TEST(Perturb, NothingAddedChangesNoBit) {
  EXPECT_TRUE(is_zero({}));
  EXPECT_FALSE(is_zero({.focal_pct = 0.1}));
  EXPECT_EQ(calibration_json(perturbed(true_rig(), {}), {}), calibration_json(true_rig(), {}));
  EXPECT_EQ(world_from_perturbed(true_rig(), {}).scale, 1);
}

// Water taken to be d deeper. A ray through air at angle a, in water at w, leaves the axis at the apex of the
// ring's rays: it crosses the surface tan(a) d farther in and needs that much less depth, tan(a) d / tan(w).
TEST(Perturb, AWaterSurfaceTooDeepMovesTheCentreByTheFormula) {
  const double d = 0.001, ring = 0.635, h = 0.978, depth = 0.2;
  double low = 0, high = ring;  // where the centre's ray crosses the surface, by bisection of Snell's law
  for (int i = 0; i < 100; ++i) {
    const double r = (low + high) / 2;
    const double air = (ring - r) / std::hypot(ring - r, h), water = r / std::hypot(r, depth);
    (air > 1.333 * water ? low : high) = r;
  }
  const double tan_air = (ring - low) / h, tan_water = low / depth;
  const double expected_z = h + d + (ring - tan_air * (h + d)) / tan_water;
  const Vec3 found = triangulated({0, 0, h + depth}, {.water_z_m = d});
  EXPECT_NEAR(found.z(), expected_z, 1e-9);
  EXPECT_LT(found.head<2>().norm(), 1e-9);
  EXPECT_GT(std::abs(found.z() - (h + depth)), 1e-4);
}

TEST(Perturb, AnIndexTooLargePushesTheCentreDeeper) {
  EXPECT_GT(triangulated({0, 0, 1.178}, {.n_water = 0.01}).z(), 1.178 + 1e-4);
  EXPECT_GT(triangulated({0, 0, 1.178}, {.focal_pct = 1}).z(), 1.178 + 1e-4);
}

// Level water under tilted cameras, brought back, is tilted water under true cameras: the path in the plane
// of the tilt by Snell's law at a sloping surface.
TEST(Perturb, ATiltIsThatOfTheWater) {
  const CalibrationError error{.tilt_deg = 2};
  const Rig wrong = perturbed(true_rig(), error);
  const Similarity world = world_from_perturbed(true_rig(), error);
  const double angle = 2 * std::numbers::pi / 180;
  const Vec3 normal(0, -std::sin(angle), std::cos(angle));  // of the believed water, into it
  for (std::size_t i = 0; i < wrong.cameras.size(); ++i) {
    const Vec2 pixel(700, 500);
    const WaterRay ray = *cast_ray(refractive_camera(wrong.cameras[i]), pixel);
    Reconstruction two;
    two.cloud.points_m = {point_on_ray(ray, 0), point_on_ray(ray, 1)};
    apply(world, two);
    const Vec3 origin = two.cloud.points_m[0], direction = two.cloud.points_m[1] - origin;
    // The true camera's ray in air.
    const Camera& camera = true_rig().cameras[i];
    const Vec3 centre = camera_centre_m(camera.camera_from_world);
    const Vec3 in_air = camera.camera_from_world.rotation.transpose() *
                        (camera.intrinsics.K.inverse() * Vec3(pixel.x(), pixel.y(), 1)).normalized();
    EXPECT_NEAR((origin - Vec3(0, 0, 0.978)).dot(normal), 0, 1e-12);
    EXPECT_LT((origin - centre).cross(in_air).norm(), 1e-12);
    EXPECT_LT((in_air.cross(normal) - 1.333 * direction.cross(normal)).norm(), 1e-12);
  }
}

TEST(Perturb, ACalibrationFileIsRewritten) {
  const TemporaryDirectory dir;
  const std::filesystem::path file = dir / "calibration.json";
  write_calibration(file, true_rig(), {});
  perturb_calibration_file(file, {.water_z_m = 0.002, .n_water = -0.01});
  const Rig wrong = read_calibration(file);
  EXPECT_NEAR(level_water(wrong)->water_z_m, 0.980, 1e-15);
  EXPECT_NEAR(level_water(wrong)->n_water, 1.323, 1e-15);
  EXPECT_EQ(wrong.cameras.size(), 13u);
  const std::string before = read_file(file);
  EXPECT_THAT(error_of(ErrorKind::input, [&] { perturb_calibration_file(file, {.water_z_m = -2}); }),
              testing::HasSubstr("perturbed calibration"));
  EXPECT_EQ(read_file(file), before);
}

TEST(Perturb, ParametersNameTheErrors) {
  const Parameters parameters = resolve_parameters(
      "perturb", perturb_parameters(), {{"perturb", "tilt_deg", "0.5"}, {"perturb", "focal_pct", "-1"}});
  const CalibrationError error = calibration_error(parameters, 5);
  EXPECT_EQ(error.tilt_deg, 0.5);
  EXPECT_EQ(error.focal_pct, -1);
  EXPECT_EQ(error.water_z_m, 0);
}

TEST(WithoutPoses, OnlyNamesIntrinsicsAndIndicesStay) {
  const TemporaryDirectory dir;
  const Rig rig = make_rig("sparse4", {}, 42);
  write_calibration(dir / "calibration.json", rig, {"2026-01-01T00:00:00Z", "aqbench", "none"});
  withhold_poses(dir.path(), true);
  const Json json = read_strict_json(dir / "calibration.json");
  ASSERT_EQ(json["cameras"].size(), rig.cameras.size());
  for (const auto& [name, camera] : json["cameras"].items()) {
    EXPECT_EQ(camera.size(), 2U) << camera;
    EXPECT_EQ(camera["name"], name);
    EXPECT_EQ(camera["intrinsics"]["K"][0][0], rig.cameras[0].intrinsics.K(0, 0));
  }
  EXPECT_EQ(json["interface"], Json({{"n_air", 1.0}, {"n_water", 1.333}}));
  EXPECT_EQ(json.size(), 3U) << "version, cameras, interface";
  withhold_poses(dir.path(), false);
  EXPECT_FALSE(std::filesystem::exists(dir / "calibration.json"));
}

// The standard deviations of 13 cameras x 300 seeds are within 5 standard errors of those asked for.
TEST(Perturb, CamerasHaveErrorsOfTheirOwn) {
  const CalibrationError asked{.camera_position_m = 0.002,
                               .camera_rotation_deg = 0.2,
                               .camera_focal_pct = 0.5,
                               .camera_principal_px = 1.5,
                               .camera_k1 = 0.01};
  double position = 0, rotation = 0, focal = 0, principal = 0, k1 = 0;
  constexpr std::uint64_t kSeeds = 300;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CalibrationError error = asked;
    error.seed = seed;
    const Rig wrong = perturbed(true_rig(), error);
    for (std::size_t i = 0; i < wrong.cameras.size(); ++i) {
      const Camera &is = true_rig().cameras[i], &was = wrong.cameras[i];
      position +=
          (camera_centre_m(was.camera_from_world) - camera_centre_m(is.camera_from_world)).squaredNorm();
      const Mat3 turn = was.camera_from_world.rotation * is.camera_from_world.rotation.transpose();
      rotation += std::pow(Eigen::AngleAxisd(turn).angle() * 180 / std::numbers::pi, 2);
      const Mat3 &k = is.intrinsics.K, &wrong_k = was.intrinsics.K;
      EXPECT_NEAR(wrong_k(0, 0) / k(0, 0), wrong_k(1, 1) / k(1, 1), 1e-12);
      focal += std::pow(100 * (wrong_k(0, 0) / k(0, 0) - 1), 2);
      principal += (wrong_k - k).col(2).squaredNorm();
      k1 += std::pow(was.intrinsics.distortion[0] - is.intrinsics.distortion[0], 2);
    }
  }
  const double cameras = 13.0 * kSeeds;
  const auto expect = [&](double squares, double axes, double sigma) {
    EXPECT_NEAR(std::sqrt(squares / (axes * cameras)) / sigma, 1, 5 / std::sqrt(2 * axes * cameras));
  };
  expect(position, 3, 0.002);
  expect(rotation, 3, 0.2);
  expect(focal, 1, 0.5);
  expect(principal, 2, 1.5);
  expect(k1, 1, 0.01);
}

TEST(Perturb, OwnErrorsFollowTheSeedAndWorkWithoutWater) {
  const auto calibration = [](const char* rig, std::uint64_t seed) {
    return calibration_json(perturbed(make_rig(rig, {}, 1), {.camera_rotation_deg = 0.1, .seed = seed}), {});
  };
  EXPECT_EQ(calibration("ring12", 3), calibration("ring12", 3));
  EXPECT_NE(calibration("ring12", 3), calibration("ring12", 4));
  EXPECT_NE(calibration("stereo", 3), calibration("stereo", 4));
}

// ---- Ports ----

const Port kTankPane{PortModel::flat, {0, 0, 1}, 0.025, 0.010, 1, 1.49, 1.333},
    kShiftedDome{PortModel::dome, {0, 0, 0.005}, 0.05, 0.007, 1, 1.473, 1.333};

// The errors of 15 points at a depth, seen by two cameras 0.1 m apart.
std::vector<Vec3> stereo_errors_m(const Port& port, const CalibrationError& error, double z_m) {
  Rig rig = make_rig("stereo",
                     {{"stereo", "distance_m", "0.001"}, {"stereo", "k1", "0"}, {"stereo", "k2", "0"}}, 1);
  for (Camera& camera : rig.cameras) camera.camera_from_world.translation_m.z() = 0;
  set_interface(rig, port);
  const Rig wrong = perturbed(rig, error);
  std::vector<Vec3> errors_m;
  for (const double x : {-0.15, -0.075, 0.0, 0.075, 0.15})
    for (const double y : {-0.1, 0.0, 0.1}) {
      const Vec3 point_m(x * z_m, y * z_m, z_m);
      std::vector<WaterRay> rays;
      for (std::size_t i = 0; i < 2; ++i)
        rays.push_back(*cast_ray(refractive_camera(wrong.cameras[i]),
                                 project(refractive_camera(rig.cameras[i]), point_m)->pixel));
      errors_m.push_back(*triangulate(rays) - point_m);
    }
  return errors_m;
}

double depth_error_mm(const Port& port, const CalibrationError& error, double z_m) {
  double sum = 0;
  for (const Vec3& off : stereo_errors_m(port, error, z_m)) sum += off.z();
  return 1e3 * sum / 15;
}

// Numbers of a program apart from this one.
TEST(PerturbPort, WrongPortsMoveStereoAsAnotherProgramHasIt) {
  const double at_m[] = {0.5, 1, 2};
  const auto expect = [&](const Port& port, const CalibrationError& error, std::array<double, 3> mm) {
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(depth_error_mm(port, error, at_m[i]), mm[i], 0.0006 + 0.006 * std::abs(mm[i])) << at_m[i];
  };
  expect(kTankPane, {.port_dist_m = 0.0006}, {-0.215, -0.213, -0.213});
  expect(kTankPane, {.n_water = 0.006}, {2.20, 4.53, 9.20});
  expect(kShiftedDome, {.dome_z_m = 0.0012}, {-2.73, -5.79, -11.9});
  expect(kShiftedDome, {.dome_z_m = -0.005}, {11.9, 25.0, 51.4});  // ignored
  const double tilt_mm[] = {0.17, 0.35, 0.71};
  for (std::size_t i = 0; i < 3; ++i) {
    double squares = 0;
    for (const Vec3& off : stereo_errors_m(kTankPane, {.port_tilt_deg = 0.075}, at_m[i]))
      squares += off.squaredNorm();
    EXPECT_NEAR(1e3 * std::sqrt(squares / 15), tilt_mm[i], 0.006) << at_m[i];
  }
}

TEST(PerturbPort, EachCameraHasErrorsOfItsOwn) {
  Rig rig = make_rig("ring12", {}, 1);
  double dist = 0, thick = 0, glass = 0, tilt = 0;
  Vec3 dome = Vec3::Zero();
  constexpr int kSeeds = 300;
  const CalibrationError sigma{.camera_port_dist_m = 0.001,
                               .camera_port_thick_m = 0.0005,
                               .camera_n_glass = 0.01,
                               .camera_port_tilt_deg = 0.1,
                               .camera_dome_x_m = 0.001,
                               .camera_dome_y_m = 0.002,
                               .camera_dome_z_m = 0.003};
  for (std::size_t i = 0; i < rig.cameras.size(); ++i)
    rig.cameras[i].interface = i % 2 == 0 ? Interface(kTankPane) : Interface(kShiftedDome);
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    CalibrationError error = sigma;
    error.seed = seed;
    const Rig wrong = perturbed(rig, error);
    for (std::size_t i = 0; i < wrong.cameras.size(); ++i) {
      const Port &is = i % 2 == 0 ? kTankPane : kShiftedDome,
                 &was = std::get<Port>(wrong.cameras[i].interface);
      dist += std::pow(was.distance_m - is.distance_m, 2);
      thick += std::pow(was.thickness_m - is.thickness_m, 2);
      glass += std::pow(was.n_glass - is.n_glass, 2);
      if (i % 2 == 0)
        tilt += std::pow(std::acos(was.axis.dot(is.axis)) * 180 / std::numbers::pi, 2);
      else
        dome += (was.axis - is.axis).cwiseAbs2();
    }
  }
  const auto expect = [&](double squares, double draws, double is) {
    EXPECT_NEAR(std::sqrt(squares / draws) / is, 1, 5 / std::sqrt(2 * draws));
  };
  expect(dist, 13 * kSeeds, 0.001);
  expect(thick, 13 * kSeeds, 0.0005);
  expect(glass, 13 * kSeeds, 0.01);
  expect(tilt, 2 * 7 * kSeeds, 0.1);
  expect(dome.x(), 6 * kSeeds, 0.001);
  expect(dome.y(), 6 * kSeeds, 0.002);
  expect(dome.z(), 6 * kSeeds, 0.003);
}

TEST(Perturb, ASharedSigmaIsOneDrawForAllCameras) {
  const auto error_of_seed = [](std::uint64_t seed) {
    return calibration_error(
        resolve_parameters("perturb", perturb_parameters(), {{"perturb", "sigma_water_z_m", "0.001"}}), seed);
  };
  double squares = 0;
  constexpr int kSeeds = 1000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) squares += std::pow(error_of_seed(seed).water_z_m, 2);
  EXPECT_NEAR(std::sqrt(squares / kSeeds) / 0.001, 1, 5 / std::sqrt(2.0 * kSeeds));
  EXPECT_EQ(error_of_seed(3).water_z_m, error_of_seed(3).water_z_m);
  EXPECT_EQ(error_of_seed(3).n_water, 0);
}

TEST(PerturbPort, ErrorsOfWhatNoCameraHasAreRefused) {
  Rig panes = make_rig("stereo", {}, 1), dry = panes;
  set_interface(panes, kTankPane);
  const auto refusal = [](const Rig& rig, const CalibrationError& error) {
    return error_of(ErrorKind::input, [&] { perturbed(rig, error); });
  };
  EXPECT_THAT(refusal(panes, {.dome_z_m = 0.001}), testing::HasSubstr("no dome, so dome_x_m"));
  EXPECT_THAT(refusal(panes, {.water_z_m = 0.001}), testing::HasSubstr("no level water, so water_z_m"));
  EXPECT_THAT(refusal(dry, {.n_water = 0.001}), testing::HasSubstr("no water, so n_water"));
  EXPECT_THAT(refusal(dry, {.camera_n_glass = 0.001}), testing::HasSubstr("no port, so port_dist_m"));
  EXPECT_THAT(refusal(true_rig(), {.port_tilt_deg = 1}), testing::HasSubstr("no flat port"));
  EXPECT_THAT(refusal(panes, {.port_dist_m = -0.03}),
              testing::HasSubstr("perturbed calibration.cameras.cam00.port.params: lengths must be"));
}

TEST(PerturbPort, CalibrationsAsPinholesHaveNoWater) {
  const Rig wrong = perturbed(true_rig(), {.as_pinhole_m = 2});
  EXPECT_TRUE(is_dry(wrong));
  // Water makes everything larger.
  EXPECT_GT(wrong.cameras[0].intrinsics.K(0, 0), true_rig().cameras[0].intrinsics.K(0, 0));
  EXPECT_EQ(wrong.cameras[0].camera_from_world.rotation, true_rig().cameras[0].camera_from_world.rotation);
  EXPECT_THAT(error_of(ErrorKind::input, [] { perturbed(true_rig(), {.as_pinhole_m = 0.5}); }),
              testing::HasSubstr("its water begins"));
}

// All lengths about the middle of the cameras grow alike, so that pixels stay.
TEST(Perturb, ABoardTakenTooLargeMakesEverythingLarger) {
  for (const char* const name : {"ring12", "port_survey", "orbit"}) {
    const Rig rig = make_rig(name, {}, 42), larger = perturbed(rig, {.board_size_pct = 2});
    Vec3 middle_m = Vec3::Zero();
    for (const Camera& camera : rig.cameras)
      middle_m += camera_centre_m(camera.camera_from_world) / static_cast<double>(rig.cameras.size());
    const Vec3 point_m(0.05, -0.02, 1.178);
    for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
      const auto seen = project(refractive_camera(rig.cameras[i]), point_m),
                 again =
                     project(refractive_camera(larger.cameras[i]), middle_m + 1.02 * (point_m - middle_m));
      ASSERT_EQ(seen.has_value(), again.has_value());
      if (!seen) continue;
      EXPECT_LT((seen->pixel - again->pixel).norm(), 1e-8) << name << " " << i;
      EXPECT_NEAR(again->depth_along_ray_m, 1.02 * seen->depth_along_ray_m, 1e-9);
    }
  }
  EXPECT_NEAR(triangulated({0, 0, 1.178}, {.board_size_pct = 0.1}).z(), 1.001 * 1.178, 1e-9);
}

}  // namespace
}  // namespace aqbench
