#include "cli/eval/eval_cloud.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "harness/scoring/true_surface.h"
#include "metrics/alignment/align.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/mesh_metrics.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/registration.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/transform.h"

namespace aqbench::cli {
namespace {

// ---- Loading ----

// A cloud on its way to the truth.
struct Loading {
  EvalInput input;
  std::vector<Similarity> moves;  // of a cloud on the disk
  Similarity moved_from_file;     // all moves
  double largest_m = 0;           // coordinate as it was read

  void move(const Similarity& similarity) {
    moved_from_file = compose(similarity, moved_from_file);
    if (input.on_disk) {
      moves.push_back(similarity);
    } else {
      apply(similarity, input.reconstruction);
    }
  }
};

// Alignment to the surface needs the points in memory.
bool searches_for_truth(const EvalCloudRequest& request) {
  return std::ranges::any_of(request.align, [](const AlignStep& step) {
    return step.how == AlignStep::How::icp || step.how == AlignStep::How::sim3 ||
           step.how == AlignStep::How::tanks_and_temples;
  });
}

Loading open_cloud(const EvalCloudRequest& request, std::size_t most_in_memory) {
  Loading loading;
  EvalInput& input = loading.input;
  if (!searches_for_truth(request))
    input.on_disk = open_cloud_blocks(request.cloud_file, most_in_memory + 1, request.columns);
  if (!input.on_disk) input.reconstruction = read_cloud_file(request.cloud_file, request.columns);
  CoordinateSteps steps = input.on_disk ? coordinate_steps(*input.on_disk)
                                        : coordinate_steps(SpanBlocks(input.reconstruction.cloud.points_m));
  steps.largest_m *= request.metres_per_unit;
  steps.float_step_m *= request.metres_per_unit;
  warn_of_steps(request.cloud_file, steps, request.score);
  loading.largest_m = steps.largest_m;
  return loading;
}

// A mesh has no surface where a vertex has no place. Points of a cloud without one are counted and left out.
void refuse_unusable_mesh(const EvalInput& input, const std::string& file) {
  if (!input.reconstruction.mesh) return;
  try {
    check_mesh(*input.reconstruction.mesh);
  } catch (const Error& error) {
    throw input_error.of_file(file, "{}", error.what());
  }
}

void refuse_unscorable(const EvalInput& input, const Surface& truth, const EvalCloudRequest& request) {
  refuse_unusable_mesh(input, request.cloud_file);
  const ScorableHints hints{.name = request.cloud_file,
                            .metres_per_unit = request.metres_per_unit,
                            .truth_metres_per_unit = request.truth_metres_per_unit};
  const std::string warning = input.on_disk ? check_scorable(*input.on_disk, truth, hints)
                                            : check_scorable(input.reconstruction.cloud, truth, hints);
  if (!warning.empty()) fmt::print(stderr, "aqbench: warning: {}\n", printable(warning));
}

// Notes a transform under a name of its own: what is applied twice stands there twice, in its order.
void note_transform(EvalInput& input, const std::string& step, Json transform) {
  std::string name = step;
  for (int number = 2; input.transforms.contains(name); ++number) name = fmt::format("{}_{}", step, number);
  input.transforms[name] = std::move(transform);
}

void apply_given(Loading& loading, const std::string& file, const std::string& flag) {
  EvalInput& input = loading.input;
  const Similarity world_from_cloud = read_similarity(file);
  loading.move(world_from_cloud);
  note_transform(input, flag == "--transform" ? "given" : "file", to_json(world_from_cloud));
  if (std::abs(world_from_cloud.scale - 1) > 1e-9)
    input.notes.push_back(fmt::format("{} scales by {:.9g}", flag, world_from_cloud.scale));
}

// ---- Alignment ----

// Writes the matrix with as many digits as move the cloud's points by less than 0.01 um, wherever they lie.
void note_matrix(Loading& loading, const Similarity& aligned_from_given) {
  const Eigen::Matrix4d m = aligned_from_given.matrix();
  const double reach_m = std::max({10.0, loading.largest_m, aligned_from_given.translation_m.norm(),
                                   loading.moved_from_file.translation_m.norm()});
  const int decimals = 8 + static_cast<int>(std::min(std::log10(reach_m), 8.0)), width = decimals + 4;
  for (int row = 0; row < 4; ++row)
    loading.input.notes.push_back(fmt::format("  [{:{}.{}f} {:{}.{}f} {:{}.{}f} {:{}.{}f}]", m(row, 0), width,
                                              decimals, m(row, 1), width, decimals, m(row, 2), width,
                                              decimals, m(row, 3), width, decimals));
}

double degrees_of(const Similarity& similarity) {
  return Eigen::AngleAxisd(similarity.rotation()).angle() * 180 / std::numbers::pi;
}

// Moves the cloud, and writes down how far and what is left.
void apply_aligned(Loading& loading, const std::string& step, const Similarity& aligned_from_given,
                   Json left) {
  EvalInput& input = loading.input;
  loading.move(aligned_from_given);
  Json json = to_json(aligned_from_given);
  json["rotation_deg"] = degrees_of(aligned_from_given);
  json.update(left);
  note_transform(input, step, std::move(json));
  note_matrix(loading, aligned_from_given);
}

void align_to_surface(Loading& loading, const Surface& truth, bool scale) {
  EvalInput& input = loading.input;
  const std::string step = scale ? "sim3" : "icp";
  AlignOptions options;
  options.scale = scale;
  const Alignment found = align_icp(input.reconstruction.cloud, truth, options);
  const Similarity aligned = similarity_from_matrix(found.b_from_a, "--align " + step);
  const std::string size =
      scale ? fmt::format(" with scale {:.9g}, rotation {:.4g} degrees,", aligned.scale, degrees_of(aligned))
            : "";
  input.notes.push_back(fmt::format(
      "aligned by ICP{} in {} iterations, rms {:.4g} -> {:.4g} mm: a bias may be hidden; x_world = "
      "M x_given, M =",
      size, found.iterations, 1e3 * found.rms_before_m, 1e3 * found.rms_after_m));
  if (!found.converged)
    input.notes.push_back(
        fmt::format("the alignment still moved after {} iterations: it is not settled", found.iterations));
  apply_aligned(loading, step, aligned,
                {{"iterations", found.iterations},
                 {"converged", found.converged},
                 {"determined_motions", found.constrained},
                 {"rms_before_m", found.rms_before_m},
                 {"rms_after_m", found.rms_after_m}});
}

// Cameras of two files, paired by their names.
struct CameraPairs {
  std::vector<Vec3> from_m, to_m;  // as far as the cloud was moved; in the truth's frame
  std::string what;
};

CameraPairs pair_cameras(const Loading& loading, const EvalCloudRequest& request) {
  std::map<std::string, Vec3> true_centres;
  for (const CameraCentre& camera : read_camera_centres(request.truth_cameras_file))
    true_centres[camera.name] = camera.centre * request.truth_metres_per_unit;
  const Similarity& moved = loading.moved_from_file;
  CameraPairs pairs;
  for (const CameraCentre& camera : read_camera_centres(request.cameras_file)) {
    const auto found = true_centres.find(camera.name);
    if (found == true_centres.end()) continue;
    pairs.from_m.push_back(moved.linear * camera.centre + moved.translation_m);
    pairs.to_m.push_back(found->second);
  }
  pairs.what =
      fmt::format("{} and {}: cameras with the same name", request.cameras_file, request.truth_cameras_file);
  return pairs;
}

void align_by_cameras(Loading& loading, const EvalCloudRequest& request) {
  EvalInput& input = loading.input;
  const CameraPairs pairs = pair_cameras(loading, request);
  const RobustFit fit = fit_similarity_robust(pairs.from_m, pairs.to_m, FitScale::estimated, pairs.what);
  input.notes.push_back(
      fmt::format("aligned by {} of {} camera centres: scale {:.9g}, rotation {:.4g} degrees; rms {:.4g} mm "
                  "is left, largest "
                  "{:.4g} mm; x_world = M x_given, M =",
                  fit.inliers, pairs.from_m.size(), fit.to_from.scale, degrees_of(fit.to_from),
                  1e3 * fit.rms_m, 1e3 * fit.max_m));
  apply_aligned(loading, "cameras", fit.to_from,
                {{"cameras", pairs.from_m.size()},
                 {"agreeing_cameras", fit.inliers},
                 {"median_before_m", fit.median_before_m},
                 {"rms_after_m", fit.rms_m},
                 {"max_after_m", fit.max_m}});
}

// Notes what each of the three alignments found, for people and as JSON.
Json note_registration_steps(EvalInput& input, const Registration& found) {
  Json steps = Json::array();
  for (const RegistrationStep& step : found.steps) {
    const PointFit& fit = step.icp.after;
    input.notes.push_back(fmt::format(
        "  ICP {}, partners within {:g} mm: fitness {:.6g}, inlier rmse {:.4g} mm, scale {:.9g}, in {} "
        "iterations, {} of {} points",
        step.voxel_m > 0 ? fmt::format("in voxels of {:g} mm", 1e3 * step.voxel_m) : "of points",
        1e3 * step.within_m, fit.fitness, 1e3 * fit.inlier_rmse_m, step.icp.to_from.scale,
        step.icp.iterations, step.icp.pairs, step.points));
    steps.push_back({{"voxel_m", step.voxel_m},
                     {"within_m", step.within_m},
                     {"points", step.points},
                     {"truth_points", step.truth_points},
                     {"pairs", step.icp.pairs},
                     {"iterations", step.icp.iterations},
                     {"scale", step.icp.to_from.scale},
                     {"fitness", fit.fitness},
                     {"inlier_rmse_m", fit.inlier_rmse_m}});
  }
  return steps;
}

// Registers the points of a cloud, or a mesh's vertices, to those of the truth.
void align_as_tanks_and_temples(Loading& loading, const EvalCloudRequest& request, const Surface& truth) {
  constexpr const char* kStep = "tanks-and-temples";
  EvalInput& input = loading.input;
  RegistrationOptions options;
  if (request.given_thresholds) options.tau_m = request.score.tolerances_m.front();
  Crop crop;
  for (const std::string& part : request.crops) add_crop(crop, part, request.truth_metres_per_unit);
  const CameraPairs pairs = pair_cameras(loading, request);
  // A mesh has few vertices where it is flat: its surface counts.
  const std::vector<Vec3> truth_m = faces_of(truth) != nullptr ? mesh_samples_m(truth, options.tau_m / 2)
                                                               : truth.mesh(options.tau_m / 2).vertices_m;
  const std::string what = fmt::format("--align {}", kStep);
  const Registration found =
      register_as_tanks_and_temples({input.reconstruction.cloud.points_m, truth_m, pairs.from_m, pairs.to_m,
                                     [&](const Vec3& point) { return crop.contains(point); }},
                                    options, what);
  const Similarity& aligned = found.truth_from_cloud;
  input.notes.push_back(fmt::format(
      "registered as Tanks and Temples do, tau {:g} mm: {} of {} camera centres agree within {:g} mm, rms "
      "{:.4g} mm; at the end {}, rms {:.4g} mm",
      1e3 * options.tau_m, found.cameras.agreeing, pairs.from_m.size(), 1e3 * options.cameras.within_m,
      1e3 * found.cameras.rms_m, found.cameras_at_end.agreeing, 1e3 * found.cameras_at_end.rms_m));
  Json steps = note_registration_steps(input, found);
  input.notes.push_back(
      fmt::format("  scale {:.9g}, rotation {:.4g} degrees, shift {:.6g} m: a bias may be hidden; x_world = "
                  "M x_given, M =",
                  aligned.scale, degrees_of(aligned), aligned.translation_m.norm()));
  apply_aligned(loading, kStep, aligned,
                {{"shift_m", aligned.translation_m.norm()},
                 {"tau_m", options.tau_m},
                 {"cameras", pairs.from_m.size()},
                 {"agreeing_cameras", found.cameras.agreeing},
                 {"cameras_rms_m", found.cameras.rms_m},
                 {"cameras_transform", to_json(found.cameras.to_from)},
                 {"agreeing_cameras_at_end", found.cameras_at_end.agreeing},
                 {"cameras_rms_at_end_m", found.cameras_at_end.rms_m},
                 {"icp", std::move(steps)}});
}

void align_step(Loading& loading, const EvalCloudRequest& request, const Surface& truth,
                const AlignStep& step) {
  switch (step.how) {
    case AlignStep::How::file:
      return apply_given(loading, step.file, "--align file");
    case AlignStep::How::cameras:
      return align_by_cameras(loading, request);
    case AlignStep::How::tanks_and_temples:
      return align_as_tanks_and_temples(loading, request, truth);
    case AlignStep::How::icp:
    case AlignStep::How::sim3:
      break;
  }
  align_to_surface(loading, truth, step.how == AlignStep::How::sim3);
}

}  // namespace

EvalInput load_eval_input(const EvalCloudRequest& request, const Surface& truth, std::size_t most_in_memory) {
  Loading loading = open_cloud(request, most_in_memory);
  if (request.metres_per_unit != 1) {
    Eigen::Matrix4d scaling = Eigen::Matrix4d::Identity();
    scaling.topLeftCorner<3, 3>() *= request.metres_per_unit;
    loading.move(similarity_from_matrix(scaling, "--unit"));
  }
  if (!request.transform_file.empty()) apply_given(loading, request.transform_file, "--transform");
  // What is only moved by ICP must be near the truth before.
  bool checked = false;
  for (const AlignStep& step : request.align) {
    if (step.how == AlignStep::How::icp && !std::exchange(checked, true))
      refuse_unscorable(loading.input, truth, request);
    align_step(loading, request, truth, step);
  }
  EvalInput& input = loading.input;
  if (input.on_disk) input.on_disk = moved_blocks(std::move(input.on_disk), std::move(loading.moves));
  if (!checked) refuse_unscorable(input, truth, request);
  return std::move(input);
}

}  // namespace aqbench::cli
