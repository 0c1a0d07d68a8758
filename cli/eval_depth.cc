#include "cli/eval_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/eval_output.h"
#include "core/error.h"
#include "core/quantiles.h"
#include "core/sha256.h"
#include "metrics/depth_metrics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"

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
  return upper_median_in_place<float>(depths);
}

// The two mistakes that are easily made are far off.
void warn_of_another_convention(const DepthMap& predicted, const DepthMap& truth) {
  const auto ours_m = median_depth_m(predicted), true_m = median_depth_m(truth);
  if (!ours_m || !true_m || (*ours_m<2 * *true_m&& * ours_m> 0.5 * *true_m)) return;
  fmt::print(
      stderr,
      "aqbench: warning: the median depth is {:.4g} m where the truth has {:.4g} m: depths are {}; see "
      "--unit\n",
      *ours_m, *true_m, kDepthConvention);
}

}  // namespace

ExitCode eval_depth(const EvalDepthRequest& request, const Arguments& arguments) {
  const Rig rig = read_calibration(request.dataset_dir / "calibration.json");
  const Camera& camera = named_camera(rig, request.camera);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  const DepthMap truth = read_true_depths(request.dataset_dir, camera.name, width, height);
  DepthMap predicted = read_depth_map(request.depth_file, camera.name, width, height);
  for (float& depth : predicted.depth_along_ray_m) depth *= static_cast<float>(request.metres_per_unit);
  warn_of_another_convention(predicted, truth);

  Record record;
  const Scene scene = read_dataset_scene(request.dataset_dir);
  record.scene = scene.name;
  record.method = "eval";
  record.case_name = fmt::format("{}/eval/{}", scene.name, request.depth_file.string());
  record.status = Status::ok;
  for (const auto& [name, value] : scene.parameters.items())
    record.options.emplace_back(scene.name + "." + name, value);
  record.options.emplace_back("eval.camera", camera.name);
  record.metrics = depth_metrics(predicted.depth_along_ray_m, truth.depth_along_ray_m);
  record.output_sha256 = sha256_file_hex(request.depth_file);
  if (request.json) {
    fmt::print("{}", eval_results_text(record, Json{{"arguments", arguments}},
                                       Json{{"camera", camera.name}, {"depth", kDepthConvention}}));
    return ExitCode::pass;
  }
  fmt::print("{} against {} of {}\ndepths are {}\n\n", request.depth_file.string(), camera.name,
             request.dataset_dir.string(), kDepthConvention);
  print_metrics(record.metrics);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
