#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "cli/eval/eval_charuco.h"
#include "cli/eval/eval_cloud.h"
#include "cli/eval/eval_depth.h"
#include "cli/eval/eval_flags.h"
#include "cli/eval/eval_protocol.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/parallel.h"
#include "scenes/registry.h"

namespace aqbench::cli {
namespace {

struct EvalRequest {
  std::set<std::string> given;
  EvalCloudRequest cloud;  // its dataset, unit and json concern a depth map, too
  Strings sets;            // of scene and rig, as given
  EvalDepthRequest depth;
  EvalProtocolRequest protocol;
  std::string charuco_file, board_file;
  std::optional<int> threads;
};

void read_unit(EvalRequest& request, const FlagValue& value) {
  request.cloud.metres_per_unit = metres_per_unit(value);
}

void read_depth_along(EvalRequest& request, const FlagValue& value) {
  if (value.text != "ray" && value.text != "z") value.refuse_text("expected ray or z");
  request.depth.meaning.along_z = value.text == "z";
}

const Flag<EvalRequest> kEvalFlags[] = {
    {{.name = "scene", .value_name = "S", .help = "a registered scene (aqbench list scenes)"},
     into<&EvalRequest::cloud, &EvalCloudRequest::scene>},
    {{.name = "mesh", .value_name = "M.ply", .help = "a mesh taken as truth, in metres"},
     [](EvalRequest& r, const FlagValue& v) { r.cloud.scene = std::string(kMeshPrefix) + v.text; }},
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
      .help = "unit of CLOUD's coordinates or of the depths: m, cm, mm or um",
      .default_value = "m"},
     read_unit},
    {{.name = "threads", .value_name = "N", .help = "threads; changes no metric (default: all processors)"},
     into<&EvalRequest::threads>},
    {{.name = "tiles", .value_name = "FILE", .help = "write the errors of each tile to this CSV file"},
     into<&EvalRequest::cloud, &EvalCloudRequest::tiles_file>},
    {{.name = "views",
      .value_name = "FILE",
      .help = "write completeness by number of views to this CSV file"},
     into<&EvalRequest::cloud, &EvalCloudRequest::views_file>},
    {{.name = "depth",
      .value_name = "D.npy",
      .help = "score this depth map instead of a cloud (NPY, PFM, COLMAP's .bin, EXR, TIFF, PNG of 16 bits)"},
     into<&EvalRequest::depth, &EvalDepthRequest::depth_file>},
    {{.name = "camera", .value_name = "NAME", .help = "the depth map's camera"},
     into<&EvalRequest::depth, &EvalDepthRequest::camera>},
    {{.name = "depth-along",
      .value_name = "WHAT",
      .help =
          "what a depth is: ray (from the water surface along the refracted ray) or z (of the point, in the "
          "camera's frame). Must be given but for NPY, where it is ray"},
     read_depth_along},
    {{.name = "depth-scale",
      .value_name = "X",
      .help = "metres of one count of a PNG or TIFF of 16 bits (0.001 for millimetres)"},
     [](EvalRequest& r, const FlagValue& v) {
       r.depth.meaning.metres_per_count = r.protocol.metres_per_count = v.positive();
     }},
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
  std::vector<Flag<EvalRequest>> flags(std::begin(kEvalFlags), std::end(kEvalFlags));
  append_flags(flags, std::span<const Flag<EvalCloudRequest>>(eval_cloud_flags()), &EvalRequest::cloud);
  append_flags(flags, std::span<const Flag<EvalProtocolRequest>>(eval_protocol_flags()),
               &EvalRequest::protocol);
  return {
      "aqbench eval CLOUD (--scene S | --mesh M.ply | --truth FILE | --dataset DIR) [OPTION]...\n"
      "       aqbench eval CLOUD --truth FILE (--protocol NAME | --explain A,B | --which-protocol X)\n"
      "       aqbench eval --depth D.npy --camera NAME --dataset DIR [--unit UNIT] [--json]\n"
      "       aqbench eval --charuco DETECTED --board TRUE_CORNERS [--unit UNIT] [--json]",
      "Scores a point cloud or mesh (PLY, OBJ, STL, OFF, PCD, NPY, or text with x y z a line) against the\n"
      "exact surface of a scene, or against a mesh or scans taken as truth. Coordinates are metres in the\n"
      "scene's world frame, +Z down into the water; docs/scoring.md says what partial truths need.\n"
      "With --protocol as other benchmarks do, which docs/protocols.md defines.\n"
      "With --rig or --dataset also over what two or more cameras see through the water, and by the number\n"
      "of views. NaN points are counted and left out. Undefined metrics are shown as n/a with their reason.\n"
      "With --depth: a depth map (rows x columns, metres along the refracted ray from the water surface, of\n"
      "the undistorted camera; NaN or 0 where there is none) against the true one of a rendered dataset.\n"
      "With --charuco: the reconstructed corners of a ChArUco board against its true ones, one by one.",
      std::move(flags),
      {{{.name = "CLOUD", .optional = true}, into<&EvalRequest::cloud, &EvalCloudRequest::cloud_file>}}};
}

// Checks what the flags of a cloud mean together, and reads the overrides of its scene and rig.
void complete_cloud_request(EvalRequest& request) {
  EvalCloudRequest& cloud = request.cloud;
  const auto given = [&](const char* name) { return request.given.count(name); };
  if (cloud.cloud_file.empty()) throw Error(ErrorKind::usage, "CLOUD is missing (or --depth)");
  if (given("camera") != 0) throw Error(ErrorKind::usage, "--camera belongs to --depth");
  if (given("depth-along") != 0 && given("truth-depth") == 0)
    throw Error(ErrorKind::usage, "--depth-along belongs to --depth or --truth-depth");
  if (given("depth-scale") != 0 && given("truth-depth") == 0 && request.protocol.protocol != "depth")
    throw Error(ErrorKind::usage, "--depth-scale belongs to --depth, --truth-depth or --protocol depth");
  if (given("truth-depth") != 0 && given("rig") + given("dataset") == 0)
    throw Error(ErrorKind::usage, "--truth-depth: needs --dataset or --rig, to know the cameras");
  cloud.truth_depth_meaning = request.depth.meaning;
  if (given("truth-unit") != 0) cloud.truth_depth_meaning.metres_per_unit = cloud.truth_metres_per_unit;
  if (given("board") != 0) throw Error(ErrorKind::usage, "--board belongs to --charuco");
  const auto truths =
      given("scene") + given("mesh") + given("truth") + given("truth-cloud") + given("truth-depth");
  if (truths > 1 || truths + given("dataset") == 0)
    throw Error(
        ErrorKind::usage,
        "give one of --scene S, --mesh M.ply, --truth FILE, --truth-cloud FILE, --truth-depth CAMERA=FILE "
        "and --dataset DIR");
  for (const char* flag : {"truth-unit", "truth-columns", "distance", "scanner"})
    if (given(flag) && !given("truth") && !given("truth-cloud") && !given("truth-depth"))
      throw Error(ErrorKind::usage, fmt::format("--{}: needs --truth, --truth-cloud or --truth-depth", flag));
  const auto by_cameras = std::ranges::find_if(cloud.align, [](const AlignStep& step) {
    return step.how == AlignStep::How::cameras || step.how == AlignStep::How::tanks_and_temples;
  });
  const bool needs_cameras = by_cameras != cloud.align.end();
  for (const char* flag : {"cameras", "truth-cameras"})
    if (given(flag) != needs_cameras)
      throw Error(
          ErrorKind::usage,
          needs_cameras
              ? fmt::format("--align {}: needs --{}",
                            by_cameras->how == AlignStep::How::cameras ? "cameras" : "tanks-and-temples",
                            flag)
              : fmt::format("--{}: needs --align cameras or tanks-and-temples", flag));
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

void refuse_cloud_flags(const EvalRequest& request, const char* beside) {
  for (const auto& flag : eval_cloud_flags())
    if (request.given.contains(flag.name))
      throw Error(ErrorKind::usage, fmt::format("{}: goes without --{}", beside, flag.name));
}

void check_charuco_request(const EvalRequest& request) {
  if (!request.given.contains("board")) throw Error(ErrorKind::usage, "--charuco: needs --board");
  for (const char* other :
       {"CLOUD", "scene", "mesh", "dataset", "rig", "set", "tiles", "views", "depth", "camera"})
    if (request.given.contains(other))
      throw Error(ErrorKind::usage,
                  fmt::format("--charuco: goes without {}{}", *other == 'C' ? "" : "--", other));
  refuse_cloud_flags(request, "--charuco");
}

void check_depth_request(const EvalRequest& request) {
  for (const char* needed : {"camera", "dataset"})
    if (!request.given.contains(needed))
      throw Error(ErrorKind::usage, fmt::format("--depth: needs --{}", needed));
  for (const char* other : {"CLOUD", "scene", "mesh", "rig", "set", "tiles", "views"})
    if (request.given.contains(other))
      throw Error(ErrorKind::usage,
                  fmt::format("--depth: goes without {}{}", *other == 'C' ? "" : "--", other));
  refuse_cloud_flags(request, "--depth");
}

}  // namespace

ExitCode eval_command(const Arguments& arguments) {
  auto request = parse(eval_command_line(), arguments);
  if (!request) return ExitCode::pass;
  if (request->threads) set_thread_count(*request->threads);
  const bool by_protocol = asks_for_protocol(request->protocol);
  for (const char* other : {"charuco", "depth"})
    if (by_protocol && request->given.contains(other))
      throw Error(ErrorKind::usage, fmt::format("--{}: goes without protocols", other));
  if (request->given.contains("charuco")) {
    check_charuco_request(*request);
    return eval_charuco(
        {request->charuco_file, request->board_file, request->cloud.metres_per_unit, request->cloud.json});
  }
  if (request->given.contains("depth")) {
    check_depth_request(*request);
    request->depth.dataset_dir = request->cloud.dataset_dir;
    if (request->given.contains("unit"))
      request->depth.meaning.metres_per_unit = request->cloud.metres_per_unit;
    request->depth.json = request->cloud.json;
    return eval_depth(request->depth, arguments);
  }
  complete_cloud_request(*request);
  if (by_protocol) return eval_protocol(request->protocol, request->cloud, request->given);
  return eval_cloud(request->cloud, arguments);
}

}  // namespace aqbench::cli
