#include "scenes/dataset/colmap_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

struct ColmapLens {
  int id;
  const char* name;
  std::size_t parameters;
};

constexpr ColmapLens kLenses[] = {{0, "SIMPLE_PINHOLE", 3},
                                  {1, "PINHOLE", 4},
                                  {2, "SIMPLE_RADIAL", 4},
                                  {3, "RADIAL", 5},
                                  {4, "OPENCV", 8},
                                  {5, "OPENCV_FISHEYE", 8},
                                  {6, "FULL_OPENCV", 12},
                                  {7, "FOV", 5},
                                  {8, "SIMPLE_RADIAL_FISHEYE", 4},
                                  {9, "RADIAL_FISHEYE", 5},
                                  {10, "THIN_PRISM_FISHEYE", 12},
                                  {11, "RAD_TAN_THIN_PRISM_FISHEYE", 16},
                                  {12, "SIMPLE_DIVISION", 4},
                                  {13, "DIVISION", 5},
                                  {14, "SIMPLE_FISHEYE", 3},
                                  {15, "FISHEYE", 4}};

[[noreturn]] void refuse_colmap(const std::string& where, const std::string& why) {
  throw input_error("{}: {}", where, why);
}

void read_binary_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapBinary in(file);
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    const auto id = in.next<std::uint32_t>();
    const auto lens_id = in.next<std::int32_t>();
    const auto* const lens = std::ranges::find(kLenses, lens_id, &ColmapLens::id);
    if (lens == std::end(kLenses)) in.fail(fmt::format("camera {}: unknown lens model {}", id, lens_id));
    ColmapCamera camera{lens->name, in.next<std::uint64_t>(), 0, {}};
    camera.height_px = in.next<std::uint64_t>();
    for (std::size_t i = 0; i < lens->parameters; ++i) camera.parameters.push_back(in.number());
    if (!model.cameras.emplace(id, std::move(camera)).second)
      in.fail(fmt::format("camera {} comes twice", id));
  }
  in.finish();
}

void read_text_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapText in(file, "cameras");
  std::size_t cameras = 0;
  for (std::string_view line; in.next(line); ++cameras) {
    std::vector<std::string_view> words;
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line))
      words.push_back(word);
    if (words.size() < 4) in.lines().fail("expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS");
    const auto* const lens =
        std::ranges::find(kLenses, words[1], [](const ColmapLens& l) { return std::string_view(l.name); });
    if (lens == std::end(kLenses))
      in.lines().fail(fmt::format("unknown lens model '{}'", words[1].substr(0, 40)));
    if (words.size() != 4 + lens->parameters)
      in.lines().fail(
          fmt::format("{} needs {} parameters, got {}", lens->name, lens->parameters, words.size() - 4));
    ColmapCamera camera{
        lens->name, in.lines().count(words[2], "WIDTH"), in.lines().count(words[3], "HEIGHT"), {}};
    for (std::size_t i = 4; i < words.size(); ++i) camera.parameters.push_back(in.number(words[i]));
    if (!model.cameras.emplace(in.id(words[0], "CAMERA_ID"), std::move(camera)).second)
      in.lines().fail(fmt::format("camera {} comes twice", words[0]));
  }
  in.check_count(cameras);
}

void read_images(const std::filesystem::path& file, ColmapModel& model) {
  model.images = read_colmap_images(file);
}

void read_points(const std::filesystem::path& file, ColmapModel& model) {
  model.points = read_colmap_points(file).points_m;
}

bool is_file(const std::filesystem::path& path) {
  std::error_code error;
  return std::filesystem::is_regular_file(path, error);
}

using ColmapPart = void (*)(const std::filesystem::path&, ColmapModel&);

void read_part(const char* name, ColmapPart binary, ColmapPart text, bool is_optional, ColmapModel& model) {
  for (const auto& [ending, read] : {std::pair(".bin", binary), {".txt", text}}) {
    const std::filesystem::path file = model.dir / (std::string(name) + ending);
    if (!is_file(file)) continue;
    read(file, model);
    model.files.push_back(file);
    return;
  }
  if (!is_optional) refuse_colmap((model.dir / name).string(), "no such .bin or .txt file");
}

}  // namespace

std::filesystem::path find_colmap_model(const std::filesystem::path& dataset_dir) {
  for (const char* const place : kColmapPlaces) {
    const std::filesystem::path dir = *place == '\0' ? dataset_dir : dataset_dir / place;
    if ((is_file(dir / "cameras.bin") || is_file(dir / "cameras.txt")) &&
        (is_file(dir / "images.bin") || is_file(dir / "images.txt")))
      return dir;
  }
  return {};
}

ColmapModel read_colmap_model(const std::filesystem::path& model_dir) {
  ColmapModel model;
  model.dir = model_dir;
  read_part("cameras", read_binary_cameras, read_text_cameras, false, model);
  read_part("images", read_images, read_images, false, model);
  read_part("points3D", read_points, read_points, true, model);
  std::ranges::sort(model.images, {}, &ColmapImage::name);
  for (const ColmapImage& image : model.images) {
    const std::string where = fmt::format("{}: image '{}'", model_dir.string(), escape_bytes(image.name));
    if (!model.cameras.contains(image.camera_id))
      refuse_colmap(where, fmt::format("camera {} is missing in the model", image.camera_id));
    double norm2 = 0;
    for (const double value : image.quaternion_wxyz) norm2 += value * value;
    if (std::abs(norm2 - 1) > 1e-3) refuse_colmap(where, "its quaternion does not have length 1");
  }
  if (model.images.empty()) refuse_colmap(model_dir.string(), "the model has no image");
  return model;
}

}  // namespace aqbench
