#include "scenes/dataset/cameras_file.h"

#include <nlohmann/json.hpp>

#include "core/json.h"

namespace aqbench {
namespace {

std::vector<double> number_list(const JsonPlace& place, std::size_t count) {
  std::vector<double> values;
  for (const JsonPlace& element : place.elements()) values.push_back(element.number());
  if (count != 0 && values.size() != count) place.fail("must be {} numbers, got {}", count, values.size());
  return values;
}

Mat3 matrix_of(const JsonPlace& place) {
  const auto rows = place.elements();
  if (rows.size() != 3) place.fail("must be 3 rows of 3 numbers");
  Mat3 matrix;
  for (int row = 0; row < 3; ++row) {
    const auto values = number_list(rows[static_cast<std::size_t>(row)], 3);
    matrix.row(row) = Vec3(values[0], values[1], values[2]);
  }
  return matrix;
}

std::vector<std::string> images_of(const JsonPlace& camera) {
  const auto one = camera.find("image"), many = camera.find("images");
  if (one.has_value() == many.has_value()) camera.fail("needs either \"image\" or \"images\"");
  if (one) return {one->text()};
  std::vector<std::string> names;
  for (const JsonPlace& name : many->elements()) names.push_back(name.text());
  if (names.empty()) many->fail("is empty");
  return names;
}

int side_px(const JsonPlace& place) {
  const std::int64_t px = place.integer();
  if (px < 1 || px > 1 << 20) place.fail("must be from 1 to 1048576 px, got {}", px);
  return static_cast<int>(px);
}

Camera camera_of(const JsonPlace& place, const std::vector<std::string>& images) {
  place.allow_only(
      {"name", "image", "images", "size", "K", "distortion", "fisheye", "auxiliary", "R", "t_m"});
  Camera camera;
  camera.name =
      place.find("name") ? place.at("name").text() : std::filesystem::path(images.front()).stem().string();
  const auto size = place.at("size").elements();
  if (size.size() != 2) place.at("size").fail("must be [width, height]");
  Intrinsics& inside = camera.intrinsics;
  inside.width_px = side_px(size[0]);
  inside.height_px = side_px(size[1]);
  inside.K = matrix_of(place.at("K"));
  const auto fisheye = place.find("fisheye"), auxiliary = place.find("auxiliary");
  if (fisheye && fisheye->boolean()) {
    inside.lens = LensModel::fisheye;
    inside.distortion = {0, 0, 0, 0};
  }
  if (const auto distortion = place.find("distortion")) inside.distortion = number_list(*distortion, 0);
  if (inside.lens == LensModel::brown_conrady && inside.distortion.size() == 4)
    inside.distortion.push_back(0);  // k1 k2 p1 p2, as OpenCV takes them, too
  camera.is_auxiliary = auxiliary && auxiliary->boolean();
  const auto t_m = number_list(place.at("t_m"), 3);
  camera.camera_from_world = {matrix_of(place.at("R")), {t_m[0], t_m[1], t_m[2]}};
  return camera;
}

WaterInterface water_of(const JsonPlace& place) {
  place.allow_only({"z_m", "n_air", "n_water"});
  WaterInterface water;
  water.water_z_m = place.at("z_m").number();
  if (const auto n_air = place.find("n_air")) water.n_air = n_air->number();
  water.n_water = place.at("n_water").number();
  return water;
}

}  // namespace

NamedImages read_cameras_file(const std::filesystem::path& file) {
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  root.allow_only({"water", "cameras"});
  NamedImages named;
  for (const JsonPlace& place : root.at("cameras").elements()) {
    named.images.push_back(images_of(place));
    named.rig.cameras.push_back(camera_of(place, named.images.back()));
  }
  if (named.rig.cameras.empty()) root.at("cameras").fail("is empty");
  if (const auto water = root.find("water")) set_interface(named.rig, water_of(*water));
  check(named.rig, file.string() + ": ");
  return named;
}

}  // namespace aqbench
