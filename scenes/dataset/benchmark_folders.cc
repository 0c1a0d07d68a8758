#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/json_matrices.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/dataset/layouts.h"
#include "scenes/images/image_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kCamEnding = "_cam.txt";

// The files of the cameras, by the number in their name as it is written.
std::vector<std::pair<std::string, fs::path>> cam_files(const fs::path& dir) {
  std::vector<std::pair<std::string, fs::path>> files;
  for (const fs::path& file : files_in(dir / "cams")) {
    std::string number = file.filename().string();
    if (!number.ends_with(kCamEnding)) continue;
    number.resize(number.size() - kCamEnding.size());
    if (!number.empty() && number.find_first_not_of("0123456789") == std::string::npos)
      files.emplace_back(number, file);
  }
  return files;
}

// Takes the rows of a square matrix, which errors call `what`; `cut` is the error of a file that ends in it.
template <int kSide>
Eigen::Matrix<double, kSide, kSide> take_rows(TextLines& lines, std::string_view what, std::string_view cut) {
  Eigen::Matrix<double, kSide, kSide> square;
  std::string_view line;
  for (int row = 0; row < kSide; ++row) {
    if (!lines.next_content(line)) lines.fail(cut);
    for (int column = 0; column < kSide; ++column) square(row, column) = lines.finite(take_word(line), what);
    if (!trim_blanks(line).empty()) lines.fail("{}: expected {} numbers", what, kSide);
  }
  return square;
}

// ---- NUMBER_cam.txt ----

template <int kSide>
Eigen::Matrix<double, kSide, kSide> take_square(TextLines& lines, std::string_view heading) {
  std::string_view line;
  if (!lines.next_content(line) || line != heading) lines.fail("expected '{}'", heading);
  return take_rows<kSide>(lines, heading, fmt::format("{}: the file ends inside the matrix", heading));
}

// DEPTH_MIN DEPTH_INTERVAL, and in newer files DEPTH_NUM DEPTH_MAX. Nothing here uses them.
void check_range(TextLines& lines) {
  std::string_view line;
  if (!lines.next_content(line)) return;
  while (!trim_blanks(line).empty()) lines.finite(take_word(line), "depth range");
  if (lines.next_content(line)) lines.fail("the file goes on after the depth range");
}

void read_cam_file(const fs::path& file, Camera& camera) {
  const std::string bytes = read_text_file(file);
  TextLines lines(bytes, file.string());
  const Eigen::Matrix4d camera_from_world = take_square<4>(lines, "extrinsic");
  if (camera_from_world.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    lines.fail("extrinsic: must end in the row 0 0 0 1");
  camera.camera_from_world = {
      rotation_near(camera_from_world.topLeftCorner<3, 3>(), 1e-4, file.string() + ": extrinsic"),
      camera_from_world.topRightCorner<3, 1>()};
  camera.intrinsics.K = take_square<3>(lines, "intrinsic");
  check_range(lines);
}

fs::path image_of(const fs::path& dir, const std::string& number) {
  for (const char* const folder : {"images", "blended_images"})
    for (const char* const ending : {".jpg", ".png", ".jpeg", ".JPG", ".PNG", ".tif", ".tiff"})
      if (fs::path file = dir / folder / (number + ending); is_file(file)) return file;
  throw input_error.of_file(dir, "no image {} in images/ or blended_images/, but cams/{}{} is there", number,
                            number, kCamEnding);
}

// ---- pair.txt ----

// Checks that its views are those of the cameras: "COUNT", then a line with a view and a line with its
// sources, "COUNT VIEW SCORE VIEW SCORE ...".
void check_pairs(const fs::path& file, const std::set<std::uint64_t>& views) {
  const std::string bytes = read_text_file(file);
  TextLines lines(bytes, file.string());
  std::string_view line;
  const auto next = [&] {
    if (!lines.next_content(line)) lines.fail("the file ends before its last view");
  };
  const auto view = [&] {
    const std::uint64_t number = lines.count(take_word(line), "view");
    if (!views.contains(number)) lines.fail("view {}: no such file in cams/", number);
  };
  const auto end_line = [&] {
    if (!trim_blanks(line).empty()) lines.fail("the line goes on after its last number");
  };
  next();
  std::uint64_t left = lines.count(take_word(line), "number of views");
  for (end_line(); left > 0; --left) {
    next();
    view();
    end_line();
    next();
    for (std::uint64_t sources = lines.count(take_word(line), "number of sources"); sources > 0; --sources) {
      view();
      lines.finite(take_word(line), "score");
    }
    end_line();
  }
  if (lines.next_content(line)) lines.fail("the file goes on after its last view");
}

// ---- Truth ----

void take_depth_maps(const fs::path& dir, LayoutCameras& read) {
  for (const Camera& camera : read.cameras)
    if (const fs::path file = dir / "rendered_depth_maps" / (camera.name + ".pfm"); is_file(file))
      read.truth.files.push_back(file);
  read.truth.depths_are_surface = !read.truth.files.empty();
}

// Of "scan12" the number 12; empty for another name.
std::string number_of_scan(const fs::path& dir) {
  std::string name = lower_case(fs::absolute(dir / ".").lexically_normal().parent_path().filename().string());
  if (!name.starts_with("scan") || name.size() < 5 || name.size() > 7) return {};
  name.erase(0, 4);
  return name.find_first_not_of("0123456789") == std::string::npos ? name : "";
}

// What the scanner observed, beside the scans' folder Points: the protocol `dtu` looks at it.
void take_observed(const fs::path& folder, const std::string& number, LayoutCameras& read) {
  const fs::path mask = folder / fmt::format("ObsMask{}_10.mat", number),
                 plane = folder / fmt::format("Plane{}.mat", number);
  if (!is_file(mask)) return;
  read.truth.files.push_back(mask);
  if (is_file(plane)) read.truth.files.push_back(plane);
}

void take_dtu_scan(const fs::path& dir, LayoutCameras& read) {
  const std::string number = number_of_scan(dir);
  if (number.empty()) return;
  const std::string scan = fmt::format("stl{:0>3}_total.ply", number);
  for (const fs::path& place : {dir, dir / "..", dir / ".." / ".."})
    for (const fs::path& below : {fs::path("."), fs::path("SampleSet") / "MVS Data", fs::path("MVS Data")}) {
      const fs::path file = (place / below / "Points" / "stl" / scan).lexically_normal();
      if (!is_file(file)) continue;
      read.truth.surface = read.truth.files = {file};
      read.truth.unit = "mm";
      take_observed(file.parent_path().parent_path().parent_path() / "ObsMask", number_of_scan(dir), read);
      for (Camera& camera : read.cameras) camera.camera_from_world.translation_m *= 1e-3;
      return;
    }
}

constexpr std::string_view kTrajectoryEnding = "_COLMAP_SfM.log";
constexpr const char* kIntrinsicsFile = "intrinsics.json";

std::string scene_of(const fs::path& trajectory) {
  const std::string name = trajectory.filename().string();
  return name.substr(0, name.size() - kTrajectoryEnding.size());
}

// ---- The trajectory ----

CameraFromWorld take_pose(TextLines& lines) {
  const Eigen::Matrix4d world_from_camera = take_rows<4>(lines, "matrix", "the file ends inside a matrix");
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
    if (head[1] == -1) {
      for (int row = 0; row < 4; ++row)  // whatever it holds
        if (!lines.next_content(line)) lines.fail("the file ends inside a matrix");
      poses.emplace_back(std::nullopt);
    } else {
      poses.emplace_back(take_pose(lines));
    }
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
  throw input_error.of_file(dir, "no images in images/, {}/ or here", scene);
}

Intrinsics read_intrinsics(const fs::path& file) {
  if (!is_file(file))
    throw input_error.of_file(file,
                              "no such file; Tanks and Temples gives no intrinsics: write those of the "
                              "trajectory as Open3D does (width, height, intrinsic_matrix)");
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
  inside.K = Mat3(numbers_at(root.at("intrinsic_matrix"), 9).data());  // by columns
  return inside;
}

void take_truth(const fs::path& dir, const std::string& scene, LayoutCameras& read) {
  const fs::path cloud = dir / (scene + ".ply"), alignment = dir / (scene + "_trans.txt"),
                 crop = dir / (scene + ".json");
  if (is_file(alignment)) {
    move_cameras(read_similarity(alignment), read.cameras);
    read.files.push_back(alignment);
  }
  if (!is_file(cloud)) return;
  if (!is_file(alignment))
    throw input_error.of_file(alignment, "no such file; it puts the cameras into the frame of {}",
                              cloud.filename().string());
  read.truth.surface = read.truth.files = {cloud};
  if (!is_file(crop)) return;
  read.truth.crops = {crop};
  read.truth.files.push_back(crop);
}

}  // namespace

bool is_mvsnet_folder(const fs::path& dir) { return !cam_files(dir).empty(); }

LayoutCameras read_mvsnet_folder(const fs::path& dir) {
  LayoutCameras read;
  std::set<std::uint64_t> views;
  for (const auto& [number, file] : cam_files(dir)) {
    Camera camera;
    camera.name = number;
    read_cam_file(file, camera);
    read.images.push_back(image_of(dir, number));
    take_size(read.images.back(), camera.intrinsics);
    check_principal_point(camera.intrinsics, file, "the camera is likely one of another size");
    read.files.push_back(file);
    read.cameras.push_back(std::move(camera));
    views.insert(number.size() < 19 ? std::stoull(number) : 0);
  }
  for (const fs::path& file : {dir / "pair.txt", dir / "cams" / "pair.txt"})
    if (is_file(file)) {
      check_pairs(file, views);
      read.files.push_back(file);
    }
  take_depth_maps(dir, read);
  take_dtu_scan(dir, read);
  return read;
}

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
    throw input_error.of_file(trajectory, "{} poses, but {} images in {}", poses.size(), images.size(),
                              images.front().parent_path().string());
  LayoutCameras read;
  read.files = {trajectory, dir / kIntrinsicsFile};
  const Intrinsics intrinsics = read_intrinsics(read.files.back());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    if (!poses[i]) continue;
    read.cameras.push_back({camera_name_of(images[i].filename()), intrinsics, *poses[i], false, {}});
    read.images.push_back(images[i]);
  }
  if (read.cameras.empty()) throw input_error.of_file(trajectory, "no image has a pose");
  take_truth(dir, scene, read);
  return read;
}

}  // namespace aqbench
