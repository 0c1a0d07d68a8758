#include "pipeline/external/own_intrinsics.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/dataset/colmap_files.h"
#include "scenes/dataset/colmap_rig.h"
#include "scenes/dataset/transforms_file.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

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
  auto fx = number("fl_x");
  if (const auto angle_rad = number("camera_angle_x"); !fx && angle_rad)
    fx = 0.5 * *width / std::tan(0.5 * *angle_rad);
  if (!fx) return std::nullopt;
  return OwnIntrinsics{*fx,
                       number("fl_y").value_or(*fx),
                       number("cx").value_or(0.5 * *width) - 0.5,
                       number("cy").value_or(0.5 * *height) - 0.5,
                       *width,
                       *height};
}

}  // namespace

void read_own_intrinsics(const fs::path& path, std::vector<OwnCamera>& cameras) {
  std::error_code unknown;
  const fs::path file = fs::is_directory(path, unknown) ? colmap_images_file(path) : path;
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
