#include "harness/scoring/evaluate.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/quantiles.h"
#include "harness/scoring/agreement.h"
#include "harness/scoring/own_poses.h"
#include "harness/scoring/place_scores.h"
#include "harness/scoring/true_surface.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/length_units.h"
#include "scenes/cloud/ply.h"
#include "scenes/images/images.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

bool has_place(const PointCloud& cloud) {
  return std::ranges::any_of(cloud.points_m, [](const Vec3& point) { return point.allFinite(); });
}

// A surface in a likely wrong unit explains a cloud that misses it.
void require_near(const Reconstruction& output, const Subject& subject) {
  if (subject.recording == nullptr) return require_scorable(output, *subject.surface());
  const auto metres = subject.truth->surface ? metres_per_unit(subject.truth->surface->unit) : std::nullopt;
  try {
    require_scorable(output, *subject.surface(), metres.value_or(1));
  } catch (const Error& error) {
    const std::string unit =
        has_place(output.cloud) ? likelier_truth_unit(*subject.recording, *subject.truth, subject.frame) : "";
    if (unit.empty()) throw;
    throw method_error("{}; {}", unit, error.what());
  }
}

// A pair of cameras hardly resolves depth beyond this many times its baseline.
constexpr double kMaxBaselines = 300;

// Without truth, the cameras exclude impossible units.
void require_plausible_distance(const PointCloud& cloud, const Rig& rig) {
  double baseline_m = 0;
  for (const Camera& a : rig.cameras)
    for (const Camera& b : rig.cameras)
      baseline_m = std::max(
          baseline_m, (camera_centre_m(a.camera_from_world) - camera_centre_m(b.camera_from_world)).norm());
  std::vector<double> distances_m;
  for (const Vec3& point : cloud.points_m)
    if (point.allFinite() && !rig.cameras.empty())
      distances_m.push_back((point - camera_centre_m(rig.cameras.front().camera_from_world)).norm());
  if (distances_m.empty() || !(baseline_m > 0)) return;
  const double median_m = upper_median_in_place(std::span(distances_m));
  if (median_m <= kMaxBaselines * baseline_m) return;
  throw method_error(
      "the points are {:.3g} m from the first camera (median), but the cameras at most {:.3g} m "
      "from each other; set \"unit\" of the method if the cloud is not in metres",
      median_m, baseline_m);
}

// What the images say of points that no truth is known for, in the rig's frame.
UnscoredPoints measure_unscored(const PointCloud& cloud, const Rig& rig, const ImageOfCamera& image_of,
                                const ViewLimits& limits) {
  UnscoredPoints points;
  points.index = spread_points(cloud, limits.points);
  points.views = images_showing(cloud, points.index, rig);
  // Each point takes a look into every image: of a million only a part is asked.
  const std::size_t every = stride_for(points.index.size(), ViewLimits{}.points);
  std::vector<std::uint32_t> asked;
  for (std::size_t k = 0; k < points.index.size(); k += every) asked.push_back(points.index[k]);
  const std::vector<double> likenesses = point_likenesses(cloud, asked, rig, image_of);
  points.agreement.assign(points.index.size(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < likenesses.size(); ++k) points.agreement[k * every] = likenesses[k];
  return points;
}

// Keeps the cloud and its view without a truth, in the dataset's own frame.
void keep_unscored(const Reconstruction& output, const Rig& rig, const ImageOfCamera& image_of,
                   const KeptFiles& kept, CaseResult& result) {
  const std::string& name = result.record.case_name;
  if (kept.cloud)
    result.artefacts.emplace_back(case_file(kCloudsFolder, name, ".ply"), ply_cloud_bytes(output.cloud));
  if (!kept.pictures) return;
  const ViewLimits limits = kept.cloud ? kFullView : ViewLimits{};
  const UnscoredPoints points = measure_unscored(output.cloud, rig, image_of, limits);
  if (!points.index.empty())
    result.artefacts.emplace_back(case_file(kViewerFolder, name, ".bin"),
                                  encode_view(make_view_without_truth(output, points, &rig, limits)));
}

// The grey images of a frame.
ImageOfCamera images_of(const Recording& recording, std::size_t frame) {
  return [&recording, frame](std::size_t camera) {
    const std::filesystem::path& file = recording.images.at(frame).at(camera);
    const Intrinsics& inside = recording.rig.cameras[camera].intrinsics;
    return decode_grey(read_file(file), inside.width_px, inside.height_px, file.string());
  };
}

// Images without cameras: what the method's own cameras say, in its own frame and unit.
void score_by_own_cameras(const Subject& subject, const Reconstruction& output, const KeptFiles& kept,
                          CaseResult& result) {
  OwnRig own = rig_of_own_cameras(output, subject.recording->rig);
  const ImageOfCamera of_recording = images_of(*subject.recording, subject.frame);
  const ImageOfCamera image_of = [&](std::size_t camera) { return of_recording(own.images[camera]); };
  add_metrics(std::move(own.metrics), result.record.metrics);
  if (own.rig.cameras.size() >= 2)
    add_metrics(measure_photometric(output.cloud, own.rig, image_of), result.record.metrics);
  keep_unscored(output, own.rig, image_of, kept, result);
}

// The calibration that a method had where it was wrong, and where its own cameras stand.
struct Placed {
  std::optional<MapCalibration> had;
  OwnPlacement own;

  const MapCalibration* made_with() const { return had ? &*had : nullptr; }
};

// Moves the output on to the truth, where there is a surface, and checks where it lies. That cameras of its
// own which do not all agree put it elsewhere is a fact about its poses, not a fault of the case.
void bring_to_truth(const Subject& subject, const EvaluateOptions& options, OwnPlacement& own,
                    Evaluation& done, Record& record) {
  Reconstruction& output = done.output.reconstruction;
  try {
    const Surface* const surface = subject.surface();
    if (surface == nullptr) return require_plausible_distance(output.cloud, *subject.rig);
    if (options.then != "nothing") align_to_truth(output, *surface, options.then == "sim3", record);
    if (options.place)
      done.placement = place_cloud(done.output, *surface, *options.place);
    else if (options.may_miss)
      require_near(output, subject);
  } catch (const Error& error) {
    if (own.all_agree || error.kind() != ErrorKind::method || !has_place(output.cloud)) throw;
    own.unplaced = error.what();
  }
}

// An output whose cameras do not say where it lies: the poses are scored, and the rest is undefined.
void add_unplaced(const Subject& subject, const EvaluateOptions& options, const Reconstruction& output,
                  OwnPlacement own, Record& record) {
  std::vector<ScoreFamily> families;
  if (subject.recording != nullptr) {
    families = {ScoreFamily::photometric};
    if (!subject.recording->masks.empty()) families.push_back(ScoreFamily::masks);
    if (!subject.truth->board_file.empty()) families.push_back(ScoreFamily::board);
    if (!subject.truth->control_file.empty()) families.push_back(ScoreFamily::control);
  }
  add_metrics(undefined_metrics(output, subject.surface() != nullptr ? &options.score : nullptr, families,
                                options.protocols, own.unplaced),
              record.metrics);
  add_metrics(std::move(own.metrics), record.metrics);
}

// Scores cloud and mesh against the true surface.
void score_surface(const Subject& subject, const EvaluateOptions& options, const ViewCounter& views,
                   Evaluation& done, CaseResult& result) {
  const Reconstruction& output = done.output.reconstruction;
  const Surface& truth = *subject.surface();
  done.score = done.output.blocks ? score_blocks(*done.output.blocks, nullptr, truth, options.score, views)
                                  : score_reconstruction(output, truth, options.score, views);
  if (const std::string why = why_nothing_is_scored(done.score.counts); !why.empty()) {
    if (options.place) throw input_error.of_file(options.place->hints.name, "{}", why);
    throw method_error("its cloud: {}", why);
  }
  add_metrics(std::move(done.score.metrics), result.record.metrics);
  // How many faces count once though they are there twice.
  if (const FaceCounts* const faces = faces_of(truth))
    note_count("truth_repeated_faces", faces->repeated, result.record);
  if (done.score.mesh_faces)
    note_count("mesh_repeated_faces", done.score.mesh_faces->repeated, result.record);
  const auto keep = [&](const char* folder, const char* ending, std::string bytes) {
    result.artefacts.emplace_back(case_file(folder, result.record.case_name, ending), std::move(bytes));
  };
  if (options.kept.tables && !done.score.tiles.tiles.empty())
    keep(kTilesFolder, ".csv", tiles_to_csv(done.score.tiles));
  if (options.kept.tables && !done.score.by_views.empty())
    keep(kViewsFolder, ".csv", views_to_csv(done.score.by_views));
  if (options.kept.cloud) keep(kCloudsFolder, ".ply", ply_cloud_bytes(output.cloud));
}

// Metrics of a recording that need no truth or have their own frame.
MetricSet measure_others(const Subject& subject, const Placed& placed, const Reconstruction& output) {
  const Rig& rig = *subject.rig;
  MetricSet others = measure_consistency(output.depth_maps, placed.had ? placed.had->rig : rig);
  if (!subject.truth->board_file.empty())
    add_metrics(score_board(output, rig, true_board(*subject.truth, subject.frame), placed.made_with()),
                others);
  if (!subject.truth->control_file.empty())
    add_metrics(score_control_points(output.cloud, true_control_points(*subject.truth, subject.frame)),
                others);
  add_metrics(measure_photometric(output.cloud, rig, images_of(*subject.recording, subject.frame)), others);
  add_metrics(score_masks(output.cloud, rig), others);
  return others;
}

void score_maps(const Subject& subject, const EvaluateOptions& options, const Placed& placed,
                const Reconstruction& output, CaseResult& result) {
  if (subject.depths_dir.empty()) return;
  score_depths(output, *subject.rig, placed.made_with(), subject.depths_dir, subject.frame, options.kept,
               result, options.score.part.crop);
  if (subject.recording == nullptr) return;
  const bool uses_depths =
      !output.depth_maps.empty() || (subject.truth->surface && subject.truth->surface->from_depths);
  note_count("truth_far_depths",
             uses_depths ? count_far_depths(subject.rig->cameras, subject.depths_dir, subject.frame) : 0,
             result.record);
  note_count("images_with_alpha", images_with_alpha(*subject.recording, subject.frame), result.record);
}

}  // namespace

Evaluation evaluate(const Subject& subject, Output given, const EvaluateOptions& options,
                    CaseResult& result) {
  Evaluation done{std::move(given)};
  Reconstruction& output = done.output.reconstruction;
  MetricSet& metrics = result.record.metrics;
  const bool recorded = subject.recording != nullptr;
  if (recorded) note_count("dataset_cameras_without_image", subject.recording->without_image, result.record);
  if (recorded && !subject.recording->has_cameras()) {
    score_by_own_cameras(subject, output, options.kept, result);
    return done;
  }
  Placed placed;
  if (subject.rig) placed.had = wrong_calibration(*subject.rig, options.calibration_error);
  if (options.calibration_error.tilt_deg != 0) apply(placed.had->world_from_rig, output);
  if (options.own_cameras)
    placed.own = align_own_cameras(output, *subject.rig, *options.own_cameras, result.record);
  MetricSet others;
  if (placed.own.unplaced.empty()) {
    if (recorded) others = measure_others(subject, placed, output);
    bring_to_truth(subject, options, placed.own, done, result.record);
  }
  if (!placed.own.unplaced.empty()) {
    add_unplaced(subject, options, output, std::move(placed.own), result.record);
    return done;
  }
  const Surface* const surface = subject.surface();
  const Rig* const rig = subject.rig ? &*subject.rig : nullptr;
  // Metrics keep the order that records have: a recording's depths and own cameras come last.
  if (!recorded) add_metrics(std::move(placed.own.metrics), others);
  if (surface != nullptr) {
    const ViewCounter views = rig != nullptr ? view_counter(*subject.scene, *rig) : ViewCounter();
    score_surface(subject, options, views, done, result);
    if (!recorded) score_maps(subject, options, placed, output, result);
    ViewHoles holes;
    if (rig != nullptr)
      holes = diagnose_output(output, std::move(done.score.seen), *surface, *rig, placed.made_with(),
                              options.score.part, result);
    add_view(output, *surface, rig, holes, views, options.kept, result, options.score.part);
  } else if (recorded) {
    keep_unscored(output, *rig, images_of(*subject.recording, subject.frame), options.kept, result);
  }
  if (recorded || surface == nullptr) score_maps(subject, options, placed, output, result);
  add_metrics(std::move(others), metrics);
  if (surface != nullptr && !options.protocols.empty())
    add_metrics(score_protocols(options.protocols, output, *surface, options.score,
                                recorded ? true_scans(*subject.truth, subject.frame, *subject.recording)
                                         : std::vector<Scan>(),
                                rig, recorded ? observed_of(*subject.recording) : std::nullopt),
                metrics);
  if (recorded) add_metrics(std::move(placed.own.metrics), metrics);
  return done;
}

}  // namespace aqbench
