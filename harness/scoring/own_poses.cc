#include "harness/scoring/own_poses.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/text.h"
#include "harness/scoring/score_case.h"
#include "metrics/alignment/align.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

constexpr double kDegPerRad = 180 / std::numbers::pi;

// "images/cam00/000000.png" is an image of camera cam00, "cam00.png" too; a recording's camera may be called
// "left_000" after its image "left/000.jpg".
std::vector<std::string> camera_names_of(std::string_view image) {
  std::string path(image);
  std::ranges::replace(path, '\\', '/');
  while (path.starts_with("./")) path.erase(0, 2);
  if (path.starts_with("images/")) path.erase(0, 7);
  const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
  const bool ends = dot != path.npos && dot > 0 && (slash == path.npos || dot > slash + 1);
  std::string stem = ends ? path.substr(0, dot) : path;
  std::vector<std::string> names = {path, stem};
  if (slash != path.npos) {
    std::ranges::replace(stem, '/', '_');
    names.push_back(stem);
    const std::size_t start = path.rfind('/', slash - 1) + 1;  // 0 without another slash
    names.push_back(path.substr(start, slash - start));
  }
  return names;
}

// Own and true poses of the cameras that have both, by the index of the camera in the rig.
struct PosePairs {
  std::vector<std::size_t> camera;
  std::vector<CameraPose> own, truth;
  std::vector<std::optional<OwnIntrinsics>> intrinsics;
};

CameraPose true_pose(const Camera& camera) {
  return {camera.camera_from_world.rotation.transpose(), camera_centre_m(camera.camera_from_world)};
}

PosePairs pair_with(const Rig& rig, const std::vector<OwnCamera>& own_cameras) {
  PosePairs pairs;
  for (const auto& [index, own] : own_cameras_by_number(rig, own_cameras)) {
    pairs.camera.push_back(index);
    pairs.own.push_back({own->own_from_camera, own->centre});
    pairs.truth.push_back(true_pose(rig.cameras[index]));
    pairs.intrinsics.push_back(own->intrinsics);
  }
  return pairs;
}

std::vector<Vec3> centres_of(const std::vector<CameraPose>& poses) {
  std::vector<Vec3> centres(poses.size());
  std::ranges::transform(poses, centres.begin(), &CameraPose::position_m);
  return centres;
}

// What brings the own cameras to the true ones, or why nothing does.
struct CameraFit {
  std::optional<RobustFit> fit;
  std::string why_none;
};

CameraFit fit_cameras(const PosePairs& pairs, FitScale scale) {
  try {
    return {fit_similarity_robust(centres_of(pairs.own), centres_of(pairs.truth), scale,
                                  fmt::format("alignment by {}", counted(pairs.camera.size(), "camera"))),
            ""};
  } catch (const Error& error) {  // a fact about these cameras, not a fault of the case
    return {std::nullopt, error.what()};
  }
}

// Compares all cameras of the rig with the aligned ones; each is its own moment.
ProtocolResult errors_of(const PosePairs& pairs, const Similarity& world_from_own, const Rig& rig) {
  Trajectory truth, own;
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
    truth.stamps_s.push_back(static_cast<double>(i));
    truth.poses.push_back(true_pose(rig.cameras[i]));
  }
  for (std::size_t i = 0; i < pairs.camera.size(); ++i) {
    own.stamps_s.push_back(static_cast<double>(pairs.camera[i]));
    own.poses.push_back({world_from_own.rotation() * pairs.own[i].rotation,
                         world_from_own.linear * pairs.own[i].position_m + world_from_own.translation_m});
  }
  return pose_errors(truth, own,
                     {.alignment = PoseAlignment::none,
                      .auc_thresholds_deg = {1, 3, 5, 10, 30},
                      .count_missing = true,
                      .max_paired_poses = kMaxPairedPoses});
}

double registered_pct(std::size_t registered, const Rig& rig) {
  return 100 * static_cast<double>(registered) / static_cast<double>(rig.cameras.size());
}

// Compares the intrinsics after a change of the image's size to the dataset's.
void add_intrinsics(const PosePairs& pairs, const Rig& rig, MetricWriter& writer) {
  std::vector<double> focal_pct, principal_px;
  for (std::size_t i = 0; i < pairs.camera.size(); ++i) {
    if (!pairs.intrinsics[i]) continue;
    const OwnIntrinsics& own = *pairs.intrinsics[i];
    const Intrinsics& truth = rig.cameras[pairs.camera[i]].intrinsics;
    const double x = truth.width_px / own.width_px, y = truth.height_px / own.height_px;
    focal_pct.push_back(
        100 * std::abs(std::sqrt(x * own.fx_px * y * own.fy_px / (truth.K(0, 0) * truth.K(1, 1))) - 1));
    principal_px.push_back(
        std::hypot(x * (own.cx_px + 0.5) - 0.5 - truth.K(0, 2), y * (own.cy_px + 0.5) - 0.5 - truth.K(1, 2)));
  }
  const auto add = [&](const char* row, std::vector<double>& values) {
    if (values.empty())
      writer.add_undefined(row, "its cameras have no focal length and image size");
    else
      writer.add(row, median_in_place(values));
  };
  add("pose_focal_error_median_pct", focal_pct);
  add("pose_principal_point_median_px", principal_px);
}

MetricSet pose_metrics(const ProtocolResult& errors, const CameraFit& fitted, const PosePairs& pairs,
                       const Rig& rig) {
  MetricWriter writer;
  const auto add = [&](const std::string& row, std::string_view value, double factor,
                       std::optional<double> threshold = {}) {
    const ProtocolValue& found = *find_value(errors, value, threshold);
    if (found.value)
      writer.add(row, *found.value * factor);
    else
      writer.add_undefined(row, found.reason);
  };
  for (const int degrees : {1, 3, 5, 10, 30})
    add(fmt::format("pose_auc_{}deg_pct", degrees), "auc", 100, degrees);
  writer.add("pose_registered_pct", registered_pct(pairs.camera.size(), rig));
  add_intrinsics(pairs, rig, writer);
  if (fitted.fit) {
    add("pose_rotation_median_deg", "are_median", 1);
    add("pose_rotation_rmse_deg", "are_rmse", 1);
    add("pose_position_median_mm", "ate_median", 1000);
    add("pose_position_rmse_mm", "ate_rmse", 1000);
    writer.add("pose_alignment_rms_mm", 1000 * fitted.fit->rms_m);
  }
  writer.add_rest_undefined(ScoreFamily::poses, fitted.why_none);
  return writer.take();
}

// Moves the output, and writes the whole transform so far into the record.
void move(Reconstruction& output, const Similarity& by) {
  apply(by, output);
  for (OwnCamera& camera : output.own_cameras) {
    camera.own_from_camera = by.rotation() * camera.own_from_camera;
    camera.centre = by.linear * camera.centre + by.translation_m;
  }
}

void note_transform(const std::string& step, const Similarity& moved, Record& record) {
  const Eigen::AngleAxisd turn(moved.rotation());
  const Vec3 vector_deg = turn.angle() * kDegPerRad * turn.axis();
  const auto note = [&](const std::string& name, double value) {
    record.effective.emplace_back(fmt::format("{}_{}", step, name), value);
  };
  note("scale", moved.scale);
  note("rotation_deg", turn.angle() * kDegPerRad);
  for (int axis = 0; axis < 3; ++axis) note(fmt::format("rotation_{}_deg", "xyz"[axis]), vector_deg[axis]);
  for (int axis = 0; axis < 3; ++axis)
    note(fmt::format("shift_{}_m", "xyz"[axis]), moved.translation_m[axis]);
}

}  // namespace

std::size_t camera_of(const Rig& rig, const std::string& image) {
  for (const std::string& name : camera_names_of(image)) {
    const auto found = std::ranges::find(rig.cameras, name, &Camera::name);
    if (found != rig.cameras.end()) return static_cast<std::size_t>(found - rig.cameras.begin());
  }
  throw method_error("its poses name '{}', which is no image or camera of the dataset", escape_bytes(image));
}

std::map<std::size_t, const OwnCamera*> own_cameras_by_number(const Rig& rig,
                                                              const std::vector<OwnCamera>& own_cameras) {
  std::map<std::size_t, const OwnCamera*> by_camera;
  for (const OwnCamera& own : own_cameras)
    if (const auto [place, is_new] = by_camera.emplace(camera_of(rig, own.name), &own); !is_new)
      throw method_error("its poses name camera {} twice: '{}' and '{}'", rig.cameras[place->first].name,
                         escape_bytes(place->second->name), escape_bytes(own.name));
  return by_camera;
}

OwnPlacement align_own_cameras(Reconstruction& output, const Rig& rig, FitScale scale, Record& record) {
  const PosePairs pairs = pair_with(rig, output.own_cameras);
  const CameraFit fitted = fit_cameras(pairs, scale);
  const Similarity moved = fitted.fit ? fitted.fit->to_from : Similarity{};
  if (fitted.fit) note_transform("alignment", moved, record);
  record.effective.emplace_back("alignment_cameras", static_cast<double>(pairs.camera.size()));
  if (fitted.fit)
    record.effective.emplace_back("alignment_agreeing_cameras", static_cast<double>(fitted.fit->inliers));
  OwnPlacement placed{pose_metrics(errors_of(pairs, moved, rig), fitted, pairs, rig), fitted.why_none,
                      fitted.fit && fitted.fit->inliers == pairs.camera.size()};
  if (fitted.fit) move(output, moved);
  return placed;
}

MetricSet undefined_metrics(const Reconstruction& output, const ScoreOptions* surface,
                            std::span<const ScoreFamily> families, std::span<const AskedProtocol> protocols,
                            const std::string& reason) {
  MetricWriter writer;
  const auto add = [&](std::initializer_list<ScoreFamily> rest) {
    for (const ScoreFamily family : rest) writer.add_rest_undefined(family, reason);
  };
  if (surface != nullptr) {
    for (const double tolerance_m : surface->tolerances_m)
      for (const char* const row :
           {"precision_{t}mm_pct", "completeness_{t}mm_pct", "completeness_inset_{t}mm_pct",
            "completeness_seen2_{t}mm_pct", "fscore_{t}mm_pct"})
        writer.add_undefined(row, reason, tolerance_m);
    writer.add("points", static_cast<double>(output.cloud.points_m.size()));
    add({ScoreFamily::errors, ScoreFamily::distances, ScoreFamily::plane, ScoreFamily::tiles});
    for (const char* const row :
         {"points_outside_patch", "points_non_finite", "point_density_pct", "points_per_mm2"})
      writer.add_undefined(row, reason);
    if (!output.cloud.normals.empty()) add({ScoreFamily::normals});
    if (output.mesh) add({ScoreFamily::mesh});
  }
  for (const ScoreFamily family : families) add({family});
  MetricSet metrics = writer.take();
  if (surface != nullptr) name_sizes(metrics, *surface);
  for (const AskedProtocol& asked : protocols)
    for (const ProtocolMetric& metric : metrics_of(asked))
      metrics.emplace_back(metric.name, Metric{std::nullopt, metric.unit, metric.better, reason});
  return metrics;
}

OwnRig rig_of_own_cameras(const Reconstruction& output, const Rig& images) {
  OwnRig found;
  const auto cameras = own_cameras_by_number(images, output.own_cameras);
  for (const auto& [index, own] : cameras) {
    if (!own->intrinsics || !own->distortion) continue;
    Camera& camera = found.rig.cameras.emplace_back(images.cameras[index]);
    Intrinsics& inside = camera.intrinsics;
    const OwnIntrinsics& of = *own->intrinsics;
    const double x = inside.width_px / of.width_px, y = inside.height_px / of.height_px;
    inside.K << x * of.fx_px, 0, x * (of.cx_px + 0.5) - 0.5,  //
        0, y * of.fy_px, y * (of.cy_px + 0.5) - 0.5,          //
        0, 0, 1;
    if (!own->distortion->empty()) inside.distortion = *own->distortion;
    inside.lens = own->distortion->size() == 4 ? LensModel::fisheye : LensModel::brown_conrady;
    const Mat3 turn = own->own_from_camera.transpose();
    camera.camera_from_world = {turn, -(turn * own->centre)};
    found.images.push_back(index);
  }
  MetricWriter writer;
  writer.add("pose_registered_pct", registered_pct(cameras.size(), images));
  if (found.rig.cameras.size() < 2)
    writer.add_rest_undefined(ScoreFamily::photometric,
                              "fewer than two of its cameras have a focal length and a known lens");
  found.metrics = writer.take();
  return found;
}

void align_to_truth(Reconstruction& output, const Surface& truth, bool scale, Record& record) {
  if (!scale) require_scorable(output, truth);
  const std::string what = scale ? "alignment.then=sim3" : "alignment.then=icp";
  try {
    AlignOptions options;
    options.scale = scale;
    const Alignment found = align_icp(output.cloud, truth, options);
    const Similarity moved = similarity_from_matrix(found.b_from_a, what);
    note_transform("icp", moved, record);
    record.effective.emplace_back("icp_iterations", found.iterations);
    record.effective.emplace_back("icp_converged", found.converged ? 1 : 0);
    record.effective.emplace_back("icp_determined_motions", found.constrained);
    record.effective.emplace_back("icp_rms_before_mm", 1000 * found.rms_before_m);
    record.effective.emplace_back("icp_rms_after_mm", 1000 * found.rms_after_m);
    move(output, moved);
  } catch (const Error& error) {
    throw method_error("{}: {}", what, error.what());
  }
}

}  // namespace aqbench
