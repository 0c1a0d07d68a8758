#include "cli/eval/eval_input.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/scoring/scorable.h"
#include "metrics/alignment/align.h"
#include "metrics/alignment/similarity_fit.h"
#include "scenes/cloud/camera_centres.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/transform.h"

namespace aqbench::cli {
namespace {

// ---- Loading ----

void refuse_unscorable(const EvalInput& input, const Surface& truth, const std::string& file) {
  const std::string warning = check_scorable(input.reconstruction.cloud, truth, {.name = file});
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
