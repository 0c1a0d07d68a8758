#include "cli/eval/eval_input.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "cli/eval/eval_truth.h"
#include "core/error.h"
#include "core/text.h"
#include "metrics/alignment/align.h"
#include "metrics/alignment/similarity_fit.h"
#include "scenes/cloud/camera_centres.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/transform.h"

namespace aqbench::cli {
namespace {

// ---- Is it worth scoring? ----

using Box = Eigen::AlignedBox3d;

// With a smaller share of points near the scene, a wrong unit or frame is the likely cause.
constexpr double kAlmostNone = 0.01;

std::vector<Vec3> finite_points(const Reconstruction& reconstruction) {
  std::vector<Vec3> finite;
  for (const Vec3& point : reconstruction.cloud.points_m)
    if (point.allFinite()) finite.push_back(point);
  return finite;
}

// Returns the box of the scored region, with room around it for a poor reconstruction.
Box truth_region(const Surface& truth) {
  const Box box = truth_box(truth);
  const double margin_m = 0.5 * box.diagonal().norm();
  return {box.min() - Vec3::Constant(margin_m), box.max() + Vec3::Constant(margin_m)};
}

double share_inside(const std::vector<Vec3>& points, const Box& box, double scale) {
  const auto inside = std::ranges::count_if(points, [&](const Vec3& p) { return box.contains(p * scale); });
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

void refuse_other_units(const std::vector<Vec3>& points, const Box& region, const std::string& file) {
  struct Unit {
    const char* name;
    const char* flag;
    double metres;
  };
  for (const Unit unit : {Unit{"millimetres", "mm", 1e-3}, Unit{"centimetres", "cm", 1e-2}}) {
    const double share = share_inside(points, region, unit.metres);
    if (share > 0.5)
      throw Error(
          ErrorKind::input,
          fmt::format(
              "{}: coordinates look like {}, not metres ({:.0f} % of the points would then lie in the "
              "scene, now none does); give --unit {}",
              file, unit.name, 100 * share, unit.flag));
  }
}

std::string span_text(const std::vector<Vec3>& points) {
  Box box;
  for (const Vec3& point : points) box.extend(point);
  return fmt::format("x {:.4g} to {:.4g}, y {:.4g} to {:.4g}, z {:.4g} to {:.4g} m", box.min().x(),
                     box.max().x(), box.min().y(), box.max().y(), box.min().z(), box.max().z());
}

// Says before any metric is printed whether a cloud is worth scoring. Returns a warning for the user, empty
// for none, when almost no point lies near the scene. Throws what eval_cloud() says of the file.
std::string check_scorable(const Reconstruction& reconstruction, const Surface& truth,
                           const std::string& file) {
  const std::vector<Vec3>& all = reconstruction.cloud.points_m;
  if (all.empty()) throw Error(ErrorKind::input, file + ": no points");
  const std::vector<Vec3> points = finite_points(reconstruction);
  if (points.empty())
    throw Error(ErrorKind::input, fmt::format("{}: none of its {} points is finite", file, all.size()));

  const Box region = truth_region(truth);
  const double inside = share_inside(points, region, 1.0);
  if (inside < kAlmostNone) refuse_other_units(points, region, file);

  const Patch* const patch = truth.patch();
  const auto scored =
      patch == nullptr
          ? std::ranges::count_if(points, [&](const Vec3& p) { return region.contains(p); })
          : std::ranges::count_if(points, [&](const Vec3& p) { return patch->contains(p.x(), p.y()); });
  const std::string frame_hint =
      "is it in the scene's frame (metres, +Z down into the water)? see --transform";
  if (scored == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no point lies where the scene is scored; the cloud spans {}; {}", file,
                            span_text(points), frame_hint));
  if (inside < kAlmostNone)
    return fmt::format("{}: only {:.2g} % of the points lie near the scene; {}", file, 100 * inside,
                       frame_hint);
  return {};
}

// ---- Loading ----

void refuse_unscorable(const EvalInput& input, const Surface& truth, const std::string& file) {
  const std::string warning = check_scorable(input.reconstruction, truth, file);
  if (!warning.empty()) fmt::print(stderr, "aqbench: warning: {}\n", printable(warning));
}

// Notes a transform under a name of its own: what is applied twice stands there twice, in its order.
void note_transform(EvalInput& input, const std::string& step, Json transform) {
  std::string name = step;
  for (int number = 2; input.transforms.contains(name); ++number) name = fmt::format("{}_{}", step, number);
  input.transforms[name] = std::move(transform);
}

void apply_given(EvalInput& input, const std::string& file, const std::string& flag) {
  const Similarity world_from_cloud = read_similarity(file);
  apply(world_from_cloud, input.reconstruction);
  note_transform(input, flag == "--transform" ? "given" : "file", to_json(world_from_cloud));
  if (std::abs(world_from_cloud.scale - 1) > 1e-9)
    input.notes.push_back(fmt::format("{} scales by {:.9g}", flag, world_from_cloud.scale));
}

// ---- Alignment ----

void note_matrix(EvalInput& input, const Similarity& aligned_from_given) {
  const Eigen::Matrix4d m = aligned_from_given.matrix();
  for (int row = 0; row < 4; ++row)
    input.notes.push_back(
        fmt::format("  [{:13.9f} {:13.9f} {:13.9f} {:13.9f}]", m(row, 0), m(row, 1), m(row, 2), m(row, 3)));
}

double degrees_of(const Similarity& similarity) {
  return Eigen::AngleAxisd(similarity.rotation()).angle() * 180 / std::numbers::pi;
}

// Moves the cloud, and writes down how far and what is left.
void apply_aligned(EvalInput& input, const std::string& step, const Similarity& aligned_from_given,
                   Json left) {
  apply(aligned_from_given, input.reconstruction);
  Json json = to_json(aligned_from_given);
  json["rotation_deg"] = degrees_of(aligned_from_given);
  json.update(left);
  note_transform(input, step, std::move(json));
  note_matrix(input, aligned_from_given);
}

void align_to_surface(EvalInput& input, const Surface& truth, bool scale) {
  const std::string step = scale ? "sim3" : "icp";
  AlignOptions options;
  options.scale = scale;
  const Alignment found = align_icp(input.reconstruction.cloud, truth, options);
  const Similarity aligned = similarity_from_matrix(found.b_from_a, "--align " + step);
  if (!scale)
    input.notes.push_back(fmt::format(
        "aligned by ICP in {} iterations, rms {:.4g} -> {:.4g} mm: a bias may be hidden; x_world = "
        "M x_given, M =",
        found.iterations, 1e3 * found.rms_before_m, 1e3 * found.rms_after_m));
  else
    input.notes.push_back(
        fmt::format("aligned by ICP with scale {:.9g}, rotation {:.4g} degrees, in {} iterations, rms {:.4g} "
                    "-> {:.4g} mm: a "
                    "bias may be hidden; x_world = M x_given, M =",
                    aligned.scale, degrees_of(aligned), found.iterations, 1e3 * found.rms_before_m,
                    1e3 * found.rms_after_m));
  apply_aligned(input, step, aligned,
                {{"iterations", found.iterations},
                 {"determined_motions", found.constrained},
                 {"rms_before_m", found.rms_before_m},
                 {"rms_after_m", found.rms_after_m}});
}

// Pairs cameras of two files by their names.
void align_by_cameras(EvalInput& input, const EvalCloudRequest& request) {
  std::map<std::string, Vec3> true_centres;
  for (const CameraCentre& camera : read_camera_centres(request.truth_cameras_file))
    true_centres[camera.name] = camera.centre * request.truth_metres_per_unit;
  std::vector<Vec3> from, to;
  for (const CameraCentre& camera : read_camera_centres(request.cameras_file)) {
    const auto found = true_centres.find(camera.name);
    if (found == true_centres.end()) continue;
    from.push_back(camera.centre * request.metres_per_unit);
    to.push_back(found->second);
  }
  const std::string what =
      fmt::format("{} and {}: cameras with the same name", request.cameras_file, request.truth_cameras_file);
  const RobustFit fit = fit_similarity_robust(from, to, FitScale::estimated, what);
  input.notes.push_back(
      fmt::format("aligned by {} of {} camera centres: scale {:.9g}, rotation {:.4g} degrees; rms {:.4g} mm "
                  "is left, largest "
                  "{:.4g} mm; x_world = M x_given, M =",
                  fit.inliers, from.size(), fit.to_from.scale, degrees_of(fit.to_from), 1e3 * fit.rms_m,
                  1e3 * fit.max_m));
  apply_aligned(input, "cameras", fit.to_from,
                {{"cameras", from.size()},
                 {"agreeing_cameras", fit.inliers},
                 {"median_before_m", fit.median_before_m},
                 {"rms_after_m", fit.rms_m},
                 {"max_after_m", fit.max_m}});
}

void align_step(EvalInput& input, const EvalCloudRequest& request, const Surface& truth,
                const AlignStep& step) {
  switch (step.how) {
    case AlignStep::How::file:
      return apply_given(input, step.file, "--align file");
    case AlignStep::How::cameras:
      return align_by_cameras(input, request);
    case AlignStep::How::icp:
    case AlignStep::How::sim3:
      break;
  }
  align_to_surface(input, truth, step.how == AlignStep::How::sim3);
}

}  // namespace

EvalInput load_eval_input(const EvalCloudRequest& request, const Surface& truth) {
  EvalInput input;
  input.reconstruction = read_cloud_file(request.cloud_file);
  if (request.metres_per_unit != 1) {
    Eigen::Matrix4d scaling = Eigen::Matrix4d::Identity();
    scaling.topLeftCorner<3, 3>() *= request.metres_per_unit;
    apply(similarity_from_matrix(scaling, "--unit"), input.reconstruction);
  }
  if (!request.transform_file.empty()) apply_given(input, request.transform_file, "--transform");
  // What is only moved by ICP must be near the truth before.
  bool checked = false;
  for (const AlignStep& step : request.align) {
    if (step.how == AlignStep::How::icp && !std::exchange(checked, true))
      refuse_unscorable(input, truth, request.cloud_file);
    align_step(input, request, truth, step);
  }
  if (!checked) refuse_unscorable(input, truth, request.cloud_file);
  return input;
}

}  // namespace aqbench::cli
