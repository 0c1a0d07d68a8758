#include "cli/eval/eval_depth_input.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
#include "scenes/dataset/depth_scan.h"
#include "scenes/images/depth_file.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::cli {
namespace {

// Returns metres in one unit of the file's values. A count has no size of its own.
double metres_per_value(const std::string& file, const DepthMeaning& meaning, const DepthImage& image) {
  if (image.counts != meaning.metres_per_count.has_value() || (image.counts && meaning.metres_per_unit))
    throw Error(ErrorKind::usage,
                image.counts
                    ? file + ": holds counts: give --depth-scale METRES, and no unit"
                    : "--depth-scale: belongs to integers (NPY, PNG, TIFF); " + file + " has lengths");
  return image.counts ? *meaning.metres_per_count : meaning.metres_per_unit.value_or(1);
}

// Makes depths along z of the camera's frame to depths along the refracted rays. What no ray reaches has
// none.
void make_along_ray(const Camera& camera, DepthMap& map) {
  const RefractiveCamera view = refractive_camera(camera);
  const Vec3 axis = camera.camera_from_world.rotation.row(2);
  std::size_t pixel = 0;
  for (int y = 0; y < map.height; ++y) {
    for (int x = 0; x < map.width; ++x) {
      float& depth = map.depth_along_ray_m[pixel++];
      if (!has_depth(depth)) continue;
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

}  // namespace

const Camera& named_camera(const Rig& rig, const std::string& name, const std::string& flag) {
  if (const Camera* camera = find_camera(rig, name)) return *camera;
  std::vector<std::string> names;
  for (const Camera& camera : rig.cameras) names.push_back(camera.name);
  throw Error(ErrorKind::usage, flag + ": " + unknown_name_message("camera", name, names));
}

DepthMap read_given_depths(const std::string& file, const DepthMeaning& meaning, const Camera& camera) {
  if (!meaning.along_z && !file.ends_with(".npy"))
    throw Error(ErrorKind::usage, file + ": say what its depths are: --depth-along ray or z");
  DepthImage image = read_depth_image(file);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  if (image.width != width || image.height != height)
    throw Error(ErrorKind::input, fmt::format("{}: {} x {} values, but camera {} has {} rows x {} columns",
                                              file, image.height, image.width, camera.name, height, width));
  const double metres = metres_per_value(file, meaning, image);
  DepthMap map{camera.name, width, height, std::move(image.values), {}};
  for (float& depth : map.depth_along_ray_m) depth *= static_cast<float>(metres);
  if (meaning.along_z.value_or(false)) make_along_ray(camera, map);
  return map;
}

Scan read_depth_scan(const std::string& camera_and_file, const DepthMeaning& meaning, const Rig& rig) {
  const std::size_t end = camera_and_file.find('=');
  if (end == std::string::npos || end == 0 || end + 1 == camera_and_file.size())
    throw Error(ErrorKind::usage, fmt::format("--truth-depth '{}': expected CAMERA=FILE", camera_and_file));
  const Camera& camera = named_camera(rig, camera_and_file.substr(0, end), "--truth-depth");
  const std::string file = camera_and_file.substr(end + 1);
  return scan_of_depths(read_given_depths(file, meaning, camera), camera, file);
}

}  // namespace aqbench::cli
