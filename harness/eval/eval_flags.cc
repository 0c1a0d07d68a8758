#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "core/text.h"
#include "harness/eval/eval_request.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

constexpr Modes kByProtocol = kEvalProtocol | kEvalExplain | kEvalWhich;
constexpr Modes kClouds = kEvalCloud | kByProtocol;
constexpr Modes kFiles = kEvalDepthFiles | kEvalPoses | kEvalCalibration;
constexpr ModeText kEvalModes[] = {{kEvalCloud, "CLOUD alone"},
                                   {kEvalProtocol, "--protocol", "ignores it"},
                                   {kEvalExplain, "--explain", "ignores it"},
                                   {kEvalWhich, "--which-protocol", "ignores it"},
                                   {kEvalDepthFiles, "--protocol depth", "ignores it"},
                                   {kEvalPoses, "--protocol poses", "ignores it"},
                                   {kEvalDepth, "--depth"},
                                   {kEvalBoard, "--charuco"},
                                   {kEvalCalibration, "--protocol calibration"},
                                   {kEvalGiven, "--out", "or of a pattern: the dataset says it"}};

Modes mode_of(const EvalRequest& request) {
  const auto fits_a_sweep = [&](const FlagText& flag) {
    return (flag.modes & kEvalGiven) != 0 || !request.given.contains(flag.name);
  };
  if (!request.protocol.protocol.empty())
    if (const Modes by_protocol = mode_of_protocol(request.protocol.protocol); by_protocol != kEvalProtocol)
      return by_protocol;
  if (request.cloud.cloud_file.find_first_of("{*") != std::string::npos ||
      (request.given.contains("out") && std::ranges::all_of(eval_command_line().flags, fits_a_sweep)))
    return kEvalGiven;
  Modes chosen = 0;
  for (const ModeText& mode : kEvalModes)
    if (mode.mode != kEvalGiven && request.given.contains(mode.words + 2))  // without dashes
      chosen |= mode.mode;
  if (chosen == 0) return kEvalCloud;
  return only_mode(kEvalModes, chosen);
}

using Cloud = EvalCloudRequest;
using Protocol = EvalProtocolRequest;

// Reads "2mm" or "0.05 m": a length with its unit, since a bare number could be of any.
double read_length(const FlagValue& value, std::string_view text) {
  const std::size_t end = text.find_last_not_of("mcu ");
  const std::string_view number = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  std::string_view unit = text.substr(number.size());
  unit.remove_prefix(std::min(unit.find_first_not_of(' '), unit.size()));
  const auto size = parse_double(number);
  const auto metres = metres_per_unit(unit);
  if (!size || !metres || !std::isfinite(*size) || !(*size > 0))
    value.refuse_text("expected a positive length with its unit, as 2mm or 0.05m");
  // Millimetres are read as their number / 1000, so that 0.5mm is the double that 0.0005 is.
  return *metres == 1 ? *size : *size / std::round(1 / *metres);
}

double read_length(const FlagValue& value) { return read_length(value, value.text); }

constexpr auto kUnits = "m|cm|mm|um";  // kLengthUnits

// Store the value in a member of a part of the request.
template <auto kField>
constexpr auto of_cloud = into<&EvalRequest::cloud, kField>;
template <auto kField>
constexpr auto of_place = into<&EvalRequest::cloud, &Cloud::place, kField>;
template <auto kField>
constexpr auto of_protocol = into<&EvalRequest::protocol, kField>;
template <auto kField>
constexpr auto of_depth = into<&EvalRequest::depth, kField>;

// Store a length, or the metres in one unit.
template <auto kField>
constexpr auto read_length_of =
    [](EvalRequest& r, const FlagValue& v) { r.cloud.scoring.*kField = read_length(v); };
template <auto kField>
constexpr auto read_unit =
    [](EvalRequest& r, const FlagValue& v) { r.cloud.*kField = metres_per_unit(v.text).value(); };

// Stores a length of the scoring unless it is "auto".
template <auto kField>
constexpr auto read_length_or_auto = [](EvalRequest& r, const FlagValue& v) {
  if (v.text != "auto") r.cloud.scoring.*kField = read_length(v);
};

void read_thresholds(EvalRequest& request, const FlagValue& value) {
  request.cloud.given_thresholds = true;
  for (const std::string_view part : split_at(value.text, ','))
    request.cloud.scoring.tolerances_m.push_back(read_length(value, part));
}

std::vector<double> read_numbers(const FlagValue& value, std::size_t count, const char* expected) {
  std::vector<double> numbers;
  for (const std::string_view part : split_at(value.text, ',')) {
    const auto number = parse_double(part);
    if (!number || !std::isfinite(*number)) value.refuse_text(expected);
    numbers.push_back(*number);
  }
  if (numbers.size() != count) value.refuse_text(expected);
  return numbers;
}

void read_scanner(EvalRequest& request, const FlagValue& value) {
  const auto place = read_numbers(value, 3, "expected X,Y,Z");
  request.cloud.scanners.emplace_back(place[0], place[1], place[2]);
}

template <auto kField>
constexpr auto read_columns = [](EvalRequest& r, const FlagValue& v) {
  constexpr const char* kExpected = "expected the columns of x, y and z, from 1: 2,3,4";
  const auto numbers = read_numbers(v, 3, kExpected);
  std::array<std::size_t, 3> found{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double number = numbers[axis];
    if (!(number >= 1 && number <= 1000) || number != std::floor(number)) v.refuse_text(kExpected);
    found[axis] = static_cast<std::size_t>(number) - 1;
  }
  if (found[0] == found[1] || found[0] == found[2] || found[1] == found[2]) v.refuse_text(kExpected);
  r.cloud.*kField = found;
};

void read_align(EvalRequest& request, const FlagValue& value) {
  if (value.text == "none") return;
  for (const std::string_view part : split_at(value.text, ',')) {
    constexpr std::string_view kSteps[] = {"icp", "sim3", "cameras", "tanks-and-temples"};
    if (std::ranges::find(kSteps, part) == std::end(kSteps) && !part.starts_with("file:"))
      value.refuse_text("expected none, or a list of icp, sim3, cameras, tanks-and-temples and file:T");
    request.cloud.place.steps.emplace_back(part);
  }
}

void read_depth_scale(EvalRequest& request, const FlagValue& value) {
  request.depth.meaning.metres_per_count = request.protocol.metres_per_count = value.positive();
}

void read_explain(EvalRequest& request, const FlagValue& value) {
  for (const std::string_view part : split_at(value.text, ',')) request.protocol.explain.emplace_back(part);
  if (request.protocol.explain.size() != 2) value.refuse_text("expected two protocols: eth3d,dtu");
}

const Flag<EvalRequest> kTruthFlags[] = {
    {"scene", "S", kClouds | kEvalGiven, "a registered scene (aqbench list scenes)", of_cloud<&Cloud::scene>},
    {"mesh", "M.ply", kClouds | kEvalGiven, "a mesh taken as truth, in metres",
     [](EvalRequest& r, const FlagValue& v) { r.cloud.scene = std::string(kMeshPrefix) + v.text; }},
    {"truth", "FILE", kClouds | kFiles,
     "what is taken as truth: a mesh (it has faces), clouds, the true calibration; may be repeated",
     of_cloud<&Cloud::truth_files>, repeated()},
    {"truth-cloud", "FILE", kClouds, "a scan taken as truth; of a mesh its vertices. May be repeated",
     of_cloud<&Cloud::truth_cloud_files>, repeated()},
    {"truth-depth", "CAMERA=FILE", kClouds,
     "a depth map taken as truth, of a camera of --dataset or --rig; see --depth-along. May be repeated",
     of_cloud<&Cloud::truth_depths>, needs("dataset|rig", repeated())},
    {"dataset", "DIR", kClouds | kEvalDepth | kEvalGiven,
     "a dataset of aqbench render or a recording, by folder or by its name in aqbench.json: its cameras, and "
     "its truth unless another is given",
     of_cloud<&Cloud::dataset_dir>},
    {"frame", "N", kClouds | kEvalGiven, "frame of the recording whose truth is taken",
     [](EvalRequest& r, const FlagValue& v) {
       r.cloud.frame = static_cast<std::size_t>(v.at_least<std::int64_t>(0));
     },
     needs("dataset", usually("0"))},
    {"rig", "RIG", kClouds | kEvalGiven, "cameras without a dataset: a name (aqbench list rigs) or a FILE",
     of_cloud<&Cloud::rig>},
    {"set", "NAME=VALUE", kClouds | kEvalGiven,
     "SCENE.PARAMETER=VALUE or RIG.PARAMETER=VALUE, may be repeated", into<&EvalRequest::sets>, repeated()},
    {"truth-unit", kUnits, kClouds | kEvalDepthFiles | kEvalPoses,
     "unit of the truth's files, of --crop and of --scanner", read_unit<&Cloud::truth_metres_per_unit>,
     needs("truth|truth-cloud|truth-depth", usually("m"))},
    {"truth-columns", "X,Y,Z", kClouds, "the same of the truth", read_columns<&Cloud::truth_columns>,
     needs("truth|truth-cloud|truth-depth")},
    {"scanner", "X,Y,Z", kClouds, "where the scanner of a scan stood; one for each scan, in their order",
     read_scanner, needs("truth|truth-cloud|truth-depth", repeated())},
    {"distance", "plane|point", kClouds,
     "of a cloud as truth: the local plane through the nearest point, or that point",
     [](EvalRequest& r, const FlagValue& v) {
       r.cloud.truth_cloud.distance = v.text == "plane" ? CloudDistance::plane : CloudDistance::point;
     },
     needs("truth|truth-cloud|truth-depth", usually("plane"))},
};

const Flag<EvalRequest> kPlaceFlags[] = {
    {"unit", kUnits, kEveryMode & ~kEvalCalibration, "unit of CLOUD's coordinates or of the depths",
     read_unit<&Cloud::metres_per_unit>, usually("m")},
    {"columns", "X,Y,Z", kClouds,
     "which columns of a text or array are x, y and z, from 1 (2,3,4), where it does not say",
     read_columns<&Cloud::columns>},
    {"transform", "T", kClouds | kEvalGiven,
     "file with a 4x4 matrix world_from_cloud (metres), as JSON or as text, applied after --unit",
     of_place<&PlaceOptions::transform_file>},
    {"align", "LIST", kClouds | kEvalGiven,
     "none, or steps before scoring, in order: icp (rigid, to the truth's surface), sim3 (with a scale), "
     "cameras (by camera centres), tanks-and-temples (that benchmark's registration), file:T (a matrix). It "
     "can hide bias",
     read_align, usually("none")},
    {"cameras", "FILE", kClouds | kEvalGiven | kEvalDepthFiles, "cameras in the cloud's frame and unit",
     of_place<&PlaceOptions::cameras_file>},
    {"truth-cameras", "FILE", kClouds | kEvalDepthFiles, "cameras in the truth's frame and unit",
     of_place<&PlaceOptions::true_cameras_file>},
};

const Flag<EvalRequest> kScoreFlags[] = {
    {"crop", "REGION", kClouds,
     "score only this region: box:X0,Y0,Z0,X1,Y1,Z1, z:LOW,HIGH (also x, y), mask:M.npy,X0,Y0,Z0,SPACING "
     "(voxels that were observed, as DTU's ObsMask), or a JSON file with a polygon as Tanks and Temples has "
     "them. May be repeated: what lies in all of them",
     into<&EvalRequest::cloud, &Cloud::scoring, &SurfaceScoring::crops>, repeated()},
    {"max-distance", "LENGTH", kClouds,
     "leave out points that are farther from the truth (20mm): where the truth is partial",
     read_length_of<&SurfaceScoring::max_distance_m>},
    {"border", "score|leave-out", kClouds,
     "points beyond an open border of the truth (default: leave-out of scans, and of a mesh with "
     "--max-distance)",
     [](EvalRequest& r, const FlagValue& v) {
       r.cloud.scoring.leave_out_beyond_border = v.text == "leave-out";
     }},
    {"thresholds", "LIST", kClouds | kEvalGiven,
     "tolerances of precision, completeness and F-score (default 0.5mm,1mm,2mm,5mm,10mm)", read_thresholds},
    {"outlier", "LENGTH", kEvalCloud, "a gross outlier is farther (default 20mm)",
     read_length_of<&SurfaceScoring::outlier_m>},
    {"spacing", "LENGTH", kClouds,
     "between samples of the truth for completeness, or auto: by the size of truth and cloud",
     read_length_or_auto<&SurfaceScoring::spacing_m>, usually("auto")},
    {"tile", "LENGTH", kEvalCloud,
     "side of an error tile, or auto: 10 mm, more where that gives over a million tiles",
     read_length_or_auto<&SurfaceScoring::tile_m>, usually("auto")},
};

const Flag<EvalRequest> kDepthFlags[] = {
    {"depth", "D.npy", kEvalDepth,
     "score this depth map instead of a cloud (NPY, PFM, COLMAP's .bin, EXR, TIFF, PNG of 16 bits)",
     of_depth<&EvalDepthRequest::depth_file>, needs("camera,dataset")},
    {"camera", "NAME", kEvalDepth, "the depth map's camera", of_depth<&EvalDepthRequest::camera>},
    {"depth-along", "ray|z", kClouds | kEvalDepth,
     "what a depth is: from the water surface along the refracted ray, or z of the point in the camera's "
     "frame. Must be given but for NPY, where it is ray",
     [](EvalRequest& r, const FlagValue& v) { r.depth.meaning.along_z = v.text == "z"; },
     needs("depth|truth-depth")},
    {"depth-scale", "X", kClouds | kEvalDepthFiles | kEvalDepth,
     "metres of one count of an integer NPY, PNG or TIFF (0.001 for millimetres)", read_depth_scale,
     needs("depth|truth-depth|protocol")},
    {"charuco", "DETECTED", kEvalBoard,
     "score the corners of a ChArUco board instead of a cloud: one point for each corner",
     into<&EvalRequest::charuco_file>, needs("board")},
    {"board", "TRUE_CORNERS", kEvalBoard, "the board's true corners, in the order of DETECTED",
     into<&EvalRequest::board_file>},
    {"calibration", "FILE", kEvalCalibration,
     "score this estimated calibration instead of a cloud: --protocol calibration",
     [](EvalRequest& r, const FlagValue& v) {
       r.calibration_file = v.text;
       r.protocol.protocol = "calibration";
     },
     needs("truth,volume")},
    {"volume", "X0,Y0,Z0,X1,Y1,Z1", kEvalCalibration, "a true box, metres",
     [](EvalRequest& r, const FlagValue& v) { r.protocol.knobs.push_back("volume=" + v.text); }},
};

const Flag<EvalRequest> kProtocolFlags[] = {
    {"protocol", "NAME", kEvalProtocol | kFiles | kEvalGiven,
     "score as another benchmark does: aqbench, eth3d, tanks-and-temples[-mesh], dtu[-mesh], scannet-mesh, "
     "normals, all; of depth maps (files, stacks, folders) depth, video-depth[-shift], robustmvd, eigen, "
     "moge-metric, moge-scale, moge-affine, moge-disparity; point-maps[-scale-shift|-normed], "
     "images[-3dgs|-nerfbaselines]; poses, vggt, pi3, da3, kitti-odometry, pose-sets, imc-2024, imc-2025; "
     "calibration",
     of_protocol<&Protocol::protocol>},
    {"explain", "A,B", kEvalExplain,
     "which knobs make the difference between the numbers of two protocols, each NAME or NAME:KNOB=VALUE",
     read_explain},
    {"which-protocol", "X", kEvalWhich, "which protocols and knobs give this published number (0.365, 36.5)",
     of_protocol<&Protocol::which>},
    {"knob", "NAME=VALUE", kEvalProtocol | kEvalExplain | kFiles,
     "set a knob (docs/protocols.md); may be repeated", of_protocol<&Protocol::knobs>, repeated()},
    {"mask", "FILE", kByProtocol | kEvalDepthFiles,
     "DTU's ObsMaskN_10.mat, or NPY of x, y, z with --mask-box; of maps and images the pixels that count",
     of_protocol<&Protocol::mask_file>},
    {"mask-box", "LIST", kByProtocol,
     "low corner, high corner and spacing of an NPY mask, 7 numbers in --truth-unit",
     [](EvalRequest& r, const FlagValue& v) {
       r.protocol.mask_box = read_numbers(v, 7, "expected X0,Y0,Z0,X1,Y1,Z1,SPACING");
     },
     needs("mask")},
    {"plane", "A,B,C,D", kByProtocol,
     "DTU's plane, in --truth-unit, or PlaneN.mat: truth points with A x + B y + C z + D > 0 are scored",
     [](EvalRequest& r, const FlagValue& v) {
       r.protocol.plane = v.text.ends_with(".mat")
                              ? read_observed_plane(v.text)
                              : read_numbers(v, 4, "expected A,B,C,D or a file PlaneN.mat");
     }},
    {"rpe-delta", "DELTA", kEvalPoses, "how far apart the poses of RPE are, frames (10) or path (10m)",
     [](EvalRequest& r, const FlagValue& v) { r.protocol.knobs.push_back("rpe_delta=" + v.text); }},
    {"confidence", "C.npy", kEvalDepthFiles | kEvalExplain | kEvalWhich,
     "how well these (a file or folder) rank the errors", of_protocol<&Protocol::confidence_file>},
};

const Flag<EvalRequest> kOutputFlags[] = {
    {"out", "DIR", kEvalGiven | kEvalCloud | kEvalProtocol | kEvalDepth | kFiles,
     "write a bundle there, as a sweep does (of a pattern: default a new one in out/)",
     into<&EvalRequest::into_bundle, &EvalGivenRequest::out>},
    {"baseline", "FILE", kEvalGiven, "compare with these accepted values",
     into<&EvalRequest::into_bundle, &EvalGivenRequest::baseline>},
    {"gate", nullptr, kEvalGiven, "let the comparison decide the exit code",
     into<&EvalRequest::into_bundle, &EvalGivenRequest::gate>, needs("baseline")},
    {"all", nullptr, kEvalCloud, "print every metric, as --json does", of_cloud<&Cloud::all>},
    {"json", nullptr, kEveryMode, "print JSON in the layout of results.json", of_cloud<&Cloud::json>},
    {"tiles", "FILE", kEvalCloud, "write the errors of tiles to this CSV file", of_cloud<&Cloud::tiles_file>},
    {"views", "FILE", kEvalCloud, "write completeness by number of views to this CSV file",
     of_cloud<&Cloud::views_file>, needs("rig|dataset")},
    {"threads", "N", kEveryMode, "changes no metric (default: all processors)", into<&EvalRequest::threads>},
};

}  // namespace

CommandLine<EvalRequest> eval_command_line() {
  CommandLine<EvalRequest> line{
      "aqbench eval CLOUD (--scene S | --mesh M.ply | --truth FILE | --dataset DIR) [OPTION]...\n"
      "       aqbench eval 'results/{method}/{scene}/seed{seed}.ply' --dataset 'data/{scene}' [--out DIR]\n"
      "       aqbench eval CLOUD --truth FILE (--protocol NAME | --explain A,B | --which-protocol X)\n"
      "       aqbench eval --depth D.npy --camera NAME --dataset DIR [--unit UNIT] [--json]\n"
      "       aqbench eval --charuco DETECTED --board TRUE_CORNERS [--unit UNIT] [--json]\n"
      "       aqbench eval --calibration ESTIMATED --truth TRUE --volume X0,Y0,Z0,X1,Y1,Z1 [--json]",
      "Scores a point cloud or mesh (PLY, OBJ, STL, OFF, PCD, NPY, or text with x y z a line) against the\n"
      "exact surface of a scene, or against a mesh or scans taken as truth. Coordinates are metres in the\n"
      "scene's world frame, +Z down into the water; docs/scoring.md says what partial truths need.\n"
      "With --protocol as other benchmarks do (docs/protocols.md). A pattern in quotes, with {method},\n"
      "{scene} and {seed}, scores all files that it names. With --rig or --dataset also over what two or\n"
      "more cameras see, and by the number of views. Points that are not finite are counted and left out;\n"
      "with --out or a pattern they fail the case. Undefined metrics are n/a with their reason.\n"
      "With --depth: a depth map (metres along the refracted ray from the water, of the undistorted camera;\n"
      "NaN or 0: none) against that of a dataset. With --charuco: corners, with --calibration: a rig.",
      {},
      {{{.name = "CLOUD", .optional = true, .modes = kClouds | kFiles | kEvalGiven},
        of_cloud<&Cloud::cloud_file>}},
      kEvalModes,
      mode_of};
  append_group(line.flags, "the truth", kTruthFlags);
  append_group(line.flags, "the cloud, brought to the truth", kPlaceFlags);
  append_group(line.flags, "what is scored", kScoreFlags);
  append_group(line.flags, "depth maps and boards in place of a cloud", kDepthFlags);
  append_group(line.flags, "as other benchmarks score", kProtocolFlags);
  append_group(line.flags, "running and reporting", kOutputFlags);
  return line;
}

}  // namespace aqbench
