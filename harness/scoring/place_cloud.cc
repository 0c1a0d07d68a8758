#include "harness/scoring/place_cloud.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <numbers>
#include <utility>

#include "core/error.h"
#include "metrics/alignment/align.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/mesh_metrics.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/registration.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/transform.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

constexpr const char* kTanksAndTemples = "tanks-and-temples";

// A cloud on its way to the truth.
struct Placing {
  Output& output;
  const Surface& truth;
  const PlaceOptions& options;
  std::vector<std::string> notes = {};
  Json transforms = Json::object();
  std::vector<Similarity> moves = {};  // of a cloud on the disk
  Similarity moved_from_file = {};     // all moves

  void move(const Similarity& similarity) {
    moved_from_file = compose(similarity, moved_from_file);
    if (output.blocks)
      moves.push_back(similarity);
    else
      apply(similarity, output.reconstruction);
  }
};

// A mesh has no surface where a vertex has no place. Points of a cloud without one are counted and left out.
void refuse_unscorable(Placing& placing) {
  const ScorableHints& hints = placing.options.hints;
  try {
    if (placing.output.reconstruction.mesh) check_mesh(*placing.output.reconstruction.mesh);
  } catch (const Error& error) {
    throw input_error.of_file(hints.name, "{}", error.what());
  }
  const std::string warning = with_cloud(
      placing.output, [&](const CloudBlocks& cloud) { return check_scorable(cloud, placing.truth, hints); });
  if (!warning.empty()) placing.options.warn(warning);
}

// Notes a transform under a name of its own: what is applied twice stands there twice, in its order.
void note_moved(Placing& placing, const std::string& step, Json transform) {
  std::string name = step;
  for (int number = 2; placing.transforms.contains(name); ++number) name = fmt::format("{}_{}", step, number);
  placing.transforms[name] = std::move(transform);
}

void apply_given(Placing& placing, const std::string& file, const char* step, const char* flag) {
  const Similarity world_from_cloud = read_similarity(file);
  placing.move(world_from_cloud);
  note_moved(placing, step, to_json(world_from_cloud));
  if (std::abs(world_from_cloud.scale - 1) > 1e-9)
    placing.notes.push_back(fmt::format("{} scales by {:.9g}", flag, world_from_cloud.scale));
}

// ---- Alignment ----

// Writes the matrix with as many digits as move the cloud's points by less than 0.01 um, wherever they lie.
void note_matrix(Placing& placing, const Similarity& aligned_from_given) {
  const Eigen::Matrix4d m = aligned_from_given.matrix();
  const double reach_m =
      std::max({10.0, placing.options.largest_coordinate_m, aligned_from_given.translation_m.norm(),
                placing.moved_from_file.translation_m.norm()});
  const int decimals = 8 + static_cast<int>(std::min(std::log10(reach_m), 8.0)), width = decimals + 4;
  for (int row = 0; row < 4; ++row) {
    std::string line = "  ";
    for (int column = 0; column < 4; ++column)
      line += fmt::format("{}{:{}.{}f}", column == 0 ? '[' : ' ', m(row, column), width, decimals);
    placing.notes.push_back(line + ']');
  }
}

double degrees_of(const Similarity& similarity) {
  return Eigen::AngleAxisd(similarity.rotation()).angle() * 180 / std::numbers::pi;
}

// Moves the cloud, and writes down how far and what is left.
void apply_aligned(Placing& placing, const std::string& step, const Similarity& aligned_from_given,
                   Json left) {
  placing.move(aligned_from_given);
  Json json = to_json(aligned_from_given);
  json["rotation_deg"] = degrees_of(aligned_from_given);
  json.update(left);
  note_moved(placing, step, std::move(json));
  note_matrix(placing, aligned_from_given);
}

void align_to_surface(Placing& placing, const std::string& step) {
  AlignOptions options;
  options.scale = step == "sim3";
  const Alignment found = align_icp(placing.output.reconstruction.cloud, placing.truth, options);
  const Similarity aligned = similarity_from_matrix(found.b_from_a, "--align " + step);
  const std::string size = options.scale ? fmt::format(" with scale {:.9g}, rotation {:.4g} degrees,",
                                                       aligned.scale, degrees_of(aligned))
                                         : "";
  placing.notes.push_back(fmt::format(
      "aligned by ICP{} in {} iterations, rms {:.4g} -> {:.4g} mm: a bias may be hidden; x_world = "
      "M x_given, M =",
      size, found.iterations, 1e3 * found.rms_before_m, 1e3 * found.rms_after_m));
  if (!found.converged)
    placing.notes.push_back(
        fmt::format("the alignment still moved after {} iterations: it is not settled", found.iterations));
  apply_aligned(placing, step, aligned,
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

CameraPairs pair_cameras(const Placing& placing) {
  std::map<std::string, Vec3> true_centres;
  for (const CameraCentre& camera : read_camera_centres(placing.options.true_cameras_file))
    true_centres[camera.name] = camera.centre * placing.options.hints.truth_metres_per_unit;
  const Similarity& moved = placing.moved_from_file;
  CameraPairs pairs;
  for (const CameraCentre& camera : read_camera_centres(placing.options.cameras_file)) {
    const auto found = true_centres.find(camera.name);
    if (found == true_centres.end()) continue;
    pairs.from_m.push_back(moved.linear * camera.centre + moved.translation_m);
    pairs.to_m.push_back(found->second);
  }
  pairs.what = fmt::format("{} and {}: cameras with the same name", placing.options.cameras_file,
                           placing.options.true_cameras_file);
  return pairs;
}

void align_by_cameras(Placing& placing) {
  const CameraPairs pairs = pair_cameras(placing);
  const RobustFit fit = fit_similarity_robust(pairs.from_m, pairs.to_m, FitScale::estimated, pairs.what);
  placing.notes.push_back(
      fmt::format("aligned by {} of {} camera centres: scale {:.9g}, rotation {:.4g} degrees; rms {:.4g} mm "
                  "is left, largest "
                  "{:.4g} mm; x_world = M x_given, M =",
                  fit.inliers, pairs.from_m.size(), fit.to_from.scale, degrees_of(fit.to_from),
                  1e3 * fit.rms_m, 1e3 * fit.max_m));
  apply_aligned(placing, "cameras", fit.to_from,
                {{"cameras", pairs.from_m.size()},
                 {"agreeing_cameras", fit.inliers},
                 {"median_before_m", fit.median_before_m},
                 {"rms_after_m", fit.rms_m},
                 {"max_after_m", fit.max_m}});
}

// Notes what each of the three alignments found, for people and as JSON.
Json note_registration_steps(Placing& placing, const Registration& found) {
  Json steps = Json::array();
  for (const RegistrationStep& step : found.steps) {
    const PointFit& fit = step.icp.after;
    placing.notes.push_back(fmt::format(
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
void align_as_tanks_and_temples(Placing& placing) {
  RegistrationOptions options;
  options.tau_m = placing.options.tau_m.value_or(options.tau_m);
  const Surface& truth = placing.truth;
  const CameraPairs pairs = pair_cameras(placing);
  // A mesh has few vertices where it is flat: its surface counts.
  const std::vector<Vec3> truth_m = faces_of(truth) != nullptr ? mesh_samples_m(truth, options.tau_m / 2)
                                                               : truth.mesh(options.tau_m / 2).vertices_m;
  const std::string what = fmt::format("--align {}", kTanksAndTemples);
  const Registration found = register_as_tanks_and_temples(
      {placing.output.reconstruction.cloud.points_m, truth_m, pairs.from_m, pairs.to_m,
       [&](const Vec3& point) { return placing.options.crop.contains(point); }},
      options, what);
  const Similarity& aligned = found.truth_from_cloud;
  placing.notes.push_back(fmt::format(
      "registered as Tanks and Temples do, tau {:g} mm: {} of {} camera centres agree within {:g} mm, rms "
      "{:.4g} mm; at the end {}, rms {:.4g} mm",
      1e3 * options.tau_m, found.cameras.agreeing, pairs.from_m.size(), 1e3 * options.cameras.within_m,
      1e3 * found.cameras.rms_m, found.cameras_at_end.agreeing, 1e3 * found.cameras_at_end.rms_m));
  Json steps = note_registration_steps(placing, found);
  placing.notes.push_back(
      fmt::format("  scale {:.9g}, rotation {:.4g} degrees, shift {:.6g} m: a bias may be hidden; x_world = "
                  "M x_given, M =",
                  aligned.scale, degrees_of(aligned), aligned.translation_m.norm()));
  apply_aligned(placing, kTanksAndTemples, aligned,
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

void align_step(Placing& placing, const std::string& step) {
  constexpr std::string_view kFile = "file:";
  if (step.starts_with(kFile))
    apply_given(placing, step.substr(kFile.size()), "file", "--align file");
  else if (step == "cameras")
    align_by_cameras(placing);
  else if (step == kTanksAndTemples)
    align_as_tanks_and_temples(placing);
  else
    align_to_surface(placing, step);
}

}  // namespace

bool takes_cameras(const std::string& step) { return step == "cameras" || step == kTanksAndTemples; }

bool searches_for_truth(const std::string& step) { return step != "cameras" && !step.starts_with("file:"); }

Placement place_cloud(Output& output, const Surface& truth, const PlaceOptions& options) {
  Placing placing{output, truth, options};
  if (options.hints.metres_per_unit != 1) {
    Eigen::Matrix4d scaling = Eigen::Matrix4d::Identity();
    scaling.topLeftCorner<3, 3>() *= options.hints.metres_per_unit;
    placing.move(similarity_from_matrix(scaling, "--unit"));
  }
  if (!options.transform_file.empty()) apply_given(placing, options.transform_file, "given", "--transform");
  // What is only moved by ICP must be near the truth before.
  bool checked = false;
  for (const std::string& step : options.steps) {
    if (step == "icp" && !std::exchange(checked, true)) refuse_unscorable(placing);
    align_step(placing, step);
  }
  if (output.blocks) output.blocks = moved_blocks(std::move(output.blocks), std::move(placing.moves));
  if (!checked) refuse_unscorable(placing);
  return {std::move(placing.notes), std::move(placing.transforms)};
}

const FaceCounts* faces_of(const Surface& truth) {
  const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth);
  return bordered == nullptr ? nullptr : bordered->face_counts();
}

}  // namespace aqbench
