#include "harness/scoring/score_case.h"

#include <utility>

#include "core/error.h"
#include "harness/scoring/depth_pictures.h"
#include "harness/scoring/place_cloud.h"
#include "harness/scoring/true_surface.h"
#include "metrics/completeness.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/scored_points.h"
#include "scenes/rendering/visibility.h"

namespace aqbench {
namespace {

template <class Values>
void keep(Values& values, const std::vector<std::uint32_t>& index) {
  if (values.empty()) return;
  Values kept;
  kept.reserve(index.size());
  for (const std::uint32_t i : index) kept.push_back(values[i]);
  values = std::move(kept);
}

// Takes away what was left out of the score, so that a view gives the record's metrics.
void keep_scored(Reconstruction& output, const Surface& truth, const ScoredPart& part) {
  const ScoredPoints scored = score_points(output.cloud.points_m, truth, part);
  keep(output.cloud.points_m, scored.index);
  keep(output.cloud.normals, scored.index);
  keep(output.cloud.confidence, scored.index);
  keep(output.cloud.colours, scored.index);
  if (!output.mesh) return;
  std::vector<bool> in_part(output.mesh->vertices_m.size(), false);
  for (const std::uint32_t i : score_points(output.mesh->vertices_m, truth, part).index) in_part[i] = true;
  std::erase_if(output.mesh->triangles, [&](const auto& triangle) {
    return !std::ranges::all_of(triangle, [&](std::uint32_t corner) { return in_part[corner]; });
  });
}

void keep_depth_pictures(PictureFiles files, CaseResult& result) {
  const std::string folder = case_file(kPicturesFolder, result.record.case_name, "/");
  for (auto& [name, bytes] : files) result.artefacts.emplace_back(folder + name, std::move(bytes));
}

}  // namespace

void require_scorable(const Reconstruction& output, const Surface& truth, double truth_metres_per_unit) {
  try {
    check_scorable(SpanBlocks(output.cloud.points_m), truth,
                   {.name = "its cloud",
                    .unit = "let it write metres, or declare the unit ({})",
                    .frame = "let it write the calibration's world frame",
                    .truth_unit = "declare the truth's unit ({})",
                    .truth_metres_per_unit = truth_metres_per_unit});
  } catch (const Error& error) {
    throw Error(ErrorKind::method, error.what());
  }
}

std::optional<MapCalibration> wrong_calibration(const Rig& rig, const CalibrationError& error) {
  if (is_zero(error)) return std::nullopt;
  return MapCalibration{perturbed(rig, error), world_from_perturbed(rig, error)};
}

void score_depths(const Reconstruction& output, const Rig& rig, const MapCalibration* made_with,
                  const std::filesystem::path& dataset_dir, std::size_t frame, const KeptFiles& kept,
                  CaseResult& result, const Crop& crop) {
  const std::vector<Camera>& cameras = rig.cameras;
  auto scores = score_depth_maps(output.depth_maps, cameras, dataset_dir, frame, crop);
  std::vector<DepthMap> moved;
  if (made_with != nullptr) {
    moved = in_true_cameras(output.depth_maps, *made_with, rig, dataset_dir, frame);
    const auto of_moved = score_depth_maps(moved, cameras, dataset_dir, frame, crop);
    // Which pixels have a depth, the maps themselves say: moved ones lose some at the rim of the true image.
    for (std::size_t i = 0; i < scores.size(); ++i)
      for (std::size_t k = 0; k < scores[i].metrics.size(); ++k)
        if (scores[i].metrics[k].first != "depth_fill_rate_pct")
          scores[i].metrics[k] = of_moved[i].metrics[k];
  }
  const std::vector<DepthMap>& maps = made_with != nullptr ? moved : output.depth_maps;
  if (scores.empty()) {  // no depth of the dataset is true
    if (kept.pictures) keep_depth_pictures(depth_pictures_without_truth(output.depth_maps), result);
    return;
  }
  add_metrics(median_over_cameras(scores), result.record.metrics);
  result.artefacts.emplace_back(case_file(kDepthFolder, result.record.case_name, ".csv"),
                                depth_scores_csv(scores));
  if (kept.pictures) keep_depth_pictures(depth_pictures(maps, cameras, dataset_dir, frame, crop), result);
}

ViewHoles diagnose_output(const Reconstruction& output, std::optional<SeenSamples> samples,
                          const Surface& truth, const Rig& rig, const MapCalibration* made_with,
                          const ScoredPart& part, CaseResult& result) {
  if (output.depth_maps.empty() || !samples) return {};
  Diagnosis diagnosis = diagnose(output, *samples, truth, rig, part, made_with);
  add_metrics(std::move(diagnosis.metrics), result.record.metrics);
  result.artefacts.emplace_back(case_file(kDiagnosisFolder, result.record.case_name, ".csv"),
                                std::move(diagnosis.csv));
  return {std::move(diagnosis.hole_positions_m), std::move(diagnosis.hole_causes)};
}

void add_view(const Reconstruction& output, const Surface& truth, const Rig* rig, const ViewHoles& holes,
              const ViewCounter& views, const KeptFiles& kept, CaseResult& result, const ScoredPart& part) {
  if (!kept.pictures || output.cloud.points_m.empty()) return;
  std::optional<Reconstruction> partial;
  if (part.is_partial()) {
    partial = {.cloud = output.cloud, .mesh = output.mesh, .depth_maps = {}};
    keep_scored(*partial, truth, part);
    if (partial->cloud.points_m.empty()) return;
  }
  const CloudView view =
      make_view(partial ? *partial : output, truth, rig, holes, views, kept.cloud ? kFullView : ViewLimits{});
  result.artefacts.emplace_back(case_file(kViewerFolder, result.record.case_name, ".bin"), encode_view(view));
}

void take_surface(const Surface& surface, const ScoreOptions& options, bool samples, CloudTruth& truth) {
  truth.surface = &surface;
  truth.surface_part = options.part;
  truth.surface_part.crop = {};  // the knob `crop` says whether it counts
  if (!options.part.crop.parts.empty())
    truth.crop = [crop = options.part.crop](const Vec3& point) { return crop.contains(point); };
  const bool has_points = !truth.cloud.points_m.empty() || !truth.scans.empty();
  if (has_points && !samples) return;
  truth.surface_samples_m =
      surface.stratified_samples(options.sample_spacing_m, options.sample_seed).positions_m;
  if (!has_points) truth.cloud.points_m = truth.surface_samples_m;
}

void take_observed(const std::optional<ObservedVolume>& observed, CloudTruth& truth) {
  if (!observed) return;
  truth.mask = ObservationMask{observed->voxels, observed->high_m};
  truth.plane = observed->plane;
}

void take_cameras(const Surface& surface, const Rig& rig, CloudTruth& truth) {
  truth.hides = casts_rays(surface);
  truth.seen = [&surface, rig](std::span<const Vec3> positions_m, const CullRules& rules) {
    if (rules.in_all) return in_all_masks(positions_m, rig, rules);
    Rig looking = rig;
    for (Camera& camera : looking.cameras)
      if (camera.mask) camera.mask = std::make_shared<const PixelMask>(reached(*camera.mask, rules.masks));
    const std::vector<int> views = count_views(surface, looking, positions_m,
                                               {.auxiliary_cameras = true, .tolerance_m = rules.behind_m});
    std::vector<bool> seen(views.size());
    for (std::size_t i = 0; i < views.size(); ++i) seen[i] = views[i] > 0;
    return seen;
  };
}

MetricSet score_protocols(const std::vector<AskedProtocol>& protocols, const Reconstruction& output,
                          const Surface& surface, const ScoreOptions& options, std::vector<Scan> scans,
                          const Rig* rig, const std::optional<ObservedVolume>& observed) {
  MetricSet metrics;
  if (protocols.empty()) return metrics;
  const bool mesh = faces_of(surface) != nullptr && scans.empty();
  CloudTruth truth;
  if (!scans.empty()) add_scans(std::move(scans), truth);
  take_surface(surface, options, true, truth);
  if (rig != nullptr) take_cameras(surface, *rig, truth);
  take_observed(observed, truth);
  // A mesh that was made from the cloud is not what is scored.
  const bool is_scored_mesh = output.mesh && output.mesh->vertices_m == output.cloud.points_m;
  for (const AskedProtocol& asked : protocols) {
    // A mesh beside a cloud is scored where faces are asked for.
    const bool of_faces = asked.knobs.mesh_cloud != MeshCloud::vertices;
    const bool takes_mesh = is_scored_mesh || (output.mesh && of_faces);
    if (const std::string why = unfit_output(*asked.protocol, asked.knobs, takes_mesh); !why.empty())
      throw method_error("protocol {}: its output {}", asked.protocol->name, why);
    if (mesh)
      truth.cloud.points_m = asked.protocol->takes_vertices
                                 ? surface.mesh(options.sample_spacing_m).vertices_m
                                 : mesh_samples_m(surface, mesh_spacing_m(asked.knobs));
    add_metrics(protocol_metrics(asked, score_by_protocol(asked.knobs, output.cloud, truth,
                                                          takes_mesh ? &*output.mesh : nullptr)),
                metrics);
  }
  return metrics;
}

}  // namespace aqbench
