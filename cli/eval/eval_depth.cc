#include "cli/eval/eval_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/eval/eval_output.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/text.h"
#include "harness/scoring/depth_score.h"
#include "metrics/depth_metrics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench::cli {
namespace {

constexpr const char* kDepthConvention =
    "metres along the refracted ray, from the water surface, of the undistorted camera";

std::optional<double> median_depth_m(const DepthMap& map) {
  std::vector<float> depths;
  for (const float depth : map.depth_along_ray_m)
    if (has_depth(depth)) depths.push_back(depth);
  if (depths.empty()) return std::nullopt;
  const auto middle = depths.begin() + static_cast<std::ptrdiff_t>(depths.size() / 2);
  std::nth_element(depths.begin(), middle, depths.end());
  return *middle;
}

// Warns where the median depth is far from the true one, such as depths from the camera instead of the water
// surface.
void warn_of_another_convention(const DepthMap& predicted, const DepthMap& truth) {
  const auto ours_m = median_depth_m(predicted), true_m = median_depth_m(truth);
  if (!ours_m || !true_m || (*ours_m < 2 * (*true_m) && *ours_m > 0.5 * (*true_m))) return;
  fmt::print(
      stderr,
      "aqbench: warning: the median depth is {:.4g} m where the truth has {:.4g} m: depths are {}; see "
      "--unit\n",
      *ours_m, *true_m, kDepthConvention);
}

}  // namespace

ExitCode eval_depth(const EvalDepthRequest& request, const Arguments& arguments) {
  const std::filesystem::path dataset_dir = request.dataset_dir;
  const Rig rig = read_calibration(dataset_dir / "calibration.json");
  const Camera& camera = named_camera(rig, request.camera, "--camera");
  const DepthMap truth =
      read_true_depths(dataset_dir, camera.name, camera.intrinsics.width_px, camera.intrinsics.height_px);
  const DepthMap predicted = read_given_depths(request.depth_file, request.meaning, camera);
  if (const auto step = unit_step(predicted, truth))
    throw Error(ErrorKind::input, fmt::format("{}: its depths are {:g} times the true ones; see --unit",
                                              request.depth_file, *step));
  warn_of_another_convention(predicted, truth);

  Record record = eval_record(read_dataset_scene(dataset_dir), request.depth_file,
                              depth_metrics(predicted.depth_along_ray_m, truth.depth_along_ray_m));
  record.options.emplace_back("eval.camera", camera.name);
  if (request.json) {
    Json effective = {{"camera", camera.name}, {"depth", kDepthConvention}};
    if (request.meaning.along_z) effective["depth_along"] = *request.meaning.along_z ? "z" : "ray";
    if (request.meaning.metres_per_count) effective["depth_scale"] = *request.meaning.metres_per_count;
    print_json(eval_results_text(record, Json{{"arguments", arguments}}, std::move(effective)));
    return ExitCode::pass;
  }
  fmt::print("{} against {} of {}\ndepths are {}{}\n\n", printable(request.depth_file),
             printable(camera.name), printable(dataset_dir.string()), kDepthConvention,
             request.meaning.along_z.value_or(false) ? ", made from depths along z" : "");
  print_metrics(record.metrics, true);
  return ExitCode::pass;
}

}  // namespace aqbench::cli
