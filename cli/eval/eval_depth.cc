#include "cli/eval/eval_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/eval/eval_output.h"
#include "cli/json_output.h"
#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"
#include "metrics/depth_metrics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/images/depth_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refraction.h"

namespace aqbench::cli {
namespace {

constexpr const char* kDepthConvention =
    "metres along the refracted ray, from the water surface, of the undistorted camera";

const Camera& named_camera(const Rig& rig, const std::string& name) {
  if (const Camera* camera = find_camera(rig, name)) return *camera;
  std::vector<std::string> names;
  for (const Camera& camera : rig.cameras) names.push_back(camera.name);
  throw Error(ErrorKind::usage, "--camera: " + unknown_name_message("camera", name, names));
}

std::optional<double> median_depth_m(const DepthMap& map) {
  std::vector<float> depths;
  for (const float depth : map.depth_along_ray_m)
    if (std::isfinite(depth) && depth > 0) depths.push_back(depth);
  if (depths.empty()) return std::nullopt;
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

// Warns where the median depth is far from the true one: the usual mistakes are depths in millimetres, and
// depths from the camera instead of the water surface.
void warn_of_another_convention(const DepthMap& predicted, const DepthMap& truth) {
  const auto ours_m = median_depth_m(predicted), true_m = median_depth_m(truth);
  if (!ours_m || !true_m || (*ours_m < 2 * (*true_m) && *ours_m > 0.5 * (*true_m))) return;
  fmt::print(
      stderr,
      "aqbench: warning: the median depth is {:.4g} m where the truth has {:.4g} m: depths are {}; see "
      "--unit\n",
      *ours_m, *true_m, kDepthConvention);
}

// Returns metres in one unit of the file's values. A count of a PNG or TIFF has no size of its own.
double metres_per_value(const EvalDepthRequest& request, const DepthImage& image) {
  if (image.counts != request.metres_per_count.has_value() || (image.counts && request.unit_given))
    throw Error(ErrorKind::usage,
                image.counts ? "--depth: the file holds counts: give --depth-scale METRES, and no --unit"
                             : "--depth-scale: belongs to a PNG or TIFF of 16 bits; see --unit");
  return image.counts ? *request.metres_per_count : request.metres_per_unit;
}

// Makes depths along z of the camera's frame to depths along the refracted rays. What no ray reaches has
// none.
void make_along_ray(const Camera& camera, const WaterInterface& water, DepthMap& map) {
  const RefractiveCamera view = refractive_camera(camera, water);
  const Vec3 axis = camera.camera_from_world.rotation.row(2);
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      float& depth = map.depth_along_ray_m[static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) +
                                           static_cast<std::size_t>(x)];
      if (!std::isfinite(depth) || depth <= 0) continue;
      const auto ray = cast_ray(view, Vec2(x, y));
      if (!ray) {
        depth = std::numeric_limits<float>::quiet_NaN();
        continue;
      }
      const double surface_z_m =
          axis.dot(to_vec3(ray->origin_m)) + camera.camera_from_world.translation_m.z();
      depth =
          static_cast<float>((static_cast<double>(depth) - surface_z_m) / axis.dot(to_vec3(ray->direction)));
    }
  }
}

DepthMap read_predicted(const EvalDepthRequest& request, const Camera& camera, const WaterInterface& water) {
  const bool npy = request.depth_file.ends_with(".npy");
  if (!request.along_z && !npy)
    throw Error(ErrorKind::usage,
                fmt::format("{}: say what its depths are: --depth-along ray or z", request.depth_file));
  DepthImage image = read_depth_image(request.depth_file);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  if (image.width != width || image.height != height)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} x {} values, but camera {} has {} rows x {} columns", request.depth_file,
                            image.height, image.width, camera.name, height, width));
  const double metres = metres_per_value(request, image);
  DepthMap map{camera.name, width, height, std::move(image.values), {}};
  for (float& depth : map.depth_along_ray_m) depth *= static_cast<float>(metres);
  if (request.along_z.value_or(false)) make_along_ray(camera, water, map);
  return map;
}

}  // namespace

ExitCode eval_depth(const EvalDepthRequest& request, const Arguments& arguments) {
  const std::filesystem::path dataset_dir = request.dataset_dir;
  const Rig rig = read_calibration(dataset_dir / "calibration.json");
  const Camera& camera = named_camera(rig, request.camera);
  const DepthMap truth =
      read_true_depths(dataset_dir, camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px);
  const DepthMap predicted = read_predicted(request, camera, rig.water);
  warn_of_another_convention(predicted, truth);

  Record record = eval_record(read_dataset_scene(dataset_dir), request.depth_file,
                              depth_metrics(predicted.depth_along_ray_m, truth.depth_along_ray_m));
  record.options.emplace_back("eval.camera", camera.name);
  if (request.json) {
    Json effective = {{"camera", camera.name}, {"depth", kDepthConvention}};
    if (request.along_z) effective["depth_along"] = *request.along_z ? "z" : "ray";
    if (request.metres_per_count) effective["depth_scale"] = *request.metres_per_count;
    print_json(eval_results_text(record, Json{{"arguments", arguments}}, std::move(effective)));
    return ExitCode::pass;
  }
  fmt::print("{} against {} of {}\ndepths are {}{}\n\n", printable(request.depth_file),
             printable(camera.name), printable(dataset_dir.string()), kDepthConvention,
             request.along_z.value_or(false) ? ", made from depths along z" : "");
  print_metrics(record.metrics, true);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
