#include "harness/eval/eval_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/parameters.h"
#include "core/quantiles.h"
#include "core/shown_json.h"
#include "core/table.h"
#include "core/text.h"
#include "harness/eval/eval_cloud.h"
#include "harness/scoring/depth_score.h"
#include "harness/scoring/evaluate.h"
#include "metrics/point_details.h"
#include "metrics/score.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
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

constexpr const char* kDepthConvention =
    "metres along the refracted ray, from the water surface, of the undistorted camera";

std::optional<double> median_depth_m(const DepthMap& map) {
  std::vector<float> depths;
  for (const float depth : map.depth_along_ray_m)
    if (has_depth(depth)) depths.push_back(depth);
  if (depths.empty()) return std::nullopt;
  return upper_median_in_place(std::span(depths));
}

// Warns where the median depth is far from the true one, such as depths from the camera instead of the water
// surface.
void warn_of_another_convention(const DepthMap& predicted, const DepthMap& truth, const PlaceOptions& place) {
  const auto ours_m = median_depth_m(predicted), true_m = median_depth_m(truth);
  if (!ours_m || !true_m || (*ours_m < 2 * (*true_m) && *ours_m > 0.5 * (*true_m))) return;
  place.warn(
      fmt::format("the median depth is {:.4g} m where the truth has {:.4g} m: depths are {}; see --unit",
                  *ours_m, *true_m, kDepthConvention));
}

constexpr double kMm = 1000;  // millimetres in a metre

std::vector<Vec3> read_corners(const EvalCloudRequest& request, const std::string& file) {
  std::vector<Vec3> corners_m = read_geometry(request.host.geometries, file).cloud.points_m;
  if (corners_m.empty()) throw input_error("{}: has no corner", file);
  for (Vec3& corner : corners_m) corner *= request.metres_per_unit;
  return corners_m;
}

Table table_of(const CornerErrors& errors) {
  Table table;
  table.columns = {{"corner"}, {"error\nmm", Align::right}};
  for (std::size_t i = 0; i < errors.distance_m.size(); ++i)
    table.rows.push_back({{std::to_string(i)}, {fmt::format("{:.6g}", kMm * errors.distance_m[i])}});
  for (const auto& [name, value_m] : {std::pair("mean", errors.mean_m),
                                      {"median", errors.median_m},
                                      {"max", errors.max_m},
                                      {"rmse", errors.rmse_m}})
    table.rows.push_back({{name}, {fmt::format("{:.6g}", kMm * value_m.value())}});
  return table;
}

}  // namespace

const Camera& named_camera(const Rig& rig, const std::string& name, const std::string& flag) {
  if (const Camera* camera = find_camera(rig, name)) return *camera;
  throw usage_error("{}: {}", flag, unknown_name_message("camera", name, names_of(rig.cameras)));
}

std::vector<std::string> notes_of_depths(const std::string& file, const std::string& channel,
                                         std::size_t far_values) {
  std::vector<std::string> notes;
  if (!channel.empty()) notes.push_back(fmt::format("{}: its depths are those of channel {}", file, channel));
  if (far_values > 0)
    notes.push_back(
        fmt::format("{}: {} so large that no surface is meant (1e10, 65504, a far plane): missing", file,
                    far_values == 1 ? "1 depth is" : fmt::format("{} depths are", far_values)));
  return notes;
}

DepthMap read_given_depths(const std::string& file, const DepthMeaning& meaning, const Camera& camera,
                           std::vector<std::string>& notes) {
  if (!meaning.along_z && !file.ends_with(".npy"))
    throw usage_error("{}: say what its depths are: --depth-along ray or z", file);
  DepthImage image = read_depth_image(file);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  if (image.width != width || image.height != height)
    throw input_error("{}: {} x {} values, but camera {} has {} rows x {} columns", file, image.height,
                      image.width, camera.name, height, width);
  std::ranges::move(notes_of_depths(file, image.channel, image.far_values), std::back_inserter(notes));
  const double metres = metres_per_value(file, meaning, image);
  DepthMap map{camera.name, width, height, std::move(image.values), {}};
  for (float& depth : map.depth_along_ray_m) depth *= static_cast<float>(metres);
  if (meaning.along_z.value_or(false)) make_along_ray(camera, map);
  return map;
}

Scan read_depth_scan(const std::string& camera_and_file, const DepthMeaning& meaning, const Rig& rig,
                     std::vector<std::string>& notes) {
  const std::size_t end = camera_and_file.find('=');
  if (end == std::string::npos || end == 0 || end + 1 == camera_and_file.size())
    throw usage_error("--truth-depth '{}': expected CAMERA=FILE", camera_and_file);
  const Camera& camera = named_camera(rig, camera_and_file.substr(0, end), "--truth-depth");
  const std::string file = camera_and_file.substr(end + 1);
  const DepthMap depths = read_given_depths(file, meaning, camera, notes);
  return scan_of_depths(depths, camera, file);
}

EvalAnswer eval_depth(const EvalRequest& asked, const Arguments& arguments) {
  EvalDepthRequest request = asked.depth;
  if (asked.given.contains("unit")) request.meaning.metres_per_unit = asked.cloud.metres_per_unit;
  const std::filesystem::path dataset_dir = asked.cloud.dataset_dir;
  Camera camera =
      named_camera(read_calibration(dataset_dir / "calibration.json"), request.camera, "--camera");
  camera.is_auxiliary = false;  // which would not be scored
  const std::filesystem::path true_file = dataset_dir / "truth" / camera.name / "depth.npy";
  std::size_t far_values = 0;
  const DepthMap truth = read_depth_map(true_file, camera, &far_values);
  std::vector<std::string> notes = notes_of_depths(true_file.string(), {}, far_values);
  DepthMap predicted = read_given_depths(request.depth_file, request.meaning, camera, notes);
  if (const auto step = unit_step(predicted, truth))
    throw input_error("{}: its depths are {:g} times the true ones; see --unit", request.depth_file, *step);
  warn_of_another_convention(predicted, truth, asked.cloud.place);

  CaseResult result;
  evaluate({.rig = Rig{{camera}}, .depths_dir = dataset_dir}, {{{}, {}, {std::move(predicted)}}}, {}, result);
  EvalAnswer answer;
  answer.metrics = std::move(result.record.metrics);
  if (asked.wants_record()) {
    Json effective = {{"camera", camera.name}, {"depth", kDepthConvention}};
    if (request.meaning.along_z) effective["depth_along"] = *request.meaning.along_z ? "z" : "ray";
    if (request.meaning.metres_per_count) effective["depth_scale"] = *request.meaning.metres_per_count;
    if (!notes.empty()) effective["notes"] = notes;
    Record record = eval_record(read_dataset_scene(dataset_dir), {}, request.depth_file, answer.metrics, {});
    record.case_name += "/camera=" + camera.name;
    record.options.emplace_back("eval.camera", camera.name);
    answer.results = eval_results({std::move(record)}, arguments, asked.cloud.host, std::move(effective));
  }
  if (asked.cloud.json) return answer;
  answer.say("{} against {} of {}\ndepths are {}{}\n\n", printable(request.depth_file),
             printable(camera.name), printable(dataset_dir.string()), kDepthConvention,
             request.meaning.along_z.value_or(false) ? ", made from depths along z" : "");
  for (const std::string& note : notes) answer.say("{}\n", printable(note));
  answer.shown.emplace_back(MetricTable{});
  return answer;
}

EvalAnswer eval_charuco(const EvalRequest& asked) {
  const CornerErrors errors = charuco_errors(read_corners(asked.cloud, asked.charuco_file),
                                             read_corners(asked.cloud, asked.board_file));
  EvalAnswer answer;
  if (!asked.cloud.json) {
    answer.say("{} against {}\n\n", printable(asked.charuco_file), printable(asked.board_file));
    answer.shown.emplace_back(table_of(errors));
    return answer;
  }
  Json distances_mm = Json::array();
  for (const double distance_m : errors.distance_m) distances_mm.push_back(kMm * distance_m);
  const Json result = {{"corners", errors.distance_m.size()},    {"error_mm", distances_mm},
                       {"mean_mm", kMm * errors.mean_m.value()}, {"median_mm", kMm * errors.median_m.value()},
                       {"max_mm", kMm * errors.max_m.value()},   {"rmse_mm", kMm * errors.rmse_m.value()}};
  answer.json = shown_json(result.dump(1) + "\n");
  return answer;
}

}  // namespace aqbench
