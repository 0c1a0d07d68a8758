#include "harness/scoring/protocol_score.h"

#include <algorithm>
#include <utility>

#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/truth_points.h"
#include "scenes/rendering/visibility.h"
#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {
namespace {

// A truth whose points can be asked for at any spacing.
bool is_mesh(const Surface& truth) {
  const auto* const bordered = dynamic_cast<const BorderedSurface*>(&truth);
  return bordered != nullptr && bordered->face_counts() != nullptr;
}

CloudTruth truth_of(const Surface& surface, const ScoreOptions& options, std::vector<Scan> scans) {
  CloudTruth truth;
  truth.surface = &surface;
  truth.surface_part = options.part;
  truth.surface_part.crop = {};  // the knob `crop` says whether it counts
  if (!options.part.crop.parts.empty())
    truth.crop = [crop = options.part.crop](const Vec3& point) { return crop.contains(point); };
  if (!scans.empty()) add_scans(std::move(scans), truth);
  truth.surface_samples_m =
      surface.stratified_samples(options.sample_spacing_m, options.sample_seed).positions_m;
  if (truth.cloud.points_m.empty() && truth.scans.empty()) truth.cloud.points_m = truth.surface_samples_m;
  return truth;
}

}  // namespace

void take_observed(const std::optional<ObservedVolume>& observed, CloudTruth& truth) {
  if (!observed) return;
  truth.mask = ObservationMask{observed->voxels, observed->high_m};
  truth.plane = observed->plane;
}

std::function<std::vector<bool>(std::span<const Vec3>, double, int)> seen_by(const Surface& surface,
                                                                             const Rig& rig) {
  if (!casts_rays(surface)) return {};
  return [&surface, rig](std::span<const Vec3> positions_m, double behind_m, int erosion_px) {
    Rig looking = rig;
    for (Camera& camera : looking.cameras)
      if (camera.mask && erosion_px > 0)
        camera.mask = std::make_shared<const PixelMask>(eroded(*camera.mask, erosion_px));
    const std::vector<int> views =
        count_views(surface, looking, positions_m, {.auxiliary_cameras = true, .tolerance_m = behind_m});
    std::vector<bool> seen(views.size());
    for (std::size_t i = 0; i < views.size(); ++i) seen[i] = views[i] > 0;
    return seen;
  };
}

MetricSet score_protocols(const std::vector<AskedProtocol>& protocols, const PointCloud& cloud,
                          const Surface& surface, const ScoreOptions& options, std::vector<Scan> scans,
                          const Rig* rig, const std::optional<ObservedVolume>& observed) {
  MetricSet metrics;
  if (protocols.empty()) return metrics;
  const bool mesh = is_mesh(surface) && scans.empty();
  CloudTruth truth = truth_of(surface, options, std::move(scans));
  if (rig != nullptr) truth.seen = seen_by(surface, *rig);
  take_observed(observed, truth);
  for (const AskedProtocol& asked : protocols) {
    if (mesh)
      truth.cloud.points_m = asked.protocol->takes_vertices
                                 ? surface.mesh(options.sample_spacing_m).vertices_m
                                 : mesh_samples_m(surface, mesh_spacing_m(asked.knobs));
    for (auto& metric : protocol_metrics(asked, score_by_protocol(asked.knobs, cloud, truth)))
      metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace aqbench
