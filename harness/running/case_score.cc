#include "harness/running/case_score.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/quantiles.h"
#include "harness/planning/case_options.h"
#include "harness/planning/scene_choice.h"
#include "harness/scoring/agreement.h"
#include "harness/scoring/own_poses.h"
#include "harness/scoring/place_scores.h"
#include "harness/scoring/true_surface.h"
#include "scenes/cloud/length_units.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/images.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

// The calibration that a method had where it was wrong, and what its own cameras say.
struct Placed {
  std::optional<MapCalibration> had;
  std::optional<AlignmentChoice> alignment;
  OwnPlacement own;

  const MapCalibration* made_with() const { return had ? &*had : nullptr; }

  void align(Reconstruction& output, const Surface& truth, Record& record) const {
    if (alignment && alignment->to_truth()) align_to_truth(output, truth, alignment->then == "sim3", record);
  }
};

// Moves the output to the world frame of the rig.
Placed place_output(const Case& planned, const Rig& rig, Reconstruction& output, Record& record) {
  const CalibrationError error = case_calibration_error(planned);
  Placed placed{wrong_calibration(rig, error), alignment_of(planned), {}};
  if (error.tilt_deg != 0) apply(placed.had->world_from_rig, output);
  if (placed.alignment && placed.alignment->by_cameras)
    placed.own = align_own_cameras(
        output, rig, placed.alignment->estimates_scale ? FitScale::estimated : FitScale::one, record);
  return placed;
}

// Of a scene; a recording has scans (score_recording()).
void add_protocol_metrics(const Case& planned, const Reconstruction& output, const Surface& truth,
                          const Rig* rig, CaseResult& result) {
  const ScoreOptions options = sized_for(truth, case_score_options(planned), output.cloud.points_m.size());
  add_metrics(score_protocols(case_protocols(planned), output, truth, options, {}, rig),
              result.record.metrics);
}

// Checks where an output lies. That cameras of its own which do not all agree put it elsewhere is a fact
// about its poses, not a fault of the case.
template <class Check>
void require_placed(const Reconstruction& output, Placed& placed, const Check& check) {
  if (!placed.own.unplaced.empty()) return;
  const bool any = std::ranges::any_of(output.cloud.points_m, [](const Vec3& p) { return p.allFinite(); });
  if (!placed.alignment || placed.own.all_agree || !any) return check();
  try {
    check();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::method) throw;
    placed.own.unplaced = error.what();
  }
}

// An output whose cameras do not say where it lies: the poses are scored, and the rest is undefined.
void add_unplaced(const Case& planned, const Reconstruction& output,
                  const std::optional<ScoreOptions>& surface, const std::vector<ScoreFamily>& families,
                  OwnPlacement own, Record& record) {
  add_metrics(undefined_metrics(output, surface ? &*surface : nullptr, families, case_protocols(planned),
                                own.unplaced),
              record.metrics);
  add_metrics(std::move(own.metrics), record.metrics);
}

// What a recording is scored by beside its surface.
std::vector<ScoreFamily> families_of_recording(const CaseRecordingData& data) {
  std::vector<ScoreFamily> families = {ScoreFamily::photometric};
  if (!data.recording.masks.empty()) families.push_back(ScoreFamily::masks);
  if (!data.truth.board_file.empty()) families.push_back(ScoreFamily::board);
  if (!data.truth.control_file.empty()) families.push_back(ScoreFamily::control);
  return families;
}

// A surface in a likely wrong unit explains a cloud that misses it.
void require_near(const Reconstruction& output, const Surface& truth, const CaseRecordingData& data,
                  std::size_t frame) {
  const auto metres = data.truth.surface ? metres_per_unit(data.truth.surface->unit) : std::nullopt;
  try {
    require_scorable(output, truth, metres.value_or(1));
  } catch (const Error& error) {
    const auto& points_m = output.cloud.points_m;
    const bool any = std::ranges::any_of(points_m, [](const Vec3& point) { return point.allFinite(); });
    const std::string unit = any ? likelier_truth_unit(data.recording, data.truth, frame) : "";
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
                   const Afterwards& afterwards, CaseResult& result) {
  const std::string& name = result.record.case_name;
  if (afterwards.kept.cloud)
    result.artefacts.emplace_back(case_file(kCloudsFolder, name, ".ply"), ply_cloud_bytes(output.cloud));
  if (!afterwards.kept.pictures) return;
  const ViewLimits limits = afterwards.kept.cloud ? kFullView : ViewLimits{};
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
void score_by_own_cameras(const Recording& recording, std::size_t frame, const Reconstruction& output,
                          const Afterwards& afterwards, CaseResult& result) {
  OwnRig own = rig_of_own_cameras(output, recording.rig);
  const ImageOfCamera of_recording = images_of(recording, frame);
  const ImageOfCamera image_of = [&](std::size_t camera) { return of_recording(own.images[camera]); };
  add_metrics(std::move(own.metrics), result.record.metrics);
  if (own.rig.cameras.size() >= 2)
    add_metrics(measure_photometric(output.cloud, own.rig, image_of), result.record.metrics);
  keep_unscored(output, own.rig, image_of, afterwards, result);
}

// Metrics that need no truth or have their own frame.
MetricSet measure_others(const CaseRecordingData& data, std::size_t frame, const Placed& placed,
                         const ImageOfCamera& image_of, const Reconstruction& output) {
  const Rig& rig = data.recording.rig;
  MetricSet others = measure_consistency(output.depth_maps, placed.had ? placed.had->rig : rig);
  if (!data.truth.board_file.empty())
    add_metrics(score_board(output, rig, true_board(data.truth, frame), placed.made_with()), others);
  if (!data.truth.control_file.empty())
    add_metrics(score_control_points(output.cloud, true_control_points(data.truth, frame)), others);
  add_metrics(measure_photometric(output.cloud, rig, image_of), others);
  add_metrics(score_masks(output.cloud, rig), others);
  return others;
}

// Scores against the true surface, and returns the part that counts.
Crop score_surface(const Case& planned, const CaseRecordingData& data, const Scene& scene,
                   const Placed& placed, const Reconstruction& output, const Afterwards& afterwards,
                   MetricSet& others, CaseResult& result) {
  const Recording& recording = data.recording;
  const std::size_t frame = recording_frame(planned);
  const Surface& truth = *scene.truth.surface;
  const ViewCounter views = view_counter(scene, recording.rig);
  const ScoreOptions options = score_options_of(data.truth, truth, output.cloud.points_m.size());
  auto samples = score_output(output, truth, afterwards, result, views, options);
  const ViewHoles holes = diagnose_output(output, std::move(samples), truth, recording.rig,
                                          placed.made_with(), options.part, result);
  add_view(output, truth, &recording.rig, holes, views, afterwards, result, options.part);
  if (const auto protocols = case_protocols(planned); !protocols.empty())
    add_metrics(score_protocols(protocols, output, truth, options, true_scans(data.truth, frame, recording),
                                &recording.rig, observed_of(recording)),
                others);
  return options.part.crop;
}

}  // namespace

void score_on_scene(const Case& planned, const Reconstruction& output, const Surface& truth,
                    const Afterwards& afterwards, CaseResult& result) {
  score_output(output, truth, afterwards, result, {}, case_score_options(planned));
  add_view(output, truth, nullptr, {}, {}, afterwards, result);
  add_protocol_metrics(planned, output, truth, nullptr, result);
}

void score_on_images(const Case& planned, const DatasetPlan& plan, const std::filesystem::path& rendered,
                     Reconstruction output, const Afterwards& afterwards, CaseResult& result) {
  const Rig& rig = plan.rig;
  const Surface& truth = *plan.scene.truth.surface;
  Placed placed = place_output(planned, rig, output, result.record);
  require_placed(output, placed, [&] {
    placed.align(output, truth, result.record);
    require_scorable(output, truth);
  });
  if (!placed.own.unplaced.empty())
    return add_unplaced(planned, output, case_score_options(planned), {}, std::move(placed.own),
                        result.record);
  const ViewCounter views = [&](std::span<const Vec3> positions_m) {
    return count_views(truth, rig, positions_m);
  };
  const ScoreOptions options = case_score_options(planned);
  auto samples = score_output(output, truth, afterwards, result, views, options);
  if (!rendered.empty()) score_depths(output, rig, placed.made_with(), rendered, 0, afterwards, result);
  const ViewHoles holes =
      diagnose_output(output, std::move(samples), truth, rig, placed.made_with(), options.part, result);
  add_view(output, truth, &rig, holes, views, afterwards, result);
  add_metrics(std::move(placed.own.metrics), result.record.metrics);
  add_protocol_metrics(planned, output, truth, &rig, result);
}

void score_recording(const Case& planned, const CaseRecordingData& data, Reconstruction output,
                     const Afterwards& afterwards, CaseResult& result) {
  const Recording& recording = data.recording;
  const Rig& rig = recording.rig;
  const std::size_t frame = recording_frame(planned);
  if (recording.without_image > 0)
    result.record.effective.emplace_back("dataset_cameras_without_image",
                                         static_cast<double>(recording.without_image));
  if (!recording.has_cameras()) return score_by_own_cameras(recording, frame, output, afterwards, result);
  Placed placed = place_output(planned, rig, output, result.record);
  const ImageOfCamera image_of = images_of(recording, frame);
  MetricSet others;
  if (placed.own.unplaced.empty()) others = measure_others(data, frame, placed, image_of, output);
  std::optional<Scene> scene;
  if (data.truth.has_surface()) scene = true_scene(data.truth, frame, planned.scene, recording);
  require_placed(output, placed, [&] {
    if (scene) placed.align(output, *scene->truth.surface, result.record);
    if (scene)
      require_near(output, *scene->truth.surface, data, frame);
    else
      require_plausible_distance(output.cloud, rig);
  });
  if (!placed.own.unplaced.empty()) {
    std::optional<ScoreOptions> options;
    if (scene) options = score_options_of(data.truth, *scene->truth.surface, output.cloud.points_m.size());
    return add_unplaced(planned, output, options, families_of_recording(data), std::move(placed.own),
                        result.record);
  }
  Crop crop;
  if (scene)
    crop = score_surface(planned, data, *scene, placed, output, afterwards, others, result);
  else
    keep_unscored(output, rig, image_of, afterwards, result);
  score_depths(output, rig, placed.made_with(), recording.dir, frame, afterwards, result, crop);
  const bool uses_depths =
      !output.depth_maps.empty() || (data.truth.surface && data.truth.surface->from_depths);
  note_count("truth_far_depths", uses_depths ? count_far_depths(rig.cameras, recording.dir, frame) : 0,
             result.record);
  note_count("images_with_alpha", images_with_alpha(recording, frame), result.record);
  add_metrics(std::move(placed.own.metrics), others);
  add_metrics(std::move(others), result.record.metrics);
}

}  // namespace aqbench
