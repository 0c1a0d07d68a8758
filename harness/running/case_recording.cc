#include "harness/running/case_recording.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/quantiles.h"
#include "core/stopwatch.h"
#include "harness/planning/case_images.h"
#include "harness/planning/case_method.h"
#include "harness/planning/case_poses.h"
#include "harness/planning/case_protocols.h"
#include "harness/planning/scene_choice.h"
#include "harness/records/case_name.h"
#include "harness/scoring/board_score.h"
#include "harness/scoring/consistency.h"
#include "harness/scoring/control_score.h"
#include "harness/scoring/mask_score.h"
#include "harness/scoring/own_poses.h"
#include "harness/scoring/photometric.h"
#include "harness/scoring/protocol_score.h"
#include "harness/scoring/true_surface.h"
#include "scenes/cloud/ply.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/shrunk.h"
#include "scenes/dataset/true_points.h"
#include "scenes/dataset/truth_unit.h"
#include "scenes/dataset/without_poses.h"
#include "scenes/images/images.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

std::string recording_sha256(const Recording& recording, const DeclaredTruth& declared) {
  // They were decoded when the planned hash was computed.
  DatasetContents contents = inspect_recording(recording, ImageCheck::structure);
  add_truth_contents(recording, declared, contents);
  return dataset_sha256(contents);
}

// The hash in the plan.
std::string planned_sha256(const Case& planned) {
  const ParameterValue* const found = find_value(planned.options, "dataset.sha256");
  return found == nullptr ? std::string() : to_string(*found);
}

// As the option dataset.scale says.
void shrink_images(const Case& planned, const std::filesystem::path& to, CaseRecordingData& data) {
  const int factor = recording_scale(planned);
  if (factor == 1) return;
  if (!data.truth.board_file.empty())
    throw input_error("dataset.scale: {} has pixels of the images as they are; use scale 1",
                      data.truth.board_file);
  data.recording = shrink_recording(data.recording, recording_frame(planned), factor, to);
  if (!data.truth.scene_file) data.truth.dir = to / "truth";
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
                                const Afterwards& afterwards) {
  UnscoredPoints points;
  points.index = spread_points(cloud, afterwards.kept.cloud ? kFullView.points : ViewLimits{}.points);
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
void keep_unscored(const Reconstruction& output, const UnscoredPoints& points, const Rig* rig,
                   const Afterwards& afterwards, CaseResult& result) {
  const std::string& name = result.record.case_name;
  if (afterwards.kept.cloud)
    result.artefacts.emplace_back(case_file(kCloudsFolder, name, ".ply"), ply_cloud_bytes(output.cloud));
  if (!points.index.empty())
    result.artefacts.emplace_back(
        case_file(kViewerFolder, name, ".bin"),
        encode_view(
            make_view_without_truth(output, points, rig, afterwards.kept.cloud ? kFullView : ViewLimits{})));
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
  MetricSet& metrics = result.record.metrics;
  for (auto& metric : own.metrics) metrics.push_back(std::move(metric));
  if (own.rig.cameras.size() >= 2)
    for (auto& metric : measure_photometric(output.cloud, own.rig, image_of))
      metrics.push_back(std::move(metric));
  UnscoredPoints unscored;
  if (afterwards.kept.pictures) unscored = measure_unscored(output.cloud, own.rig, image_of, afterwards);
  keep_unscored(output, unscored, &own.rig, afterwards, result);
}

}  // namespace

CaseRecordingData make_case_recording(const Case& planned, const std::filesystem::path& observation_dir) {
  const auto start = SteadyClock::now();
  CaseRecordingData data;
  const RecordingPlace& place = recording_place(planned);
  data.recording = read_recording(place.dir, KnownCameras::optional);
  data.declared = place.declared;
  data.truth = find_recording_truth(data.recording, data.declared);
  data.sha256 = recording_sha256(data.recording, data.declared);
  if (data.sha256 != planned_sha256(planned))
    throw input_error("{}: changed since the sweep was planned", data.recording.dir.string());
  data.whole = data.recording;
  keep_views_of(planned, data.recording);
  shrink_images(planned, observation_dir.parent_path() / "smaller", data);
  load_masks(data.recording, recording_frame(planned));
  write_observation(data.recording, recording_frame(planned), observation_dir);
  if (const CalibrationError error = case_calibration_error(planned); !is_zero(error))
    perturb_calibration_file(observation_dir / "calibration.json", error);
  data.made_ms = ms_since(start);
  return data;
}

Observed observe(const Case& planned, const std::filesystem::path& scratch_dir) {
  Observed observed;
  if (looks_at_recording(planned)) {
    observed.recording.emplace(make_case_recording(planned, scratch_dir / kObservationFolder));
    observed.sha256 = observed.recording->sha256;
    observed.made_ms = observed.recording->made_ms;
  } else if (renders_images(planned)) {
    observed.dataset.emplace(make_case_dataset(planned, scratch_dir));
    observed.sha256 = observed.dataset->dataset.sha256();
    observed.made_ms = observed.dataset->made_ms;
  } else {
    std::filesystem::create_directory(scratch_dir / kObservationFolder);
  }
  if (has_own_poses(planned.name))
    withhold_poses(scratch_dir / kObservationFolder, !method_of(planned).declaration->own_intrinsics);
  return observed;
}

void require_unchanged(const CaseRecordingData& data) {
  if (recording_sha256(data.whole, data.declared) != data.sha256)
    throw method_error("{}: changed while the method ran", data.recording.dir.string());
}

void score_recording(const Case& planned, const CaseRecordingData& data, Reconstruction output,
                     const Afterwards& afterwards, CaseResult& result) {
  const Recording& recording = data.recording;
  const Rig& rig = recording.rig;
  const std::size_t frame = recording_frame(planned);
  const auto alignment = alignment_of(planned);
  if (alignment && alignment->then_icp && !data.truth.has_surface())
    throw Error(ErrorKind::method, "alignment.then=icp: the dataset has no true surface");
  if (!recording.has_cameras()) return score_by_own_cameras(recording, frame, output, afterwards, result);
  const CalibrationError error = case_calibration_error(planned);
  const auto had = wrong_calibration(rig, error);
  const MapCalibration* const made_with = had ? &*had : nullptr;
  if (error.tilt_deg != 0) apply(had->world_from_rig, output);
  MetricSet of_poses;
  if (alignment)
    of_poses = align_own_cameras(
        output, rig, alignment->estimates_scale ? FitScale::estimated : FitScale::one, result.record);
  // Metrics that need no truth or have their own frame.
  if (!data.truth.has_surface()) require_plausible_distance(output.cloud, rig);
  MetricSet others = measure_consistency(output.depth_maps, had ? had->rig : rig);
  const auto add = [&others](MetricSet metrics) {
    for (auto& metric : metrics) others.push_back(std::move(metric));
  };
  if (!data.truth.board_file.empty()) add(score_board(output, rig, true_board(data.truth, frame), made_with));
  const ImageOfCamera image_of = images_of(recording, frame);
  const MetricSet photometric = measure_photometric(output.cloud, rig, image_of);
  UnscoredPoints unscored;
  if (!data.truth.has_surface() && afterwards.kept.pictures)
    unscored = measure_unscored(output.cloud, rig, image_of, afterwards);

  if (!data.truth.control_file.empty())
    add(score_control_points(output.cloud, true_control_points(data.truth, frame)));
  add(photometric);
  add(score_masks(output.cloud, rig));
  Crop crop;
  if (!data.truth.has_surface()) keep_unscored(output, unscored, &rig, afterwards, result);
  if (data.truth.has_surface()) {
    const Scene scene = true_scene(data.truth, frame, planned.scene, recording);
    const Surface& truth = *scene.truth.surface;
    if (alignment && alignment->then_icp) align_to_truth(output, truth, result.record);
    require_near(output, truth, data, frame);
    const ViewCounter views = view_counter(scene, rig);
    const ScoreOptions options = score_options_of(data.truth, truth, output.cloud.points_m.size());
    crop = options.part.crop;
    score_output(output, truth, afterwards, result, views, options);
    const ViewHoles holes =
        views ? diagnose_output(output, truth, rig, made_with, options, result) : ViewHoles{};
    add_view(output, truth, &rig, holes, views, afterwards, result, options.part);
    if (const auto protocols = case_protocols(planned); !protocols.empty())
      add(score_protocols(protocols, output.cloud, truth, options, true_scans(data.truth, frame, recording),
                          &rig, observed_of(recording)));
  }
  score_depths(output, rig, made_with, recording.dir, frame, afterwards, result, crop);
  add(of_poses);
  for (auto& metric : others) result.record.metrics.push_back(std::move(metric));
}

}  // namespace aqbench
