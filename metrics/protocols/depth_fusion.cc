#include "metrics/protocols/depth_fusion.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/module.h"
#include "core/quantiles.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/mesh_metrics.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/numpy_draws.h"

AQBENCH_MODULE_TABLE aqbench::ProtocolsTable aqbench_protocols_table;

namespace aqbench {
namespace {

std::vector<Vec3> some_of(std::span<const Vec3> points, const std::vector<std::uint64_t>& which) {
  std::vector<Vec3> some;
  for (const std::uint64_t i : which) some.push_back(points[i]);
  return some;
}

std::optional<Similarity> fit_of(std::span<const Vec3> from, std::span<const Vec3> to) {
  return try_fit_similarity(from, to, FitScale::estimated);
}

// The median distance of fitted centres from the nearest true one.
double nearest_error_m(const Similarity& fit, std::span<const Vec3> centres, std::span<const Vec3> truth_m) {
  std::vector<double> errors_m;
  for (const Vec3& centre : centres) {
    double nearest_m = std::numeric_limits<double>::infinity();
    for (const Vec3& other : truth_m)
      nearest_m = std::min(nearest_m, ((fit.linear * centre + fit.translation_m) - other).norm());
    errors_m.push_back(nearest_m);
  }
  return median_of(errors_m);
}

// Which centres lie within a distance of their true ones, and their mean distance.
struct NearCentres {
  std::vector<std::uint64_t> which;
  double mean_m = std::numeric_limits<double>::infinity();
};

NearCentres near_centres(const Similarity& fit, std::span<const Vec3> centres, std::span<const Vec3> truth_m,
                         double within_m) {
  NearCentres found;
  double sum_m = 0;
  for (std::size_t i = 0; i < centres.size(); ++i) {
    const double error_m = (fit.linear * centres[i] + fit.translation_m - truth_m[i]).norm();
    if (!(error_m <= within_m)) continue;
    found.which.push_back(i);
    sum_m += error_m;
  }
  if (!found.which.empty()) found.mean_m = sum_m / static_cast<double>(found.which.size());
  return found;
}

// Cameras as they are fused, and the scale of their depths.
struct PlacedViews {
  std::vector<FusionView> views;
  std::vector<std::vector<float>> depths_m;
  double scale = 1;
};

PlacedViews placed(std::span<const FusionView> views, const FusionKnobs& knobs) {
  std::vector<Vec3> centres, true_centres_m;
  for (const FusionView& view : views) {
    if (view.depth_m.size() != view.height * view.width)
      throw Error(ErrorKind::method, "fused depths: sizes differ");
    centres.push_back(view.estimate.pose.position_m);
    true_centres_m.push_back(view.truth.pose.position_m);
  }
  const Similarity fit = fit_centres(centres, true_centres_m);
  PlacedViews result{{views.begin(), views.end()}, {}, fit.scale};
  for (FusionView& view : result.views) {
    std::vector<float>& depths_m = result.depths_m.emplace_back(view.depth_m.begin(), view.depth_m.end());
    for (float& depth : depths_m) depth = static_cast<float>(double{depth} * fit.scale);
    view.depth_m = depths_m;
    if (knobs.posed)
      view.estimate = view.truth;
    else
      view.estimate.pose = {fit.rotation() * view.estimate.pose.rotation,
                            fit.linear * view.estimate.pose.position_m + fit.translation_m};
  }
  return result;
}

void keep_near_box(std::vector<Vec3>& points_m, std::span<const Vec3> truth_m, double margin_m) {
  if (std::isinf(margin_m) || truth_m.empty()) return;
  Eigen::AlignedBox3d box;
  for (const Vec3& point : truth_m) box.extend(point);
  const Vec3 margin = Vec3::Constant(margin_m);
  box = {box.min() - margin, box.max() + margin};
  std::erase_if(points_m, [&](const Vec3& point) { return !box.contains(point); });
}

FusionKnobs set_of(double voxel_m, double truncation_m, double max_depth_m, double threshold_m) {
  FusionKnobs knobs;
  knobs.voxel_m = knobs.down_sample_m = voxel_m;
  knobs.truncation_m = truncation_m;
  knobs.max_depth_m = max_depth_m;
  knobs.thresholds_m = {threshold_m};
  return knobs;
}

std::vector<Knob<FusionKnobs>> make_fusion_knobs() {
  return {choice_knob("poses", &FusionKnobs::posed, {"unposed", "posed"}, {"unposed", "posed"}),
          number_knob("voxel_m", &FusionKnobs::voxel_m),
          number_knob("truncation_m", &FusionKnobs::truncation_m),
          limit_knob("max_depth_m", &FusionKnobs::max_depth_m),
          number_knob("down_sample_m", &FusionKnobs::down_sample_m),
          limit_knob("crop_m", &FusionKnobs::crop_m),
          numbers_knob("thresholds_m", &FusionKnobs::thresholds_m, {"0.05", "0.25"}),
          whole_knob("samples", &FusionKnobs::samples, 1, 1e8),
          whole_knob("seed", &FusionKnobs::seed, 0, 1e9),
          choice_knob("nothing", &FusionKnobs::nothing_is_zero, {"undefined", "as_published"},
                      {"undefined", "as_published"})};
}

constexpr const char* kSource = "github.com/ByteDance-Seed/Depth-Anything-3 bench/utils.py";

}  // namespace

std::span<const Knob<FusionKnobs>> fusion_knobs() {
  static const std::vector<Knob<FusionKnobs>> knobs = make_fusion_knobs();
  return knobs;
}

std::span<const FusionProtocol> fusion_protocols() {
  static const std::vector<FusionProtocol> protocols = [] {
    FusionKnobs scannetpp = set_of(0.02, 0.15, 5, 0.05);
    scannetpp.crop_m = 0.1;
    return std::vector<FusionProtocol>{
        {"da3-7scenes", "depth maps fused, as on 7-Scenes", kSource, set_of(4.0 / 512, 0.04, 1e6, 0.05)},
        {"da3-hiroom", "depth maps fused, as on HiRoom", kSource, set_of(4.0 / 512, 0.04, 1e4, 0.05)},
        {"da3-scannetpp", "depth maps fused, as on ScanNet++", kSource, std::move(scannetpp)},
        {"da3-eth3d", "depth maps fused, as on ETH3D", kSource, set_of(5 * 4.0 / 512, 0.2, 1e5, 0.25)}};
  }();
  return protocols;
}

Similarity fit_centres(std::span<const Vec3> centres, std::span<const Vec3> true_centres_m) {
  auto best = fit_of(centres, true_centres_m);
  if (!best)
    throw input_error("fused depths: the centres of {} cameras determine no similarity", centres.size());
  const double within_m = nearest_error_m(*best, centres, true_centres_m);
  const std::uint64_t count = centres.size(), half = std::max<std::uint64_t>(3, (count + 1) / 2);
  NumpyDraws draws(42);
  NearCentres most;
  for (int draw = 0; draw < 10; ++draw) {
    const std::vector<std::uint64_t> drawn = draws.choice(count, half);
    const auto fit = fit_of(some_of(centres, drawn), some_of(true_centres_m, drawn));
    if (!fit) continue;
    NearCentres agreement = near_centres(*fit, centres, true_centres_m, within_m);
    if (agreement.which.size() < most.which.size() ||
        (agreement.which.size() == most.which.size() && agreement.mean_m >= most.mean_m))
      continue;
    most = std::move(agreement);
    best = fit;
  }
  if (most.which.size() < 3) return *best;
  const auto again = fit_of(some_of(centres, most.which), some_of(true_centres_m, most.which));
  return again ? *again : *best;
}

std::vector<Vec3> spread_over(const TriangleMesh& mesh, int count, std::uint64_t seed) {
  const TriangleSoup soup = cut_to_patch(mesh.vertices_m, mesh.triangles, nullptr);
  std::vector<Vec3> points_m;
  if (soup.triangles_m.empty()) return points_m;
  for (const SoupSample& sample : sample_by_area(soup, static_cast<std::size_t>(count), seed))
    points_m.push_back(sample.position_m);
  return points_m;
}

ProtocolResult fused_depth_errors(std::span<const FusionView> views, const std::vector<Vec3>& truth_m,
                                  const FusionKnobs& knobs) {
  const PlacedViews fused = placed(views, knobs);
  const auto& table =
      module_table<ProtocolsTable>(Module::pipeline, "aqbench_protocols_table", &aqbench_protocols_table);
  const TriangleMesh mesh = table.fuse_depths(fused.views, knobs);
  PointCloud cloud;
  cloud.points_m = spread_over(mesh, knobs.samples, static_cast<std::uint64_t>(knobs.seed));
  keep_near_box(cloud.points_m, truth_m, knobs.crop_m);
  CloudKnobs rules = knobs_at(find_cloud_protocol("scannet-mesh"), knobs.thresholds_m);
  rules.voxel_m = knobs.down_sample_m;
  CloudTruth truth;
  truth.cloud.points_m = truth_m;
  ProtocolResult result;
  for (ProtocolValue& value : score_by_protocol(rules, cloud, truth)) {
    if (value.name.ends_with("_median")) continue;
    if (cloud.points_m.empty()) {
      value.reason = "the depths give no surface; infinite, and 0, as published";
      value.value = knobs.nothing_is_zero && value.threshold ? std::optional(0.0) : std::nullopt;
    }
    result.push_back(std::move(value));
  }
  add_value(result, "scale", "1", fused.scale);
  add_value(result, "vertices", "points", static_cast<double>(mesh.vertices_m.size()));
  add_value(result, "triangles", "1", static_cast<double>(mesh.triangles.size()));
  return result;
}

}  // namespace aqbench
