#include "scenes/cloud/camera_poses.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/colmap.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/cloud/transform.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

std::vector<OwnCamera> transforms_poses(std::string_view text, const std::string& name) {
  const Json json = parse_strict_json(text, name);
  std::vector<OwnCamera> cameras;
  for (const JsonPlace& frame : JsonPlace(json, name).at("frames").elements())
    cameras.push_back(pose_of_frame(frame));
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
    for (double& number : numbers) number = lines.finite(take_word(line), "pose");
    if (!take_word(line).empty()) lines.fail("expected NAME TX TY TZ QX QY QZ QW");
    const Eigen::Quaterniond turn(numbers[6], numbers[3], numbers[4], numbers[5]);
    if (!(turn.norm() > 0)) lines.fail("pose: the quaternion is zero");
    camera.own_from_camera = turn.normalized().toRotationMatrix();
    camera.centre = {numbers[0], numbers[1], numbers[2]};
    cameras.push_back(std::move(camera));
  }
  return cameras;
}

// The first line that is no comment.
std::string_view first_content(std::string_view bytes, const std::string& name) {
  std::string_view line;
  TextLines(bytes, name).next_content(line);
  return line;
}

std::vector<OwnCamera> read_poses(const fs::path& file) {
  if (lower_case(file.extension().string()) == ".bin") return read_colmap_poses(file);
  const std::string text = read_text_file(file);
  if (const std::size_t start = text.find_first_not_of(" \t\r\n"); start != text.npos && text[start] == '{')
    return transforms_poses(text, file.string());
  return is_colmap_image_line(first_content(text, file.string())) ? read_colmap_poses(file)
                                                                  : tum_poses(text, file.string());
}

// Reads the cameras of a file or of the COLMAP model in a folder; refuses none, and a name that comes twice.
template <class Camera>
std::vector<Camera> read_each_once(const fs::path& path, std::vector<Camera> (*read)(const fs::path& file)) {
  const fs::path file = folder_exists(path) ? colmap_images_file(path) : path;
  std::vector<Camera> cameras = read(file);
  if (cameras.empty()) throw input_error("{}: no cameras", file.string());
  std::set<std::string_view> names;
  for (const Camera& camera : cameras)
    if (!names.insert(camera.name).second)
      throw input_error("{}: camera '{}' comes twice", file.string(), escape_bytes(camera.name));
  return cameras;
}

// ---- Centres ----

constexpr std::string_view kCentreForms =
    "is not a camera in a known format: NAME X Y Z, TIME TX TY TZ QX QY QZ QW, or COLMAP's images.txt";

bool is_number(std::string_view word) { return parse_double(word).has_value(); }

// ---- COLMAP ----

std::vector<CameraCentre> colmap_centres(const fs::path& file) {
  std::vector<CameraCentre> centres;
  for (const OwnCamera& camera : read_colmap_poses(file)) centres.push_back({camera.name, camera.centre});
  return centres;
}

// ---- One camera a line ----

// Takes the last number off a line, and the separator before it.
std::optional<std::string_view> take_last(std::string_view& line, char separator) {
  const std::size_t before = separator == ',' ? line.rfind(',') : line.find_last_of(" \t");
  if (before == std::string_view::npos) return std::nullopt;
  const std::string_view word = trim_blanks(line.substr(before + 1));
  line = trim_blanks(line.substr(0, before));
  return is_number(word) ? std::optional(word) : std::nullopt;
}

// What is left of "NAME X Y Z" for the name, and the words of the numbers; nullopt for another line.
std::optional<std::pair<std::string_view, std::array<std::string_view, 3>>> split_name(std::string_view line,
                                                                                       char separator) {
  std::array<std::string_view, 3> numbers;
  for (std::size_t axis = 3; axis-- > 0;) {
    const auto number = take_last(line, separator);
    if (!number) return std::nullopt;
    numbers[axis] = *number;
  }
  if (line.empty()) return std::nullopt;
  return std::pair(line, numbers);
}

// A name in quotation marks says where it ends. Without them a name of several words that ends in a number
// may be a shorter name and a coordinate.
std::string name_of(const TextLines& lines, std::string_view text, char separator) {
  if (text.size() > 1 && text.front() == '"' && text.back() == '"')
    return std::string(text.substr(1, text.size() - 2));
  const std::size_t last = separator == ',' ? text.rfind(',') : text.find_last_of(" \t");
  if (last != std::string_view::npos && is_number(trim_blanks(text.substr(last + 1))))
    lines.fail("'{}' may be a name or a name and a number: put names in quotation marks", text);
  return std::string(text);
}

class CentresReader {
 public:
  CentresReader(std::string_view bytes, const std::string& name) : lines_(bytes, name) {}

  std::vector<CameraCentre> read() {
    std::string_view line;
    while (lines_.next_content(line)) {
      const auto words = split_columns(line);
      if (words.size() == 3 && line.find(',') == std::string_view::npos)
        add_logged(words[0], words[1] != "-1");
      else if (words.size() == 8 && std::ranges::all_of(words, is_number))
        centres_.push_back({std::string(words[0]),
                            {lines_.finite(words[1], "camera"), lines_.finite(words[2], "camera"),
                             lines_.finite(words[3], "camera")}});
      else
        add_named(line);
    }
    return std::move(centres_);
  }

 private:
  // A camera that was not registered has -1 as its second number, and a matrix that means nothing.
  void add_logged(std::string_view name, bool is_registered) {
    Vec3 centre;
    std::string_view line;
    for (int row = 0; row < 4; ++row) {
      if (!lines_.next_content(line)) lines_.fail("camera: the file ends inside a matrix");
      const auto words = split_words(line);
      if (words.size() != 4 || !std::ranges::all_of(words, is_number))
        lines_.fail("camera: expected a row of 4 numbers");
      if (row < 3) centre[row] = lines_.finite(words[3], "camera");
    }
    if (is_registered) centres_.push_back({std::string(name), centre});
  }

  void add_named(std::string_view line) {
    char separator = ',';
    auto parts = split_name(line, separator);
    if (!parts) parts = split_name(line, separator = ' ');
    if (!parts) lines_.fail(kCentreForms);
    Vec3 centre;
    for (int axis = 0; axis < 3; ++axis)
      centre[axis] = lines_.finite(parts->second[static_cast<std::size_t>(axis)], "camera");
    centres_.push_back({name_of(lines_, parts->first, separator), centre});
  }

  TextLines lines_;
  std::vector<CameraCentre> centres_;
};

std::vector<CameraCentre> read_centres(const fs::path& path) {
  if (lower_case(path.extension().string()) == ".bin") return colmap_centres(path);
  const std::string bytes = read_text_file(path);
  if (is_colmap_image_line(first_content(bytes, path.string()))) return colmap_centres(path);
  return CentresReader(bytes, path.string()).read();
}

}  // namespace

fs::path colmap_images_file(const fs::path& dir) {
  for (const char* const place : kColmapPlaces)
    for (const char* const name : {"images.bin", "images.txt"})
      if (fs::path file = dir / place / name; is_file(file)) return file;
  throw input_error(
      "{}: holds no images.bin and no images.txt of COLMAP, there or in sparse/0, sparse or colmap",
      dir.string());
}

OwnCamera pose_of_frame(const JsonPlace& frame) {
  const JsonPlace place = frame.at("transform_matrix");
  Eigen::Matrix4d world_from_camera = Eigen::Matrix4d::Identity();
  if (place.value().size() == 3)
    world_from_camera.topRows<3>() = matrix_at<3, 4>(place);
  else
    world_from_camera = matrix_at<4, 4>(place);
  if (world_from_camera.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) place.fail("must end in the row 0 0 0 1");
  const auto rotation = nearest_rotation(world_from_camera.topLeftCorner<3, 3>(), 1e-4);
  if (!rotation) place.fail("is not a rotation");
  OwnCamera camera{frame.at("file_path").text(), *rotation, world_from_camera.topRightCorner<3, 1>()};
  camera.own_from_camera.rightCols<2>() *= -1;  // from OpenGL's axes to x right, y down, z forwards
  return camera;
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

std::vector<OwnCamera> read_camera_poses(const fs::path& path) { return read_each_once(path, read_poses); }

std::vector<CameraCentre> read_camera_centres(const fs::path& path) {
  return read_each_once(path, read_centres);
}

}  // namespace aqbench
