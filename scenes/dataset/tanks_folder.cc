#include "scenes/dataset/tanks_folder.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/images/image_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTrajectoryEnding = "_COLMAP_SfM.log";
constexpr const char* kIntrinsicsFile = "intrinsics.json";

bool is_plain_file(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

std::string scene_of(const fs::path& trajectory) {
  const std::string name = trajectory.filename().string();
  return name.substr(0, name.size() - kTrajectoryEnding.size());
}

// ---- The trajectory ----

CameraFromWorld take_pose(TextLines& lines) {
  Eigen::Matrix4d world_from_camera;
  std::string_view line;
  for (int row = 0; row < 4; ++row) {
    if (!lines.next_content(line)) lines.fail("the file ends inside a matrix");
    for (int column = 0; column < 4; ++column) {
      world_from_camera(row, column) = lines.number(take_word(line), "matrix");
      if (!std::isfinite(world_from_camera(row, column))) lines.fail("matrix: must be finite");
    }
    if (!trim_blanks(line).empty()) lines.fail("matrix: expected 4 numbers");
  }
  if (world_from_camera.row(3) != Eigen::RowVector4d(0, 0, 0, 1)) lines.fail("matrix: must end in 0 0 0 1");
  const Mat3 turn = rotation_near(world_from_camera.topLeftCorner<3, 3>(), 1e-4, lines.name() + ": a matrix");
  return {turn.transpose(), -(turn.transpose() * world_from_camera.topRightCorner<3, 1>())};
}

// nullopt for an image without pose, which the benchmark's own tool marks by -1 as second number.
std::vector<std::optional<CameraFromWorld>> read_poses(const fs::path& trajectory) {
  const std::string bytes = read_text_file(trajectory);
  TextLines lines(bytes, trajectory.string());
  std::vector<std::optional<CameraFromWorld>> poses;
  std::string_view line;
  while (lines.next_content(line)) {
    double head[3];
    for (double& number : head) number = lines.number(take_word(line), "number before a matrix");
    if (!trim_blanks(line).empty()) lines.fail("expected three numbers before a matrix");
    if (head[0] != static_cast<double>(poses.size()))
      lines.fail("expected pose {}, got {}", poses.size(), head[0]);
    const CameraFromWorld pose = take_pose(lines);
    poses.push_back(head[1] == -1 ? std::nullopt : std::optional(pose));
  }
  return poses;
}

// ---- Images and intrinsics ----

std::vector<fs::path> find_photographs(const fs::path& dir, const std::string& scene) {
  for (const fs::path& place : {dir / "images", dir / scene, dir}) {
    std::vector<fs::path> images;
    for (const fs::path& file : files_in(place))
      if (is_image_name(file)) images.push_back(file);
    if (!images.empty()) return images;
  }
  throw Error(ErrorKind::input, fmt::format("{}: no images in images/, {}/ or here", dir.string(), scene),
              dir.string());
}

Intrinsics read_intrinsics(const fs::path& file) {
  if (!is_plain_file(file))
    throw Error(ErrorKind::input,
                file.string() +
                    ": no such file; Tanks and Temples gives no intrinsics: write those of the "
                    "trajectory as Open3D does (width, height, intrinsic_matrix)",
                file.string());
  const Json json = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(json, file.string());
  Intrinsics inside;
  const auto side = [&](const char* key) {
    const std::uint64_t px = root.at(key).count();
    if (px < 1 || px > 1 << 20) root.at(key).fail("must be from 1 to 1048576 px");
    return static_cast<int>(px);
  };
  inside.width_px = side("width");
  inside.height_px = side("height");
  const auto numbers = root.at("intrinsic_matrix").elements();
  if (numbers.size() != 9) root.at("intrinsic_matrix").fail("must be 9 numbers by columns");
  for (int i = 0; i < 9; ++i) inside.K(i % 3, i / 3) = numbers[static_cast<std::size_t>(i)].number();
  return inside;
}

void take_truth(const fs::path& dir, const std::string& scene, LayoutCameras& read) {
  const fs::path cloud = dir / (scene + ".ply"), alignment = dir / (scene + "_trans.txt"),
                 crop = dir / (scene + ".json");
  if (is_plain_file(alignment)) {
    move_cameras(read_similarity(alignment), read.cameras);
    read.files.push_back(alignment);
  }
  if (!is_plain_file(cloud)) return;
  if (!is_plain_file(alignment))
    throw Error(ErrorKind::input,
                fmt::format("{}: no such file; it puts the cameras into the frame of {}", alignment.string(),
                            cloud.filename().string()),
                alignment.string());
  read.truth.surface = read.truth.files = {cloud};
  if (!is_plain_file(crop)) return;
  read.truth.crops = {crop};
  read.truth.files.push_back(crop);
}

}  // namespace

fs::path find_tanks_trajectory(const fs::path& dir) {
  fs::path found;
  for (const fs::path& file : files_in(dir)) {
    if (!file.filename().string().ends_with(kTrajectoryEnding)) continue;
    if (!found.empty()) return {};
    found = file;
  }
  return found;
}

LayoutCameras read_tanks_folder(const fs::path& dir) {
  const fs::path trajectory = find_tanks_trajectory(dir);
  const std::string scene = scene_of(trajectory);
  const auto poses = read_poses(trajectory);
  const std::vector<fs::path> images = find_photographs(dir, scene);
  if (images.size() != poses.size())
    throw Error(ErrorKind::input,
                fmt::format("{}: {} poses, but {} images in {}", trajectory.string(), poses.size(),
                            images.size(), images.front().parent_path().string()),
                trajectory.string());
  LayoutCameras read;
  read.files = {trajectory, dir / kIntrinsicsFile};
  const Intrinsics intrinsics = read_intrinsics(read.files.back());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!poses[i]) continue;
    read.cameras.push_back({camera_name_of(images[i].filename()), intrinsics, *poses[i], false, {}});
    read.images.push_back(images[i]);
  }
  if (read.cameras.empty())
    throw Error(ErrorKind::input, trajectory.string() + ": no image has a pose", trajectory.string());
  take_truth(dir, scene, read);
  return read;
}

}  // namespace aqbench
