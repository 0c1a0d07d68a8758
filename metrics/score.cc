#include "metrics/score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "metrics/mesh_metrics.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

constexpr double kMm = 1000;  // millimetres in a metre

// A value or the reason why there is none.
struct Measured {
  std::optional<double> value;
  std::string reason;
};

void write(MetricWriter& writer, std::string_view row, const Measured& measured, double tolerance_m = 0) {
  if (measured.value) {
    writer.add(row, *measured.value, tolerance_m);
  } else {
    writer.add_undefined(row, measured.reason, tolerance_m);
  }
}

Measured precision(const CloudMeasurements& cloud, double tolerance_m) {
  if (!cloud.accuracy) return {std::nullopt, cloud.no_accuracy};
  return {share_within_pct(cloud.signed_error_m, tolerance_m), ""};
}

Measured fscore(const Measured& precision, const Measured& completeness) {
  if (!precision.value) return precision;
  if (!completeness.value) return completeness;
  const double sum = *precision.value + *completeness.value;
  if (sum == 0) return {std::nullopt, "precision and completeness are both 0"};
  return {2 * *precision.value * *completeness.value / sum, ""};
}

void write_accuracy(MetricWriter& writer, const CloudMeasurements& cloud, const ScoreOptions& options) {
  if (!cloud.accuracy) {
    writer.add_rest_undefined(ScoreFamily::errors, cloud.no_accuracy);
    return;
  }
  const ErrorSummary& errors = *cloud.accuracy;
  writer.add("accuracy_mean_mm", kMm * errors.mean_m);
  writer.add("accuracy_median_mm", kMm * errors.median_m);
  writer.add("accuracy_rmse_mm", kMm * errors.rmse_m);
  writer.add("accuracy_p90_mm", kMm * errors.p90_m);
  writer.add("accuracy_p95_mm", kMm * errors.p95_m);
  writer.add("accuracy_max_mm", kMm * errors.max_m);
  writer.add("bias_mean_mm", kMm * errors.bias_mean_m);
  writer.add("bias_median_mm", kMm * errors.bias_median_m);
  writer.add("nmad_mm", kMm * errors.nmad_m);
  writer.add("outlier_ratio_pct", share_beyond_pct(cloud.signed_error_m, options.outlier_m));
}

void write_shares(MetricWriter& writer, const CloudMeasurements& cloud, const Patch* patch,
                  const ScoreOptions& options) {
  std::vector<CompletenessShare> shares(options.tolerances_m.size());
  if (cloud.completeness) shares = completeness_shares(*cloud.completeness, options.tolerances_m, patch);
  const std::string no_share = cloud.completeness ? "no area" : cloud.no_completeness;
  const std::string no_inset = !cloud.completeness ? cloud.no_completeness
                               : patch == nullptr  ? std::string(kNoPatchToInset)
                                                   : "the inset patch has no samples";
  for (std::size_t t = 0; t < shares.size(); ++t) {
    const double tolerance_m = options.tolerances_m[t];
    const Measured precise = precision(cloud, tolerance_m), complete{shares[t].all_pct, no_share};
    write(writer, "precision_{t}mm_pct", precise, tolerance_m);
    write(writer, "completeness_{t}mm_pct", complete, tolerance_m);
    write(writer, "completeness_inset_{t}mm_pct",
          {patch == nullptr ? std::nullopt : shares[t].inset_pct, no_inset}, tolerance_m);
    write(writer, "fscore_{t}mm_pct", fscore(precise, complete), tolerance_m);
  }
}

// Takes the samples out of the measurements and counts the cameras that see each.
SeenSamples seen_samples(CloudMeasurements& cloud, const ViewCounter& count_views) {
  SeenSamples seen;
  seen.why_none = cloud.no_completeness;
  if (!cloud.completeness) return seen;
  seen.views = count_views(cloud.completeness->samples->positions_m);
  if (seen.views.size() != cloud.completeness->distance_m.size())
    throw Error(ErrorKind::usage, "count_views: gave another number of counts than there are positions");
  seen.completeness = *std::exchange(cloud.completeness, std::nullopt);
  return seen;
}

// Writes completeness_seen2_*.
void write_seen(MetricWriter& writer, const SeenSamples& samples, const ScoreOptions& options) {
  for (const double tolerance_m : options.tolerances_m) {
    Measured seen{std::nullopt, samples.why_none};
    if (!samples.views.empty())
      seen = {completeness_pct(samples.completeness, tolerance_m,
                               [&](std::size_t i) { return samples.views[i] >= 2; }),
              "no part of the patch is seen by two cameras"};
    write(writer, "completeness_seen2_{t}mm_pct", seen, tolerance_m);
  }
}

void write_distances_both_ways(MetricWriter& writer, const CloudMeasurements& cloud) {
  if (!cloud.completeness_summary) {
    writer.add_rest_undefined(ScoreFamily::distances, cloud.no_completeness);
    return;
  }
  const CompletenessSummary& summary = *cloud.completeness_summary;
  writer.add("completeness_mean_mm", kMm * summary.mean_m);
  writer.add("completeness_median_mm", kMm * summary.median_m);
  if (!cloud.accuracy) {
    writer.add_rest_undefined(ScoreFamily::distances, cloud.no_accuracy);
    return;
  }
  writer.add("chamfer_l1_mm", kMm * 0.5 * (cloud.accuracy->mean_m + summary.mean_m));
  writer.add("hausdorff_p95_mm", kMm * std::max(cloud.accuracy->p95_m, summary.p95_m));
}

// Writes what was left out where the truth is partial. The area of a part is that of its samples.
void write_counts(MetricWriter& writer, const CloudMeasurements& measured, double area_m2,
                  const ScoredPart& part) {
  const ScoredCounts& counts = measured.counts;
  const std::size_t in_patch = counts.scored + counts.left_out(), finite = in_patch + counts.outside_patch;
  writer.add("points", static_cast<double>(finite + counts.non_finite));
  writer.add("points_outside_patch", static_cast<double>(counts.outside_patch));
  writer.add("points_non_finite", static_cast<double>(counts.non_finite));
  if (part.is_partial()) {
    if (!part.crop.parts.empty()) writer.add("points_outside_crop", static_cast<double>(counts.outside_crop));
    if (part.leave_out_beyond_border)
      writer.add("points_beyond_border", static_cast<double>(counts.beyond_border));
    if (part.max_distance_m)
      writer.add("points_beyond_max_distance", static_cast<double>(counts.beyond_max_distance));
    const double share = static_cast<double>(counts.left_out()) / static_cast<double>(in_patch);
    write(writer, "points_left_out_pct",
          {in_patch > 0 ? std::optional(100 * share) : std::nullopt, measured.no_accuracy});
  }
  const bool cropped = !part.crop.parts.empty();
  if (!measured.completeness || std::isnan(area_m2)) {
    const std::string reason = measured.completeness ? kNoAreaOfCloud : measured.no_completeness;
    for (const char* const row : {"point_density_pct", "points_per_mm2"}) writer.add_undefined(row, reason);
    return;
  }
  const double area_mm2 = (cropped ? measured.completeness_summary->area_m2 : area_m2) * kMm * kMm;
  writer.add("point_density_pct", 100 * static_cast<double>(finite - counts.outside_crop) / area_mm2);
  writer.add("points_per_mm2", static_cast<double>(counts.scored) / area_mm2);
}

void write_plane_fit(MetricWriter& writer, const CloudMeasurements& measured) {
  if (measured.plane) {
    writer.add("plane_fit_rmse_mm", kMm * measured.plane->rmse_m);
    writer.add("plane_fit_max_mm", kMm * measured.plane->max_m);
    return;
  }
  std::string reason = measured.no_accuracy;
  if (reason.empty())
    reason = measured.subset.size() < 3 ? "fewer than 3 points" : "the points lie on one line";
  writer.add_rest_undefined(ScoreFamily::plane, reason);
}

void write_tiles(MetricWriter& writer, const CloudMeasurements& measured) {
  const TileGrid& grid = measured.tiles;
  std::string reason = measured.no_accuracy;
  if (grid.tiles.empty()) reason = kNoPatchToTile;
  if (!reason.empty()) {
    writer.add_rest_undefined(ScoreFamily::tiles, reason);
    return;
  }
  double worst_mm = 0;
  std::size_t empty = 0;
  for (const ErrorTile& tile : grid.tiles) {
    if (tile.points == 0) {
      ++empty;
    } else {
      worst_mm = std::max(worst_mm, std::abs(tile.signed_mean_mm));
    }
  }
  writer.add("tile_worst_abs_bias_mm", worst_mm);
  writer.add("tile_empty_pct", 100.0 * static_cast<double>(empty) / static_cast<double>(grid.tiles.size()));
}

void write_normals(MetricWriter& writer, CloudMeasurements& measured) {
  constexpr std::pair<const char*, double> kWithin[] = {{"normal_within_5deg_pct", 5},
                                                        {"normal_within_11.25deg_pct", 11.25},
                                                        {"normal_within_22.5deg_pct", 22.5}};
  if (!measured.any_normal) {
    writer.add_rest_undefined(ScoreFamily::normals,
                              measured.accuracy ? "no scored point has a normal: all are zero or not finite"
                                                : measured.no_accuracy);
    return;
  }
  std::vector<double>& errors_deg = measured.normal_errors_deg;
  const double sum_deg = exact_sum(errors_deg.size(), [&](std::size_t i) { return errors_deg[i]; });
  writer.add("normal_mean_deg", sum_deg / static_cast<double>(errors_deg.size()));
  for (const auto& [row, limit_deg] : kWithin) writer.add(row, share_within_pct(errors_deg, limit_deg));
  writer.add("normal_median_deg", median_in_place(errors_deg));
}

FaceCounts write_mesh(MetricWriter& writer, const TriangleMesh& mesh, const Surface& truth,
                      const ScoreOptions& options) {
  const MeshMetrics metrics = measure_mesh(mesh, truth, options);
  writer.add("mesh_components", static_cast<double>(metrics.topology.components));
  writer.add("mesh_boundary_mm", kMm * metrics.topology.boundary_m);
  writer.add("mesh_nonmanifold_edges", static_cast<double>(metrics.topology.nonmanifold_edges));
  if (!metrics.reason.empty()) {
    writer.add_rest_undefined(ScoreFamily::mesh, metrics.reason);
    return metrics.topology.faces;
  }
  writer.add("mesh_accuracy_mean_mm", kMm * *metrics.accuracy_mean_m);
  writer.add("mesh_completeness_mean_mm", kMm * *metrics.completeness_mean_m);
  writer.add("mesh_normal_consistency", *metrics.normal_consistency);
  if (std::isnan(*metrics.area_ratio))
    writer.add_undefined("mesh_area_ratio", kNoAreaOfCloud);
  else
    writer.add("mesh_area_ratio", *metrics.area_ratio);
  return metrics.topology.faces;
}

// Notes the number of samples of completeness and its error from sampling.
void note_sampling(const CloudMeasurements& measured, std::span<const double> tolerances_m, Score& score) {
  if (!measured.completeness) return;
  const Completeness& completeness = *measured.completeness;
  score.samples = completeness.distance_m.size();
  score.samples_of = completeness.is_thinned ? completeness.samples->of_points : 0;
  score.completeness_se_pct = sampling_se_pct(completeness, tolerances_m);
}

void write_depth_errors(MetricWriter& writer, std::vector<double>& error_m, double relative_sum) {
  const double count = static_cast<double>(error_m.size());
  double sum_m = 0, squares_m2 = 0;
  for (const double error : error_m) {
    sum_m += error;
    squares_m2 += error * error;
  }
  writer.add("depth_mae_mm", 1000 * sum_m / count);
  writer.add("depth_rmse_mm", 1000 * std::sqrt(squares_m2 / count));
  writer.add("depth_abs_rel_pct", 100 * relative_sum / count);
  constexpr std::pair<const char*, double> kBad[] = {
      {"depth_bad_1mm_pct", 0.001}, {"depth_bad_2mm_pct", 0.002}, {"depth_bad_4mm_pct", 0.004}};
  for (const auto& [row, limit_m] : kBad) writer.add(row, share_beyond_pct(error_m, limit_m));
  writer.add("depth_median_ae_mm", 1000 * median_in_place(error_m));
}

void check_length(const char* name, std::size_t length, std::size_t points) {
  if (length == 0 || length == points) return;
  throw method_error("cloud.{}: {} entries for {} points", name, length, points);
}

}  // namespace

Score score_blocks(const CloudBlocks& cloud, const TriangleMesh* mesh, const Surface& truth,
                   const ScoreOptions& options, const ViewCounter& count_views, const BlockSizes& sizes) {
  check(options);
  const double samples = truth.area_m2() / (options.sample_spacing_m * options.sample_spacing_m);
  if (samples > 2e8)
    throw usage_error("sample_spacing_m: {} m on a surface of {} m2 takes {:.3g} samples",
                      options.sample_spacing_m, truth.area_m2(), samples);
  CloudMeasurements measured = measure_cloud(cloud, truth, options, sizes, count_views != nullptr);
  MetricWriter writer;
  write_accuracy(writer, measured, options);
  write_shares(writer, measured, truth.patch(), options);
  write_distances_both_ways(writer, measured);
  write_counts(writer, measured, truth.area_m2(), options.part);
  write_plane_fit(writer, measured);
  if (options.tiles) write_tiles(writer, measured);
  Score score;
  note_sampling(measured, options.tolerances_m, score);
  if (count_views) {
    score.seen = seen_samples(measured, count_views);
    write_seen(writer, *score.seen, options);
    score.by_views = completeness_by_views(score.seen->completeness, score.seen->views);
  }
  if (cloud.has_normals()) write_normals(writer, measured);
  if (mesh != nullptr) score.mesh_faces = write_mesh(writer, *mesh, truth, options);
  score.tiles = std::move(measured.tiles);
  score.counts = measured.counts;
  score.subset = std::move(measured.subset);
  score.plane = measured.plane;
  score.metrics = writer.take();
  name_sizes(score.metrics, options);
  return score;
}

Score score_reconstruction(const Reconstruction& reconstruction, const Surface& truth,
                           const ScoreOptions& options, const ViewCounter& count_views) {
  const PointCloud& cloud = reconstruction.cloud;
  check_length("confidence", cloud.confidence.size(), cloud.points_m.size());
  check_length("normals", cloud.normals.size(), cloud.points_m.size());
  return score_blocks(SpanBlocks(cloud.points_m, cloud.normals),
                      reconstruction.mesh ? &*reconstruction.mesh : nullptr, truth, options, count_views);
}

MetricSet depth_metrics(std::span<const float> predicted_m, std::span<const float> truth_m) {
  if (predicted_m.size() != truth_m.size())
    throw method_error("depth map: {} pixels where the truth has {}", predicted_m.size(), truth_m.size());
  std::vector<double> error_m;
  double relative_sum = 0;
  std::size_t true_depths = 0;
  for (std::size_t i = 0; i < truth_m.size(); ++i) {
    if (!has_depth(truth_m[i])) continue;
    ++true_depths;
    if (!has_depth(predicted_m[i])) continue;
    error_m.push_back(std::abs(double{predicted_m[i]} - double{truth_m[i]}));
    relative_sum += error_m.back() / double{truth_m[i]};
  }
  MetricWriter writer;
  if (true_depths == 0) {
    writer.add_rest_undefined(ScoreFamily::depths, "the true depth map has no depth");
    return writer.take();
  }
  writer.add("depth_fill_rate_pct",
             100 * static_cast<double>(error_m.size()) / static_cast<double>(true_depths));
  if (error_m.empty())
    writer.add_rest_undefined(ScoreFamily::depths, "no pixel with a true depth has a depth");
  else
    write_depth_errors(writer, error_m, relative_sum);
  return writer.take();
}

}  // namespace aqbench
