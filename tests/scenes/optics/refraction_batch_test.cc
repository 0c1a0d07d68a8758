// The vectors of refraction.json, made by running AquaMVS. AQBENCH_VECTORS_DIR names another folder with a
// file of the same name and kind.
#include "scenes/optics/refraction_batch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

struct FloatPoints {
  std::vector<float> x, y, z;
  PointSpans spans() const { return {x, y, z}; }
};

struct FloatPixels {
  explicit FloatPixels(std::size_t count) : u(count), v(count), depth(count) {}
  std::vector<float> u, v, depth;
  PixelSpans spans() { return {u, v, depth}; }
};

const double kBatchIndexRatios[][2] = {{1, 1.333}, {1, 1.5}, {1, 1}, {1.333, 1}};

TEST(ProjectPoints, EqualsTheExactProjection) {
  Draws draws{21};
  double worst_px = 0, worst_depth_m = 0;
  std::size_t valid = 0, invalid = 0;
  for (const auto& [n_air, n_water] : kBatchIndexRatios) {
    for (int i = 0; i < 20; ++i) {
      const RefractiveCamera camera = refractive_camera(
          tilted_camera(draws, {draws.uniform(-0.7, 0.7), draws.uniform(-0.7, 0.7), draws.uniform(-0.5, 0.5)},
                        0.5),
          {0.978, n_air, n_water});
      FloatPoints points;
      for (int k = 0; k < 1100; ++k) {  // more than one block, and a remainder
        points.x.push_back(static_cast<float>(draws.uniform(-1, 1)));
        points.y.push_back(static_cast<float>(draws.uniform(-1, 1)));
        points.z.push_back(static_cast<float>(draws.uniform(0.9, 2)));
      }
      FloatPixels pixels(points.x.size());
      project_points(camera, points.spans(), pixels.spans());
      for (std::size_t k = 0; k < points.x.size(); ++k) {
        const auto exact = project(camera, Vec3(points.x[k], points.y[k], points.z[k]));
        ASSERT_EQ(exact.has_value(), !std::isnan(pixels.u[k]));
        ASSERT_EQ(std::isnan(pixels.u[k]), std::isnan(pixels.v[k]));
        ASSERT_EQ(std::isnan(pixels.u[k]), std::isnan(pixels.depth[k]));
        ++(exact ? valid : invalid);
        // Near the camera's horizon pixels are many image widths away, and float ends.
        if (!exact || (exact->pixel - Vec2(799.5, 599.5)).norm() > 1500) continue;
        worst_px = std::max(worst_px, (exact->pixel - Vec2(pixels.u[k], pixels.v[k])).norm());
        worst_depth_m = std::max(worst_depth_m, std::abs(exact->depth_along_ray_m - pixels.depth[k]));
      }
    }
  }
  RecordProperty("worst_px", std::to_string(worst_px));
  EXPECT_LT(worst_px, 1e-3);
  EXPECT_LT(worst_depth_m, 2e-6);
  EXPECT_GT(valid, 10000u);
  EXPECT_GT(invalid, 1000u);
}

// Four Newton steps in float must do for cameras close to the water and rays close to the horizon too.
TEST(ProjectPoints, GrazingRaysConverge) {
  for (const auto& [n_air, n_water] : kBatchIndexRatios) {
    for (const double h_air : {0.01, 0.1, 1.0}) {
      const Camera camera{"low", pinhole(1600, 1200, 1504.6), {Mat3::Identity(), Vec3(0, 0, h_air)}, false};
      const RefractiveCamera prepared = refractive_camera(camera, {0, n_air, n_water});
      FloatPoints points;
      for (const double rho : {0.0, 1e-6, 1e-3, 0.1, 0.3, 1.0, 2.0, 3.0, 10.0, 100.0}) {
        for (const double h_water : {1e-4, 1e-2, 0.1, 1.0, 3.0}) {
          if (n_air < n_water && h_water > 10 * h_air) continue;
          points.x.push_back(static_cast<float>(0.6 * rho));
          points.y.push_back(static_cast<float>(-0.8 * rho));
          points.z.push_back(static_cast<float>(h_water));
        }
      }
      FloatPixels pixels(points.x.size());
      project_points(prepared, points.spans(), pixels.spans());
      for (std::size_t k = 0; k < points.x.size(); ++k) {
        const auto exact = project(prepared, Vec3(points.x[k], points.y[k], points.z[k]));
        ASSERT_TRUE(exact);
        const Vec2 from_centre = exact->pixel - Vec2(799.5, 599.5);
        EXPECT_LT((exact->pixel - Vec2(pixels.u[k], pixels.v[k])).norm(), 1e-3 + 2e-6 * from_centre.norm())
            << n_water << " h_air " << h_air << " point " << points.x[k] << " " << points.z[k];
      }
    }
  }
}

TEST(ProjectPoints, DepthsAreOptionalAndChangeNothing) {
  const Rig rig = make_rig("ring12", {}, 0);
  const RefractiveCamera camera = refractive_camera(rig.cameras[3]);
  const FloatPoints points{{0.1f, -0.2f, 0}, {0, 0.1f, 0.05f}, {1.1f, 1.3f, 0.5f}};
  FloatPixels with(3), without(3);
  project_points(camera, points.spans(), with.spans());
  project_points(camera, points.spans(), {without.u, without.v, {}});
  for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(with.u[k], without.u[k]);
  EXPECT_TRUE(std::isnan(without.u[2]));  // above the water
}

TEST(CastRays, EqualsTheExactRays) {
  Draws draws{22};
  double worst_m = 0, worst_direction = 0;
  for (const auto& [n_air, n_water] : kBatchIndexRatios) {
    for (int i = 0; i < 20; ++i) {
      const RefractiveCamera camera = refractive_camera(
          tilted_camera(draws, {draws.uniform(-0.7, 0.7), draws.uniform(-0.7, 0.7), 0}, 0.5),
          {0.978, n_air, n_water});
      std::vector<float> u, v, ox(500), oy(500), oz(500), dx(500), dy(500), dz(500);
      for (std::size_t k = 0; k < ox.size(); ++k) {
        u.push_back(static_cast<float>(draws.uniform(0, 1599)));
        v.push_back(static_cast<float>(draws.uniform(0, 1199)));
      }
      cast_rays(camera, u, v, {ox, oy, oz, dx, dy, dz});
      for (std::size_t k = 0; k < u.size(); ++k) {
        const auto exact = cast_ray(camera, Vec2(u[k], v[k]));
        // Within 1e-3 of the critical angle, rounding decides.
        if (exact && exact->direction[2] < 0.03) continue;
        ASSERT_EQ(exact.has_value(), !std::isnan(dz[k]));
        ASSERT_EQ(std::isnan(ox[k]), std::isnan(dz[k]));
        if (!exact) continue;
        const double distance_m = (to_vec3(exact->origin_m) - Vec3(ox[k], oy[k], oz[k])).norm();
        worst_m = std::max(worst_m, distance_m / (1 + to_vec3(exact->origin_m).norm()));
        worst_direction =
            std::max(worst_direction,
                     exact->direction[2] * (to_vec3(exact->direction) - Vec3(dx[k], dy[k], dz[k])).norm());
      }
    }
  }
  EXPECT_LT(worst_m, 5e-7);
  EXPECT_LT(worst_direction, 5e-7);
}

TEST(RoundTripFloat, PixelToPointToPixelBelowAThousandthOfAPixel) {
  Draws draws{23};
  double worst_px = 0;
  const Rig rig = make_rig("ring12", {}, 0);
  for (const Camera& one : rig.cameras) {
    const RefractiveCamera camera = refractive_camera(one);
    const std::size_t count = 20000;
    std::vector<float> u(count), v(count), ox(count), oy(count), oz(count), dx(count), dy(count), dz(count);
    FloatPoints points{std::vector<float>(count), std::vector<float>(count), std::vector<float>(count)};
    for (std::size_t k = 0; k < count; ++k) {
      u[k] = static_cast<float>(draws.uniform(0, 1599));
      v[k] = static_cast<float>(draws.uniform(0, 1199));
    }
    cast_rays(camera, u, v, {ox, oy, oz, dx, dy, dz});
    for (std::size_t k = 0; k < count; ++k) {
      const auto depth_m = static_cast<float>(draws.uniform(0.01, 1.5));
      points.x[k] = ox[k] + depth_m * dx[k];
      points.y[k] = oy[k] + depth_m * dy[k];
      points.z[k] = oz[k] + depth_m * dz[k];
    }
    FloatPixels pixels(count);
    project_points(camera, points.spans(), pixels.spans());
    for (std::size_t k = 0; k < count; ++k)
      worst_px = std::max(worst_px, std::hypot(double{pixels.u[k]} - u[k], double{pixels.v[k]} - v[k]));
  }
  RecordProperty("worst_px", std::to_string(worst_px));
  EXPECT_LT(worst_px, 1e-3);
}

TEST(Batches, RefuseSpansOfDifferentLength) {
  const Rig rig = make_rig("ring12", {}, 0);
  const RefractiveCamera camera = refractive_camera(rig.cameras[0]);
  std::vector<float> three(3), four(4), out(4);
  EXPECT_THROW(project_points(camera, {three, four, four}, {out, out, {}}), Error);
  EXPECT_THROW(project_points(camera, {four, four, four}, {out, out, three}), Error);
  EXPECT_THROW(cast_rays(camera, three, four, {out, out, out, out, out, out}), Error);
}

std::filesystem::path vectors_folder() {
  const char* other = std::getenv("AQBENCH_VECTORS_DIR");
  return other != nullptr ? std::filesystem::path(other)
                          : std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/data/vectors";
}

Vec3 vector3(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

Vec2 vector2(const Json& json) { return {json.at(0).get<double>(), json.at(1).get<double>()}; }

// `null` stands for NaN, in place of the vector or of its numbers.
bool is_null(const Json& json) { return json.is_null() || json.at(0).is_null(); }

Camera vector_camera(const Json& json) {
  Camera camera;
  camera.name = "vector";
  for (int row = 0; row < 3; ++row) {
    camera.intrinsics.K.row(row) = vector3(json.at("K").at(static_cast<std::size_t>(row)));
    camera.camera_from_world.rotation.row(row) = vector3(json.at("R").at(static_cast<std::size_t>(row)));
  }
  camera.camera_from_world.translation_m = vector3(json.at("t"));
  camera.intrinsics.width_px = json.at("width").get<int>();
  camera.intrinsics.height_px = json.at("height").get<int>();
  return camera;
}

class RefractionVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = Json::parse(read_file(vectors_folder() / "refraction.json"));
    ASSERT_FALSE(file_.at("cases").empty());
  }
  static RefractiveCamera camera_of(const Json& one) {
    const Json& camera = one.at("camera");
    return optics_testing::refractive_camera(
        vector_camera(camera), {camera.at("water_z").get<double>(), camera.at("n_air").get<double>(),
                                camera.at("n_water").get<double>()});
  }
  Json file_;
};

TEST_F(RefractionVectors, RaysOfPixels) {
  std::size_t rays = 0;
  for (const Json& one : file_.at("cases")) {
    const RefractiveCamera camera = camera_of(one);
    for (std::size_t i = 0; i < one.at("pixels").size(); ++i, ++rays) {
      const Json& pixel = one.at("pixels").at(i);
      const auto ray = cast_ray(camera, vector2(pixel));
      ASSERT_EQ(ray.has_value(), !is_null(one.at("origins").at(i)));
      if (!ray) continue;
      EXPECT_LT((to_vec3(ray->origin_m) - vector3(one.at("origins").at(i))).norm(), 1e-9);
      EXPECT_LT((to_vec3(ray->direction) - vector3(one.at("directions").at(i))).norm(), 1e-9);
    }
  }
  EXPECT_GT(rays, 0u);
}

TEST_F(RefractionVectors, PixelsOfPoints) {
  std::size_t valid = 0, invalid = 0;
  for (const Json& one : file_.at("cases")) {
    const RefractiveCamera camera = camera_of(one);
    for (std::size_t i = 0; i < one.at("points").size(); ++i) {
      const auto projection = project(camera, vector3(one.at("points").at(i)));
      ASSERT_EQ(projection.has_value(), one.at("valid").at(i).get<bool>()) << "point " << i;
      ++(projection ? valid : invalid);
      if (!projection) continue;
      const Json& pixel = one.at("projected").at(i);
      EXPECT_LT((projection->pixel - vector2(pixel)).norm(), 1e-6) << "point " << i;
    }
  }
  EXPECT_GT(valid, 0u);
  EXPECT_GT(invalid, 0u);
}

TEST_F(RefractionVectors, TheFloatBatchAgrees) {
  for (const Json& one : file_.at("cases")) {
    const RefractiveCamera camera = camera_of(one);
    std::vector<float> x, y, z;
    for (const Json& point : one.at("points")) {
      x.push_back(point.at(0).get<float>());
      y.push_back(point.at(1).get<float>());
      z.push_back(point.at(2).get<float>());
    }
    std::vector<float> u(x.size()), v(x.size());
    project_points(camera, {x, y, z}, {u, v, {}});
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(!std::isnan(u[i]), one.at("valid").at(i).get<bool>());
      if (std::isnan(u[i])) continue;
      const Json& pixel = one.at("projected").at(i);
      EXPECT_LT((Vec2(u[i], v[i]) - vector2(pixel)).norm(), 1e-3);
    }
  }
}

}  // namespace
}  // namespace aqbench
