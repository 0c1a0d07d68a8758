#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

#include "core/json.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refraction_batch.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// The housing and the numbers below come from a tracer of 40 digits; COLMAP's pixels are half a pixel larger.
const Port kFlat{
    PortModel::flat, {0.01311427226, -0.004460945556, 0.9999040533}, 0.02531637365, 0.01, 1, 1.49, 1.333};
const Port kDome{PortModel::dome, {0, 0, 0.01}, 0.05, 0.007, 1, 1.473, 1.333};
const Vec2 kHalf_px(0.5, 0.5);

RefractiveCamera camera_behind(const Port& port) {
  RefractiveCamera camera;
  camera.width_px = 1920;
  camera.height_px = 1200;
  camera.fx_px = 705.391983;
  camera.fy_px = 705.210233;
  camera.cx_px = 963.440447 - 0.5;
  camera.cy_px = 604.968632 - 0.5;
  set_port(camera, port);
  return camera;
}

struct Seen {
  Vec3 point_m;
  Vec2 flat_px, dome_px;
};

const Seen kSeen[] = {
    {{0, 0, 1}, {960.449869818311, 605.9856434176084}, {963.440447, 604.968632}},
    {{0.3, -0.2, 1}, {1253.656617220473, 410.3681005986832}, {1164.583486886194, 470.9078228394937}},
    {{0.6, 0.4, 0.8}, {2010.750875458154, 1312.280691256354}, {1459.514664335787, 935.5995651773461}},
    {{-1.2, 0.7, 2}, {245.1244060214993, 1022.343779955843}, {564.8365005395617, 837.427690359069}},
    {{2.5, -1.5, 5}, {1501.122179341406, 281.1482425343302}, {1296.333228741498, 405.2844264799554}},
};

TEST(Port, PointsAreImagedWhereATracerOfFortyDigitsHasThem) {
  for (const Seen& seen : kSeen) {
    EXPECT_LT((project(camera_behind(kFlat), seen.point_m)->pixel + kHalf_px - seen.flat_px).norm(), 1e-9)
        << seen.point_m.transpose();
    EXPECT_LT((project(camera_behind(kDome), seen.point_m)->pixel + kHalf_px - seen.dome_px).norm(), 1e-9)
        << seen.point_m.transpose();
  }
}

TEST(Port, RaysLeaveTheGlassWhereTheTracerHasThem) {
  const auto expect = [](const Port& port, const Vec2& colmap_px, const Vec3& origin_m,
                         const Vec3& direction) {
    const auto ray = cast_ray(camera_behind(port), Vec2(colmap_px - kHalf_px));
    ASSERT_TRUE(ray);
    EXPECT_LT((to_vec3(ray->origin_m) - origin_m).norm(), 1e-12);
    EXPECT_LT((to_vec3(ray->direction) - direction).norm(), 1e-12);
  };
  expect(kFlat, {0.5, 0.5}, {-0.0408766042979438, -0.0257390752979714, 0.0357410491895961},
         {-0.534922160970546, -0.340669789295069, 0.773176807958086});
  expect(kFlat, {1500.5, 300.5}, {0.0233770855099417, -0.0132434329376548, 0.0349540756804913},
         {0.433759124171385, -0.24506874713383, 0.867060742610532});
  expect(kDome, {0.5, 0.5}, {-0.0444859283646925, -0.0279324423944816, 0.0321309927344079},
         {-0.738784303715509, -0.463878146732327, 0.488891416950402});
}

std::vector<Port> housings() {
  std::vector<Port> ports = {kFlat, kDome, {}};
  ports.push_back({PortModel::dome, {0.004, -0.003, -0.02}, 0.05, 0.007, 1.003, 1.473, 1.333});
  ports.push_back({PortModel::flat, {0, 0, 1}, 0, 0.01, 1, 1.49, 1.333});  // the centre touches the glass
  ports.push_back({PortModel::flat, {0, 0, 1}, 0.4, 0, 1, 1.333, 1.333});  // no glass
  ports.push_back(
      {PortModel::flat, {0.1, 0, 0.99498743710662}, 0.05, 0.02, 1.333, 1.49, 1});  // an aquarium's inside
  return ports;
}

TEST(Port, PointsOnCastRaysAreImagedAtTheirPixel) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> x(0, 1919), y(0, 1199), depth(0.05, 10);
  std::size_t cast = 0;
  for (const Port& port : housings()) {
    RefractiveCamera camera = camera_behind(port);
    const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
    std::array<double, 9> rotation;
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rotation.data()) = turn;
    set_pose(camera, rotation, {0.3, -2, 1});
    for (int i = 0; i < 2000; ++i) {
      const Vec2 pixel(x(random), y(random));
      const auto ray = cast_ray(camera, pixel);
      if (!ray) continue;  // totally reflected
      ++cast;
      const double depth_m = depth(random);
      const auto seen = project(camera, point_on_ray(*ray, depth_m));
      ASSERT_TRUE(seen);
      EXPECT_LT((seen->pixel - pixel).norm(), 1e-9);
      EXPECT_NEAR(seen->depth_along_ray_m, depth_m, 1e-11);
    }
  }
  EXPECT_GT(cast, 12000U);
}

// A level surface is a pane without thickness whose normal is the world's Z axis.
TEST(Port, LevelWaterIsAPaneWithoutGlass) {
  for (const Camera& camera : make_rig("ring12", {}, 1).cameras) {
    const WaterInterface water = *level_water(camera);
    Camera behind = camera;
    behind.interface = Port{PortModel::flat,
                            camera.camera_from_world.rotation.col(2),
                            water.water_z_m - camera_centre_m(camera.camera_from_world).z(),
                            0,
                            water.n_air,
                            water.n_water,
                            water.n_water};
    const RefractiveCamera level = refractive_camera(camera), pane = refractive_camera(behind);
    for (const Vec3& point_m : {Vec3(0.1, -0.05, 1.178), Vec3(-0.4, 0.3, 1.5), Vec3(0, 0, 0.979)}) {
      const auto a = project(level, point_m), b = project(pane, point_m);
      ASSERT_TRUE(a && b);
      EXPECT_LT((a->pixel - b->pixel).norm(), 1e-9);
      EXPECT_NEAR(a->depth_along_ray_m, b->depth_along_ray_m, 1e-12);
    }
  }
}

TEST(Port, ADomeAboutTheCameraBendsNothing) {
  const RefractiveCamera camera = camera_behind({PortModel::dome, {0, 0, 0}, 0.05, 0.007, 1, 1.473, 1.333});
  const Vec3 point_m(0.6, 0.4, 0.8);
  const auto seen = project(camera, point_m);
  ASSERT_TRUE(seen);
  EXPECT_NEAR(seen->pixel.x(), camera.cx_px + camera.fx_px * 0.75, 1e-9);
  EXPECT_NEAR(seen->depth_along_ray_m, point_m.norm() - 0.057, 1e-15);
}

TEST(Port, BatchesAgreeWithSinglePoints) {
  for (const Port& port : {kFlat, kDome}) {
    const RefractiveCamera camera = camera_behind(port);
    PointBatch points;
    for (const Seen& seen : kSeen) {
      points.x_m.push_back(seen.point_m.x());
      points.y_m.push_back(seen.point_m.y());
      points.z_m.push_back(seen.point_m.z());
    }
    points.x_m.push_back(0), points.y_m.push_back(0), points.z_m.push_back(0.02);  // inside of the housing
    points.resize(6);
    project_points(camera, points);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto seen = project(camera, kSeen[i].point_m);
      EXPECT_EQ(points.u_px[i], seen->pixel.x());
      EXPECT_EQ(points.ray_depth_m[i], seen->depth_along_ray_m);
    }
    EXPECT_TRUE(std::isnan(points.u_px[5]));
  }
}

Rig rig_behind(const Port& port) {
  Rig rig = make_rig("stereo", {}, 1);
  set_interface(rig, port);
  return rig;
}

TEST(Port, CalibrationsHoldIt) {
  for (const Port& port : {kFlat, kDome}) {
    const std::string text = calibration_json(rig_behind(port), {});
    EXPECT_EQ(Json::parse(text).at("version"), "1.1");
    const Rig read = parse_calibration(text, "c.json");
    EXPECT_EQ(std::get<Port>(read.cameras[1].interface), port);
  }
  EXPECT_FALSE(is_dry(rig_behind(kFlat)));
}

TEST(Port, PortsThatCannotBeAreRefused) {
  const auto refused = [](const char* model, std::vector<double> params) {
    Json json = Json::parse(calibration_json(rig_behind(kFlat), {}));
    json["cameras"]["cam00"]["port"] = {{"model", model}, {"params", params}};
    return error_of(ErrorKind::input, [&] { parse_calibration(json.dump(), "c.json"); });
  };
  EXPECT_EQ(refused("FISHPORT", {0, 0, 1, 0.02, 0.01, 1, 1.5, 1.33}),
            "c.json: cameras.cam00.port.model: 'FISHPORT' is neither FLATPORT nor DOMEPORT");
  EXPECT_THAT(refused("FLATPORT", {0, 0, 1}), HasSubstr("port.params: must be 8 numbers, got 3"));
  EXPECT_THAT(refused("FLATPORT", {0, 0, 2, 0.02, 0.01, 1, 1.5, 1.33}),
              HasSubstr("a unit vector with z > 0"));
  EXPECT_THAT(refused("FLATPORT", {0, 0, -1, 0.02, 0.01, 1, 1.5, 1.33}),
              HasSubstr("a unit vector with z > 0"));
  EXPECT_THAT(refused("FLATPORT", {0, 0, 1, 20, 0.01, 1, 1.5, 133}),
              HasSubstr("params: nw: must be between 0.5 and 5, got 133"));
  EXPECT_THAT(refused("FLATPORT", {0, 0, 1, 250, 10, 1, 1.5, 1.33}),
              HasSubstr("lengths must be from 0 to 100 m"));
  EXPECT_THAT(refused("DOMEPORT", {0, 0, 0.05, 0.05, 0.007, 1, 1.5, 1.33}), HasSubstr("inside of DOMEPORT"));
}

// A port that is not read would be left out without a word.
TEST(Port, APortInAFileOfVersion10OrBesideWaterIsRefused) {
  Json json = Json::parse(calibration_json(rig_behind(kFlat), {}));
  json["interface"] = {{"normal", {0, 0, -1}}, {"n_air", 1}, {"n_water", 1.333}};
  const auto refused = [&] {
    return error_of(ErrorKind::input, [&] { parse_calibration(json.dump(), "c.json"); });
  };
  json["cameras"]["cam01"]["water_z"] = 9;
  EXPECT_EQ(refused(),
            "c.json: cameras.cam01.port: a camera looks through a port or a water surface, not both");
  json["version"] = "1.0";
  json["cameras"]["cam00"]["water_z"] = 9;
  EXPECT_EQ(refused(), "c.json: cameras.cam00.port: needs version '1.1' of the file, which has '1.0'");
}

}  // namespace
}  // namespace aqbench
