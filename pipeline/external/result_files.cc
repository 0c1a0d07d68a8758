#include "pipeline/external/external.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/optics/distortion.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxMapSide = 1 << 16;
constexpr std::string_view kConfidence = "_confidence";
constexpr std::string_view kGeometric = ".geometric.bin", kPhotometric = ".photometric.bin";

[[noreturn]] void refuse_map(const fs::path& file, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", file.string(), why), file.string());
}

DepthMap map_of(const fs::path& file, NpyArray array) {
  auto* const depths = std::get_if<std::vector<float>>(&array.values);
  if (depths == nullptr || array.shape.size() != 2 || array.shape[0] > kMaxMapSide ||
      array.shape[1] > kMaxMapSide)
    refuse_map(file, "not a depth map (float32, height x width)");
  return {{}, static_cast<int>(array.shape[1]), static_cast<int>(array.shape[0]), std::move(*depths), {}};
}

// What was found while the maps were read.
struct FoundInMaps {
  std::size_t far_values = 0;
  std::set<std::string> channels;  // of OpenEXR files
};

DepthMap read_any_map(const fs::path& file, const ResultDepths& depths, FoundInMaps& found) {
  DepthImage image = read_depth_image(file);
  found.far_values += image.far_values;
  if (!image.channel.empty()) found.channels.insert(escape_bytes(image.channel));
  if (image.counts != (depths.metres_per_count > 0))
    refuse_map(file, image.counts ? "holds counts: declare \"metres_per_count\""
                                  : "holds lengths, but \"metres_per_count\" is declared");
  for (float& depth : image.values) {
    if (image.counts) depth = static_cast<float>(depths.metres_per_count * static_cast<double>(depth));
    if (!(depth > 0) || !std::isfinite(depth)) depth = std::numeric_limits<float>::quiet_NaN();
  }
  return {{}, image.width, image.height, std::move(image.values), {}};
}

// The name of the camera that a file belongs to; nullopt for a file that is no depth map.
std::optional<std::string> camera_in_name(const fs::path& file) {
  std::string name = file.filename().string();
  for (const std::string_view ending : {kGeometric, kPhotometric})
    if (name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
      return is_image_name(name) ? fs::path(name).stem().string() : name;
    }
  constexpr std::string_view kEndings[] = {".npy", ".pfm", ".exr", ".png", ".tif", ".tiff", ".bin"};
  const std::string stem = file.stem().string();
  if (std::ranges::find(kEndings, lower_case(file.extension().string())) == std::end(kEndings) ||
      stem.ends_with(kConfidence))
    return std::nullopt;
  return stem;
}

// The camera of a name, where they are known.
const Camera* camera_of(const fs::path& file, const std::string& name, const ResultDepths& depths) {
  if (depths.cameras.empty()) return nullptr;
  if (depths.numbered) {
    const auto place = parse_whole<std::size_t>(name);
    if (place && *place < depths.cameras.size()) return &depths.cameras[*place];
  } else if (const auto found = std::ranges::find(depths.cameras, name, &Camera::name);
             found != depths.cameras.end()) {
    return &*found;
  }
  refuse_map(file, fmt::format("the dataset has no camera '{}'", name));
}

void make_along_ray(const fs::path& file, const Camera& camera, DepthMap& map) {
  const Intrinsics& inside = camera.intrinsics;
  if (map.width != inside.width_px || map.height != inside.height_px)
    refuse_map(file, fmt::format("{} rows x {} columns, but camera {} has {} x {}", map.height, map.width,
                                 camera.name, inside.height_px, inside.width_px));
  make_along_rays(inside, map.depth_along_ray_m);
}

void take_confidence(const fs::path& file, DepthMap& map) {
  const fs::path beside = file.parent_path() / (file.stem().string() + std::string(kConfidence) + ".npy");
  if (!path_exists(beside)) return;
  DepthMap confidence = map_of(beside, read_npy(beside));
  if (confidence.width != map.width || confidence.height != map.height)
    refuse_map(beside, "its size differs from the depth map's");
  map.confidence = std::move(confidence.depth_along_ray_m);
}

DepthMap read_result_map(const fs::path& file, const std::string& name, const ResultDepths& depths,
                         FoundInMaps& found) {
  std::optional<NpyArray> array;
  if (file.extension() == ".npy") array = read_npy(file);
  const bool as_it_is =
      array && !array->is_whole && std::holds_alternative<std::vector<float>>(array->values);
  DepthMap map = as_it_is ? map_of(file, *std::move(array)) : read_any_map(file, depths, found);
  if (as_it_is) found.far_values += drop_far_values(map.depth_along_ray_m, false);
  const Camera* const camera = camera_of(file, name, depths);
  map.camera = camera == nullptr ? name : camera->name;
  if (depths.along_z && camera != nullptr) make_along_ray(file, *camera, map);
  take_confidence(file, map);
  return map;
}

// The camera of that name; nullptr if it has no pose.
OwnCamera* camera_called(const std::string& name, std::vector<OwnCamera>& cameras) {
  const auto camera = std::ranges::find(cameras, name, &OwnCamera::name);
  return camera == cameras.end() ? nullptr : &*camera;
}

void check_intrinsics(const OwnCamera& camera, const std::string& file) {
  if (const auto& found = camera.intrinsics;
      found && !(found->fx_px > 0 && found->fy_px > 0 && found->width_px >= 1 && found->height_px >= 1))
    throw input_error("{}: camera '{}': focal length and size must be positive", file,
                      escape_bytes(camera.name));
}

void read_of_colmap(const fs::path& dir, std::vector<OwnCamera>& cameras) {
  if (find_colmap_model(dir) != dir) return;  // images without cameras
  const ColmapModel model = read_colmap_model(dir);
  for (const ColmapImage& image : model.images)
    if (OwnCamera* const camera = camera_called(image.name, cameras)) {
      take_colmap_intrinsics(model.cameras.at(image.camera_id), *camera);
      check_intrinsics(*camera, model.files.front().string());
    }
}

// nullopt unless focal length and size are there. The principal point is the middle if it is not.
std::optional<OwnIntrinsics> intrinsics_of_frame(const JsonPlace& frame, const JsonPlace& root) {
  const auto number = [&](std::string_view key) -> std::optional<double> {
    auto found = frame.find(key);
    if (!found) found = root.find(key);
    return found ? std::optional(found->number()) : std::nullopt;
  };
  const auto width = number("w"), height = number("h");
  if (!width || !height) return std::nullopt;
  const auto focal = focal_lengths_at(frame, root, *width, *height);
  if (!focal) return std::nullopt;
  return OwnIntrinsics{focal->x(),
                       focal->y(),
                       number("cx").value_or(0.5 * *width) - 0.5,
                       number("cy").value_or(0.5 * *height) - 0.5,
                       *width,
                       *height};
}

}  // namespace

Reconstruction read_result(const fs::path& file, const std::string& name) {
  if (!path_exists(file)) throw method_error("the command wrote no {} to its output folder", name);
  GeometryFile read = read_geometry_file(file);
  return {std::move(read.cloud), std::move(read.mesh), {}};
}

void read_result_maps(const fs::path& folder, const ResultDepths& depths, Reconstruction& output) {
  const std::string name = folder.filename().string();
  if (!folder_exists(folder)) throw method_error("the command created no folder {} for depth maps", name);
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) all.push_back(entry.path());
  std::ranges::sort(all);
  std::vector<std::pair<std::string, fs::path>> files;  // by camera
  for (const fs::path& file : all) {
    const auto camera = camera_in_name(file);
    if (!camera) continue;
    const auto known = std::ranges::find(files, *camera, [](const auto& one) { return one.first; });
    if (known == files.end())
      files.emplace_back(*camera, file);
    else if (!file.filename().string().ends_with(kPhotometric))  // COLMAP writes both, geometric first
      refuse_map(file, fmt::format("a second map of camera '{}' beside {}", *camera,
                                   known->second.filename().string()));
  }
  if (files.empty()) throw method_error("the command wrote no CAMERA.npy to {}", name);
  FoundInMaps found;
  for (const auto& [camera, file] : files)
    output.depth_maps.push_back(read_result_map(file, camera, depths, found));
  if (found.far_values > 0)
    output.effective.emplace_back("far_depths", static_cast<double>(found.far_values));
  if (!found.channels.empty())
    fmt::print(stderr, "depth maps are of channel {}\n", fmt::join(found.channels, "; "));
}

void read_own_intrinsics(const fs::path& path, std::vector<OwnCamera>& cameras) {
  const fs::path file = folder_exists(path) ? colmap_images_file(path) : path;
  if (lower_case(file.stem().string()) == "images") return read_of_colmap(file.parent_path(), cameras);
  const std::string text = read_text_file(file);
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string::npos || text[start] != '{') return;  // TUM's lines
  const Json json = parse_strict_json(text, file.string());
  const JsonPlace root(json, file.string());
  for (const JsonPlace& frame : root.at("frames").elements())
    if (OwnCamera* const camera = camera_called(frame.at("file_path").text(), cameras)) {
      camera->intrinsics = intrinsics_of_frame(frame, root);
      camera->distortion = distortion_at(frame, root);
      check_intrinsics(*camera, file.string());
    }
}

}  // namespace aqbench
