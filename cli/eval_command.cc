#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "cli/eval_charuco.h"
#include "cli/eval_cloud.h"
#include "cli/eval_output.h"
#include "cli/json_output.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/parallel.h"
#include "metrics/depth_metrics.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/optics/calibration_file.h"

namespace aqbench::cli {
namespace {

struct EvalRequest {
  std::set<std::string> given;
  EvalCloudRequest cloud;  // its dataset, unit and json concern a depth map, too
  Strings sets;            // of scene and rig, as given
  std::string depth_file, camera;
  std::string charuco_file, board_file;
  std::optional<int> threads;
};

void read_unit(EvalRequest& request, const FlagValue& value) {
  double& metres = request.cloud.metres_per_unit;
  if (value.text == "m")
    metres = 1;
  else if (value.text == "cm")
    metres = 1e-2;
  else if (value.text == "mm")
    metres = 1e-3;
  else
    value.refuse_text("expected m, cm or mm");
}

void read_align(EvalRequest& request, const FlagValue& value) {
  if (value.text != "none" && value.text != "icp") value.refuse_text("expected none or icp");
  request.cloud.align = value.text == "icp";
}

const Flag<EvalRequest> kEvalFlags[] = {
    {{.name = "scene", .value_name = "S", .help = "a registered scene (aqbench list scenes)"},
     into<&EvalRequest::cloud, &EvalCloudRequest::scene>},
    {{.name = "mesh", .value_name = "M.ply", .help = "a PLY mesh taken as truth"},
     [](EvalRequest& r, const FlagValue& v) { r.cloud.scene = "mesh:" + v.text; }},
    {{.name = "dataset",
      .value_name = "DIR",
      .help = "a dataset of aqbench render: its cameras, and its scene unless another is given"},
     into<&EvalRequest::cloud, &EvalCloudRequest::dataset_dir>},
    {{.name = "rig", .value_name = "RIG", .help = "cameras without a dataset (aqbench list rigs)"},
     into<&EvalRequest::cloud, &EvalCloudRequest::rig>},
    {{.name = "set",
      .value_name = "NAME=VALUE",
      .help = "SCENE.PARAMETER=VALUE or RIG.PARAMETER=VALUE, may be repeated",
      .repeatable = true},
     into<&EvalRequest::sets>},
    {{.name = "unit",
      .value_name = "UNIT",
      .help = "unit of CLOUD's coordinates or of the depths: m, cm or mm",
      .default_value = "m"},
     read_unit},
    {{.name = "transform",
      .value_name = "T.json",
      .help = "JSON file with a 4x4 matrix world_from_cloud (metres), applied after --unit"},
     into<&EvalRequest::cloud, &EvalCloudRequest::transform_file>},
    {{.name = "align",
      .value_name = "HOW",
      .help =
          "none, or icp: rigid point-to-plane alignment to the truth before scoring; prints the transform. "
          "It can hide bias",
      .default_value = "none"},
     read_align},
    {{.name = "threads", .value_name = "N", .help = "threads; changes no metric (default: all processors)"},
     into<&EvalRequest::threads>},
    {{.name = "tiles", .value_name = "FILE", .help = "write the errors per 10 mm tile to this CSV file"},
     into<&EvalRequest::cloud, &EvalCloudRequest::tiles_file>},
    {{.name = "views",
      .value_name = "FILE",
      .help = "write completeness by number of views to this CSV file"},
     into<&EvalRequest::cloud, &EvalCloudRequest::views_file>},
    {{.name = "depth", .value_name = "D.npy", .help = "score this depth map instead of a cloud"},
     into<&EvalRequest::depth_file>},
    {{.name = "camera", .value_name = "NAME", .help = "the depth map's camera"}, into<&EvalRequest::camera>},
    {{.name = "json", .help = "print JSON in the layout of results.json"},
     into<&EvalRequest::cloud, &EvalCloudRequest::json>},
    {{.name = "charuco",
      .value_name = "DETECTED",
      .help = "score the corners of a ChArUco board instead of a cloud: one point for each corner"},
     into<&EvalRequest::charuco_file>},
    {{.name = "board",
      .value_name = "TRUE_CORNERS",
      .help = "the board's true corners, in the order of DETECTED"},
     into<&EvalRequest::board_file>},
};

CommandLine<EvalRequest> eval_command_line() {
  return {
      "aqbench eval CLOUD (--scene S | --mesh M.ply | --dataset DIR) [OPTION]...\n"
      "       aqbench eval --depth D.npy --camera NAME --dataset DIR [--unit UNIT] [--json]\n"
      "       aqbench eval --charuco DETECTED --board TRUE_CORNERS [--unit UNIT] [--json]",
      "Scores a point cloud or mesh (PLY, or XYZ text) against the exact surface of a scene, or against a\n"
      "mesh taken as truth. Coordinates are metres in the scene's world frame, +Z down into the water.\n"
      "With --rig or --dataset also over what two or more cameras see through the water, and by the number\n"
      "of views. NaN points are counted and left out. Undefined metrics are shown as n/a with their reason.\n"
      "With --depth: a depth map (rows x columns, metres along the refracted ray from the water surface, of\n"
      "the undistorted camera; NaN or 0 where there is none) against the true one of a rendered dataset.\n"
      "With --charuco: the reconstructed corners of a ChArUco board against its true ones, one by one.",
      {std::begin(kEvalFlags), std::end(kEvalFlags)},
      {{{.name = "CLOUD", .optional = true}, into<&EvalRequest::cloud, &EvalCloudRequest::cloud_file>}}};
}

// Checks what the flags of a cloud mean together, and reads the overrides of its scene and rig.
void complete_cloud_request(EvalRequest& request) {
  EvalCloudRequest& cloud = request.cloud;
  const auto given = [&](const char* name) { return request.given.count(name); };
  if (cloud.cloud_file.empty()) throw Error(ErrorKind::usage, "CLOUD is missing (or --depth)");
  if (given("camera") != 0) throw Error(ErrorKind::usage, "--camera belongs to --depth");
  if (given("board") != 0) throw Error(ErrorKind::usage, "--board belongs to --charuco");
  if (given("scene") + given("mesh") > 1 || given("scene") + given("mesh") + given("dataset") == 0)
    throw Error(ErrorKind::usage, "give one of --scene S, --mesh M.ply and --dataset DIR");
  if (given("rig") + given("dataset") > 1)
    throw Error(ErrorKind::usage, "--rig, --dataset: give one of them; a dataset has its cameras");
  for (const std::string& set : request.sets) {
    cloud.overrides.push_back(parse_override(set));
    const std::string& owner = cloud.overrides.back().owner;
    if (owner.empty() || (owner != cloud.scene && owner != cloud.rig))
      throw Error(ErrorKind::usage, fmt::format("--set '{}': the scene is {}{}", set,
                                                cloud.scene.empty() ? "the dataset's, as it is" : cloud.scene,
                                                cloud.rig.empty() ? "" : ", the rig " + cloud.rig));
  }
  if (!cloud.views_file.empty() && cloud.rig.empty() && cloud.dataset_dir.empty())
    throw Error(ErrorKind::usage, "--views: needs --rig or --dataset, to know the cameras");
}

void check_charuco_request(const EvalRequest& request) {
  if (!request.given.contains("board")) throw Error(ErrorKind::usage, "--charuco: needs --board");
  for (const char* other :
       {"CLOUD", "scene", "mesh", "dataset", "rig", "set", "transform", "tiles", "views", "depth", "camera"})
    if (request.given.contains(other))
      throw Error(ErrorKind::usage,
                  fmt::format("--charuco: goes without {}{}", *other == 'C' ? "" : "--", other));
}

void check_depth_request(const EvalRequest& request) {
  for (const char* needed : {"camera", "dataset"})
    if (!request.given.contains(needed))
      throw Error(ErrorKind::usage, fmt::format("--depth: needs --{}", needed));
  for (const char* other : {"CLOUD", "scene", "mesh", "rig", "set", "transform", "tiles", "views"})
    if (request.given.contains(other))
      throw Error(ErrorKind::usage,
                  fmt::format("--depth: goes without {}{}", *other == 'C' ? "" : "--", other));
}

// ---- Depth maps ----

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

// Prints the metrics of a depth map against the true one of a dataset's camera.
ExitCode eval_depth(const EvalRequest& request, const Arguments& arguments) {
  const std::filesystem::path dataset_dir = request.cloud.dataset_dir;
  const Rig rig = read_calibration(dataset_dir / "calibration.json");
  const Camera& camera = named_camera(rig, request.camera);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  const DepthMap truth = read_true_depths(dataset_dir, camera.name, width, height);
  DepthMap predicted = read_depth_map(request.depth_file, camera.name, width, height);
  for (float& depth : predicted.depth_along_ray_m) depth *= static_cast<float>(request.cloud.metres_per_unit);
  warn_of_another_convention(predicted, truth);

  Record record = eval_record(read_dataset_scene(dataset_dir), request.depth_file,
                              depth_metrics(predicted.depth_along_ray_m, truth.depth_along_ray_m));
  record.options.emplace_back("eval.camera", camera.name);
  if (request.cloud.json) {
    print_json(eval_results_text(record, Json{{"arguments", arguments}},
                                 Json{{"camera", camera.name}, {"depth", kDepthConvention}}));
    return ExitCode::pass;
  }
  fmt::print("{} against {} of {}\ndepths are {}\n\n", request.depth_file, camera.name, dataset_dir.string(),
             kDepthConvention);
  print_metrics(record.metrics);
  return ExitCode::pass;
}

}  // namespace

ExitCode eval_command(const Arguments& arguments) {
  auto request = parse(eval_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (request->threads) set_thread_count(*request->threads);
  if (request->given.contains("charuco")) {
    check_charuco_request(*request);
    return eval_charuco(
        {request->charuco_file, request->board_file, request->cloud.metres_per_unit, request->cloud.json});
  }
  if (request->given.contains("depth")) {
    check_depth_request(*request);
    return eval_depth(*request, arguments);
  }
  complete_cloud_request(*request);
  return eval_cloud(request->cloud, arguments);
}

}  // namespace aqbench::cli
