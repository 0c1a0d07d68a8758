#include "scenes/cloud/camera_poses.h"

#include <Eigen/Geometry>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/colmap.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// Returns the nearest rotation, which mends the digits that a text lost; refuses what is none within 1e-4.
Eigen::Matrix3d rotation_of(const Eigen::Matrix3d& linear, const JsonPlace& place) {
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(linear, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d rotation = svd.matrixU() * svd.matrixV().transpose();
  if (!linear.allFinite() || (linear - rotation).cwiseAbs().maxCoeff() > 1e-4 || rotation.determinant() < 0)
    place.fail("its 3x3 part is not a rotation");
  return rotation;
}

OwnCamera read_frame(const JsonPlace& place) {
  OwnCamera camera;
  camera.name = place.at("file_path").text();
  const JsonPlace matrix = place.at("transform_matrix");
  const auto rows = matrix.elements();
  if (rows.size() != 4 && rows.size() != 3) matrix.fail("expected 4 rows of 4 numbers");
  Eigen::Matrix<double, 3, 4> world_from_camera;
  for (std::size_t row = 0; row < 3; ++row) {
    const auto numbers = rows[row].elements();
    if (numbers.size() != 4) rows[row].fail("expected 4 numbers");
    for (std::size_t column = 0; column < 4; ++column)
      world_from_camera(static_cast<int>(row), static_cast<int>(column)) = numbers[column].number();
  }
  camera.own_from_camera = rotation_of(world_from_camera.leftCols<3>(), matrix);
  camera.own_from_camera.rightCols<2>() *= -1;  // from OpenGL's axes to x right, y down, z forwards
  camera.centre = world_from_camera.col(3);
  return camera;
}

std::vector<OwnCamera> transforms_poses(std::string_view text, const std::string& name) {
  const Json json = parse_strict_json(text, name);
  std::vector<OwnCamera> cameras;
  for (const JsonPlace& frame : JsonPlace(json, name).at("frames").elements())
    cameras.push_back(read_frame(frame));
  return cameras;
}

std::vector<OwnCamera> tum_poses(std::string_view text, const std::string& name) {
  TextLines lines(text, name);
  std::vector<OwnCamera> cameras;
  std::string_view line;
  while (lines.next_content(line)) {
    OwnCamera camera;
    camera.name = std::string(take_word(line));
    std::array<double, 7> numbers{};
    for (double& number : numbers) {
      number = lines.number(take_word(line), "pose");
      if (!std::isfinite(number)) lines.fail("pose: a number is not finite");
    }
    if (!take_word(line).empty()) lines.fail("expected NAME TX TY TZ QX QY QZ QW");
    const Eigen::Quaterniond turn(numbers[6], numbers[3], numbers[4], numbers[5]);
    if (!(turn.norm() > 0)) lines.fail("pose: the quaternion is zero");
    camera.own_from_camera = turn.normalized().toRotationMatrix();
    camera.centre = {numbers[0], numbers[1], numbers[2]};
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

std::vector<OwnCamera> read_poses(const fs::path& file) {
  if (lower_case(file.extension().string()) == ".bin") return read_colmap_poses(file);
  const std::string text = read_text_file(file);
  if (const std::size_t start = text.find_first_not_of(" \t\r\n"); start != text.npos && text[start] == '{')
    return transforms_poses(text, file.string());
  std::string_view line;
  TextLines(text, file.string()).next_content(line);
  return is_colmap_image_line(line) ? read_colmap_poses(file) : tum_poses(text, file.string());
}

}  // namespace

fs::path colmap_images_file(const fs::path& dir) {
  std::error_code error;
  for (const char* const place : kColmapPlaces)
    for (const char* const name : {"images.bin", "images.txt"})
      if (fs::path file = dir / place / name; fs::is_regular_file(file, error)) return file;
  throw Error(ErrorKind::input,
              dir.string() +
                  ": holds no images.bin and no images.txt of COLMAP, there or in sparse/0, sparse "
                  "or colmap");
}

std::vector<OwnCamera> read_colmap_poses(const fs::path& file) {
  std::vector<OwnCamera> cameras;
  for (const ColmapImage& image : read_colmap_images(file)) {
    const auto& [w, x, y, z] = image.quaternion_wxyz;
    const Eigen::Quaterniond rotation(w, x, y, z);
    if (!(rotation.norm() > 0))
      throw input_error("{}: image '{}': the quaternion is zero", file.string(), escape_bytes(image.name));
    const Vec3 t(image.translation[0], image.translation[1], image.translation[2]);
    const Eigen::Quaterniond back = rotation.normalized().conjugate();
    cameras.push_back({image.name, back.toRotationMatrix(), -(back * t), {}});
  }
  return cameras;
}

std::vector<OwnCamera> read_camera_poses(const fs::path& path) {
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? colmap_images_file(path) : path;
  std::vector<OwnCamera> cameras = read_poses(file);
  if (cameras.empty()) throw Error(ErrorKind::input, file.string() + ": no cameras");
  std::set<std::string_view> names;
  for (const OwnCamera& camera : cameras)
    if (!names.insert(camera.name).second)
      throw input_error("{}: camera '{}' comes twice", file.string(), escape_bytes(camera.name));
  return cameras;
}

}  // namespace aqbench
