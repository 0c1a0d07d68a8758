#include "scenes/dataset/mvsnet_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/text_lines.h"
#include "scenes/images/image_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCamEnding = "_cam.txt";

bool is_regular(const fs::path& path) {
  std::error_code unknown;
  return fs::is_regular_file(path, unknown);
}

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

// ---- NUMBER_cam.txt ----

template <int kSide>
Eigen::Matrix<double, kSide, kSide> take_square(TextLines& lines, std::string_view heading) {
  std::string_view line;
  if (!lines.next_content(line) || line != heading) lines.fail("expected '{}'", heading);
  Eigen::Matrix<double, kSide, kSide> square;
  for (int row = 0; row < kSide; ++row) {
    if (!lines.next_content(line)) lines.fail("{}: the file ends inside the matrix", heading);
    for (int column = 0; column < kSide; ++column) {
      square(row, column) = lines.number(take_word(line), heading);
      if (!std::isfinite(square(row, column))) lines.fail("{}: must be finite", heading);
    }
    if (!trim_blanks(line).empty()) lines.fail("{}: expected {} numbers", heading, kSide);
  }
  return square;
}

// DEPTH_MIN DEPTH_INTERVAL, and in newer files DEPTH_NUM DEPTH_MAX. Nothing here uses them.
void check_range(TextLines& lines) {
  std::string_view line;
  if (!lines.next_content(line)) return;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
    if (!std::isfinite(lines.number(word, "depth range"))) lines.fail("depth range: must be finite");
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

// A file does not say which size of image it is for.
void check_size(const fs::path& file, const Intrinsics& inside) {
  const double x = inside.K(0, 2) / inside.width_px, y = inside.K(1, 2) / inside.height_px;
  if (std::min(x, y) < 0.25 || std::max(x, y) > 0.75)
    throw Error(ErrorKind::input,
                fmt::format("{}: intrinsic: the principal point ({:.6g}, {:.6g}) is far from the middle of "
                            "the {} x {} image; the camera is likely one of another size",
                            file.string(), inside.K(0, 2), inside.K(1, 2), inside.width_px, inside.height_px),
                file.string());
}

fs::path image_of(const fs::path& dir, const std::string& number) {
  for (const char* const folder : {"images", "blended_images"})
    for (const char* const ending : {".jpg", ".png", ".jpeg", ".JPG", ".PNG", ".tif", ".tiff"})
      if (fs::path file = dir / folder / (number + ending); is_regular(file)) return file;
  throw Error(ErrorKind::input,
              fmt::format("{}: no image {} in images/ or blended_images/, but cams/{}{} is there",
                          dir.string(), number, number, kCamEnding),
              dir.string());
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
      if (!std::isfinite(lines.number(take_word(line), "score"))) lines.fail("score: must be finite");
    }
    end_line();
  }
  if (lines.next_content(line)) lines.fail("the file goes on after its last view");
}

// ---- Truth ----

void take_depth_maps(const fs::path& dir, LayoutCameras& read) {
  for (const Camera& camera : read.cameras)
    if (const fs::path file = dir / "rendered_depth_maps" / (camera.name + ".pfm"); is_regular(file))
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
  if (!is_regular(mask)) return;
  read.truth.files.push_back(mask);
  if (is_regular(plane)) read.truth.files.push_back(plane);
}

void take_dtu_scan(const fs::path& dir, LayoutCameras& read) {
  const std::string number = number_of_scan(dir);
  if (number.empty()) return;
  const std::string scan = fmt::format("stl{:0>3}_total.ply", number);
  for (const fs::path& place : {dir, dir / "..", dir / ".." / ".."})
    for (const fs::path& below : {fs::path("."), fs::path("SampleSet") / "MVS Data", fs::path("MVS Data")}) {
      const fs::path file = (place / below / "Points" / "stl" / scan).lexically_normal();
      if (!is_regular(file)) continue;
      read.truth.surface = read.truth.files = {file};
      read.truth.unit = "mm";
      take_observed(file.parent_path().parent_path().parent_path() / "ObsMask", number_of_scan(dir), read);
      for (Camera& camera : read.cameras) camera.camera_from_world.translation_m *= 1e-3;
      return;
    }
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
    check_size(file, camera.intrinsics);
    read.files.push_back(file);
    read.cameras.push_back(std::move(camera));
    views.insert(number.size() < 19 ? std::stoull(number) : 0);
  }
  for (const fs::path& file : {dir / "pair.txt", dir / "cams" / "pair.txt"})
    if (is_regular(file)) {
      check_pairs(file, views);
      read.files.push_back(file);
    }
  take_depth_maps(dir, read);
  take_dtu_scan(dir, read);
  return read;
}

}  // namespace aqbench
