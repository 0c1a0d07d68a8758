// The vectors of refraction.json, made by running AquaMVS. AQBENCH_VECTORS_DIR names another folder with a
// file of the same name and kind.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "scenes/optics/refraction_batch.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

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
