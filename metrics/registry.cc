#include "metrics/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace aqbench {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr ValueRange kAnyValue = {}, kFromZero = {0, kUnbounded}, kPercent = {0, 100}, kAngle = {0, 180},
                     kCosine = {0, 1}, kLikeness = {-1, 1};
constexpr Better kLower = Better::lower, kHigher = Better::higher, kEqual = Better::equal;
constexpr std::optional<double> kNoIdeal;

struct Row {
  const char* name;
  const char* unit;
  Better better;
  ScoreFamily family;
  ValueRange range;
  const char* definition;
  std::optional<double> ideal = kNoIdeal;
  const char* heading = nullptr;  // of a headline; of a row with {t} at 2 mm
  const char* title = nullptr;
};

// "Error" is the distance from a reconstructed point to the true surface going on beyond the patch, for
// points whose (x, y) lies in the patch; it is signed along the surface normal, positive towards the cameras.
constexpr Row kRows[] = {
    {"accuracy_mean_mm", "mm", kLower, ScoreFamily::errors, kFromZero, "mean of |error|", kNoIdeal,
     "mean error\nmm", "mean error [mm]"},
    {"accuracy_median_mm", "mm", kLower, ScoreFamily::errors, kFromZero, "median of |error|", kNoIdeal,
     "median error\nmm", "median error [mm]"},
    {"accuracy_rmse_mm", "mm", kLower, ScoreFamily::errors, kFromZero, "root mean square error", kNoIdeal,
     "rmse\nmm", "rmse [mm]"},
    {"accuracy_p90_mm", "mm", kLower, ScoreFamily::errors, kFromZero,
     "90th percentile of |error| (linear between ranks, as numpy's default)"},
    {"accuracy_p95_mm", "mm", kLower, ScoreFamily::errors, kFromZero,
     "95th percentile of |error| (linear between ranks)"},
    {"accuracy_max_mm", "mm", kLower, ScoreFamily::errors, kFromZero, "largest |error|"},
    {"bias_mean_mm", "mm", kEqual, ScoreFamily::errors, kAnyValue,
     "mean signed error; positive = towards the cameras", 0, "bias\nmm", "bias [mm]"},
    {"bias_median_mm", "mm", kEqual, ScoreFamily::errors, kAnyValue,
     "median signed error; positive = towards the cameras", 0},
    {"nmad_mm", "mm", kLower, ScoreFamily::errors, kFromZero, "1.4826 x median |error - median error|"},
    {"precision_{t}mm_pct", "%", kHigher, ScoreFamily::shares, kPercent,
     "scored points with |error| <= {t} mm", kNoIdeal, "precision\n2 mm, %", "precision at 2 mm [%]"},
    {"outlier_ratio_pct", "%", kLower, ScoreFamily::errors, kPercent,
     "scored points with |error| > 20 mm (gross outliers)"},
    {"completeness_{t}mm_pct", "%", kHigher, ScoreFamily::shares, kPercent,
     "area of the true patch with a reconstructed point within {t} mm", kNoIdeal, "complete\n2 mm, %",
     "completeness at 2 mm [%]"},
    {"completeness_inset_{t}mm_pct", "%", kHigher, ScoreFamily::shares, kPercent,
     "the same over the patch inset by {t} mm on each side, free of edge effects"},
    {"completeness_seen2_{t}mm_pct", "%", kHigher, ScoreFamily::seen_by_two, kPercent,
     "the same over the part of the patch that two or more cameras see through refracted rays"},
    {"completeness_mean_mm", "mm", kLower, ScoreFamily::distances, kFromZero,
     "mean distance from the true patch to the nearest reconstructed point, by area"},
    {"completeness_median_mm", "mm", kLower, ScoreFamily::distances, kFromZero,
     "median distance from the true patch to the nearest reconstructed point, by area"},
    {"fscore_{t}mm_pct", "%", kHigher, ScoreFamily::shares, kPercent,
     "2PR / (P + R) of precision and completeness at {t} mm", kNoIdeal, "F-score\n2 mm, %",
     "F-score at 2 mm [%]"},
    {"chamfer_l1_mm", "mm", kLower, ScoreFamily::distances, kFromZero,
     "half the sum of accuracy_mean_mm and completeness_mean_mm (others use the sum)"},
    {"hausdorff_p95_mm", "mm", kLower, ScoreFamily::distances, kFromZero,
     "the larger of the 95th percentiles of |error| and of the completeness distance"},
    {"points", "points", kEqual, ScoreFamily::counts, kFromZero,
     "points in the cloud, those not scored included"},
    {"points_outside_patch", "points", kEqual, ScoreFamily::counts, kFromZero,
     "finite points whose (x, y) lies outside the scored patch; they are not scored"},
    {"points_outside_crop", "points", kEqual, ScoreFamily::counts, kFromZero,
     "finite points of the patch outside the crop; they are not scored"},
    {"points_beyond_border", "points", kEqual, ScoreFamily::counts, kFromZero,
     "points whose closest true point lies on an open border of the truth; they are not scored"},
    {"points_beyond_max_distance", "points", kEqual, ScoreFamily::counts, kFromZero,
     "points farther from the truth than the largest distance; they are not scored"},
    {"points_left_out_pct", "%", kEqual, ScoreFamily::counts, kPercent,
     "finite points of the patch that crop, border or largest distance leave out"},
    {"points_non_finite", "points", kEqual, ScoreFamily::counts, kFromZero,
     "points with a NaN, an infinity or a coordinate beyond 1e100 m; they are left out", 0},
    {"point_density_pct", "%", kEqual, ScoreFamily::counts, kFromZero,
     "finite points per mm2 of true patch x 100: a count without bound, not a coverage"},
    {"points_per_mm2", "1/mm2", kEqual, ScoreFamily::counts, kFromZero, "scored points per mm2 of true patch",
     kNoIdeal, "points\nper mm²", "points per mm²"},
    {"plane_fit_rmse_mm", "mm", kLower, ScoreFamily::plane, kFromZero,
     "root mean square distance of the scored points to their total least-squares plane"},
    {"plane_fit_max_mm", "mm", kLower, ScoreFamily::plane, kFromZero,
     "largest distance of a scored point to their total least-squares plane"},
    {"tile_worst_abs_bias_mm", "mm", kLower, ScoreFamily::tiles, kFromZero,
     "largest |mean signed error| of a 10 mm tile of the patch that has points"},
    {"tile_empty_pct", "%", kLower, ScoreFamily::tiles, kPercent, "10 mm tiles of the patch without a point"},
    {"normal_mean_deg", "deg", kLower, ScoreFamily::normals, kAngle,
     "mean angle between a point's normal and the true normal towards the cameras (0 to 180)"},
    {"normal_median_deg", "deg", kLower, ScoreFamily::normals, kAngle,
     "median angle between a point's normal and the true normal"},
    {"normal_within_5deg_pct", "%", kHigher, ScoreFamily::normals, kPercent,
     "scored points with a normal within 5 degrees"},
    {"normal_within_11.25deg_pct", "%", kHigher, ScoreFamily::normals, kPercent,
     "scored points with a normal within 11.25 degrees"},
    {"normal_within_22.5deg_pct", "%", kHigher, ScoreFamily::normals, kPercent,
     "scored points with a normal within 22.5 degrees"},
    {"mesh_accuracy_mean_mm", "mm", kLower, ScoreFamily::mesh, kFromZero,
     "mean distance from the reconstructed mesh over the patch to the true surface, by area"},
    {"mesh_completeness_mean_mm", "mm", kLower, ScoreFamily::mesh, kFromZero,
     "mean distance from the true patch to the reconstructed mesh, by area"},
    {"mesh_normal_consistency", "1", kHigher, ScoreFamily::mesh, kCosine,
     "mean |cosine| between the mesh's normals and the true normals, by area of the mesh over the patch"},
    {"mesh_area_ratio", "1", kEqual, ScoreFamily::mesh, kFromZero,
     "area of the reconstructed mesh over the patch / true area", 1},
    {"mesh_components", "1", kEqual, ScoreFamily::mesh, kFromZero, "parts of the mesh that share no vertex"},
    {"mesh_boundary_mm", "mm", kEqual, ScoreFamily::mesh, kFromZero,
     "length of the edges that only one triangle has"},
    {"mesh_nonmanifold_edges", "1", kLower, ScoreFamily::mesh, kFromZero,
     "edges that three or more triangles share"},
    {"depth_mae_mm", "mm", kLower, ScoreFamily::depths, kFromZero,
     "mean |depth error| along the refracted ray, over pixels where both maps have a depth"},
    {"depth_rmse_mm", "mm", kLower, ScoreFamily::depths, kFromZero,
     "root mean square depth error along the refracted ray"},
    {"depth_median_ae_mm", "mm", kLower, ScoreFamily::depths, kFromZero,
     "median |depth error| along the refracted ray"},
    {"depth_abs_rel_pct", "%", kLower, ScoreFamily::depths, kFromZero,
     "mean |depth error| / true depth, along the refracted ray"},
    {"depth_bad_1mm_pct", "%", kLower, ScoreFamily::depths, kPercent,
     "compared pixels with |depth error| > 1 mm"},
    {"depth_bad_2mm_pct", "%", kLower, ScoreFamily::depths, kPercent,
     "compared pixels with |depth error| > 2 mm"},
    {"depth_bad_4mm_pct", "%", kLower, ScoreFamily::depths, kPercent,
     "compared pixels with |depth error| > 4 mm"},
    {"depth_fill_rate_pct", "%", kHigher, ScoreFamily::depths, kPercent,
     "pixels with a true depth that have a depth"},
    {"holes_not_visible_pct", "%", kEqual, ScoreFamily::diagnosis, kPercent,
     "area of the true patch without a reconstructed point within 2 mm that fewer than two cameras see"},
    {"holes_no_depth_pct", "%", kLower, ScoreFamily::diagnosis, kPercent,
     "the same where no camera's depth map has a depth"},
    {"holes_wrong_depth_pct", "%", kLower, ScoreFamily::diagnosis, kPercent,
     "the same where those depths are all off by more than 2 mm"},
    {"holes_filtered_pct", "%", kLower, ScoreFamily::diagnosis, kPercent,
     "the same where the filter dropped the right depths"},
    {"holes_fused_pct", "%", kLower, ScoreFamily::diagnosis, kPercent,
     "the same where fusion lost the right depths"},
    {"precision_confident_2mm_pct", "%", kHigher, ScoreFamily::diagnosis, kPercent,
     "scored points of confidence 0.5 or more with |error| <= 2 mm"},
    {"camera_worst_bias_mm", "mm", kLower, ScoreFamily::diagnosis, kFromZero,
     "largest |mean signed error| of one camera's depths on the patch"},
    {"crb_ratio", "1", kLower, ScoreFamily::diagnosis, kFromZero,
     "accuracy_rmse_mm / the Cramer-Rao bound of the rig for 1 px of noise, both over the patch"},
    {"reprojection_median_px", "px", kLower, ScoreFamily::reprojection, kFromZero,
     "shift by another camera's depth, median; no accuracy"},
    {"reprojection_within_1px_pct", "%", kHigher, ScoreFamily::reprojection, kPercent,
     "such shifts of at most 1 px; no accuracy"},
    {"charuco_corners", "1", kHigher, ScoreFamily::board, kFromZero,
     "corners of the board that the depth maps give"},
    {"charuco_rmse_mm", "mm", kLower, ScoreFamily::board, kFromZero,
     "rms distance of these corners from the true ones"},
    {"charuco_scale_pct", "%", kEqual, ScoreFamily::board, kFromZero,
     "reconstructed / true side of its squares; no accuracy", 100},
    {"control_points", "1", kHigher, ScoreFamily::control, kFromZero,
     "control points that have a plane of the cloud's points near them"},
    {"control_mean_mm", "mm", kLower, ScoreFamily::control, kFromZero,
     "mean distance of these control points from their planes"},
    {"control_rms_mm", "mm", kLower, ScoreFamily::control, kFromZero, "root mean square of these distances"},
    {"control_max_mm", "mm", kLower, ScoreFamily::control, kFromZero, "largest of these distances"},
    {"control_rms_sigmas", "1", kLower, ScoreFamily::control, kFromZero,
     "root mean square of these distances, each by the standard deviation of its control point"},
    {"photometric_points", "points", kEqual, ScoreFamily::photometric, kFromZero,
     "points of the sample that two or more images show with some texture"},
    {"photometric_cloud_points", "points", kEqual, ScoreFamily::photometric, kFromZero,
     "points in the cloud"},
    {"photometric_coverage_pct", "%", kHigher, ScoreFamily::photometric, kPercent,
     "squares of 16 px of the images in which a point of the cloud lies; no accuracy"},
    {"photometric_zncc_median", "1", kHigher, ScoreFamily::photometric, kLikeness,
     "median over these points of how alike their patch is in two images; no accuracy"},
    {"photometric_agree_pct", "%", kHigher, ScoreFamily::photometric, kPercent,
     "such points with a likeness of at least 0.7; no accuracy"},
    {"points_in_masks_pct", "%", kHigher, ScoreFamily::masks, kPercent,
     "points, of those that an image with a mask shows, that lie in the mask, to a pixel, of each such "
     "image"},
    {"pose_auc_1deg_pct", "%", kHigher, ScoreFamily::poses, kPercent,
     "area under the recall curve of the pose errors of all pairs of images up to 1 degree, as COLMAP's "
     "benchmark has it"},
    {"pose_auc_3deg_pct", "%", kHigher, ScoreFamily::poses, kPercent,
     "area under the recall curve of the pose errors of all pairs of images up to 3 degrees, as COLMAP's "
     "benchmark has it"},
    {"pose_auc_5deg_pct", "%", kHigher, ScoreFamily::poses, kPercent,
     "area under the recall curve of the pose errors of all pairs of images up to 5 degrees, as COLMAP's "
     "benchmark has it"},
    {"pose_auc_10deg_pct", "%", kHigher, ScoreFamily::poses, kPercent,
     "area under the recall curve of the pose errors of all pairs of images up to 10 degrees, as COLMAP's "
     "benchmark has it"},
    {"pose_auc_30deg_pct", "%", kHigher, ScoreFamily::poses, kPercent,
     "area under the recall curve of the pose errors of all pairs of images up to 30 degrees, as COLMAP's "
     "benchmark has it"},
    {"pose_rotation_median_deg", "deg", kLower, ScoreFamily::poses, kAngle,
     "median angle between the method's aligned cameras and the true ones"},
    {"pose_rotation_rmse_deg", "deg", kLower, ScoreFamily::poses, kAngle, "root mean square of these angles"},
    {"pose_position_median_mm", "mm", kLower, ScoreFamily::poses, kFromZero,
     "median distance of the method's aligned camera centres from the true ones"},
    {"pose_position_rmse_mm", "mm", kLower, ScoreFamily::poses, kFromZero,
     "root mean square of these distances"},
    {"pose_registered_pct", "%", kHigher, ScoreFamily::poses, kPercent, "images that have a pose"},
    {"pose_alignment_rms_mm", "mm", kLower, ScoreFamily::poses, kFromZero,
     "root mean square distance of the camera centres that the alignment took as right; a residual"},
    {"pose_focal_error_median_pct", "%", kLower, ScoreFamily::poses, kFromZero,
     "median over the cameras of how far the geometric mean of the method's focal lengths is off"},
    {"pose_principal_point_median_px", "px", kLower, ScoreFamily::poses, kFromZero,
     "median distance of the method's principal points from the true ones"},
};

bool has_tolerance(const Row& row) {
  return std::string_view(row.name).find("{t}") != std::string_view::npos;
}

std::string with_tolerance(std::string_view text, double tolerance_m) {
  std::string result(text);
  const std::size_t place = result.find("{t}");
  if (place != std::string::npos) result.replace(place, 3, fmt::format("{:g}", tolerance_m * 1000));
  return result;
}

std::size_t row_number(std::string_view name) {
  const auto* const found =
      std::ranges::find(kRows, name, [](const Row& row) { return std::string_view(row.name); });
  if (found == std::end(kRows)) throw std::logic_error("no metric row '" + std::string(name) + "'");
  return static_cast<std::size_t>(found - std::begin(kRows));
}

MetricSpec spec_of(const Row& row, double tolerance_m) {
  return {.name = with_tolerance(row.name, tolerance_m),
          .unit = row.unit,
          .better = row.better,
          .family = row.family,
          .range = row.range,
          .definition = with_tolerance(row.definition, tolerance_m),
          .ideal = row.ideal};
}

}  // namespace

const std::vector<double>& default_tolerances_m() {
  static const std::vector<double> tolerances_m = {0.0005, 0.001, 0.002, 0.005, 0.010};
  return tolerances_m;
}

const std::vector<MetricSpec>& metric_registry() {
  static const std::vector<MetricSpec> registry = [] {
    std::vector<MetricSpec> specs;
    for (const Row& row : kRows) {
      if (!has_tolerance(row)) {
        specs.push_back(spec_of(row, 0));
        continue;
      }
      for (const double tolerance_m : default_tolerances_m()) specs.push_back(spec_of(row, tolerance_m));
    }
    return specs;
  }();
  return registry;
}

std::optional<double> metric_ideal(std::string_view name) {
  const auto* const found =
      std::ranges::find_if(kRows, [&](const Row& row) { return row.ideal && name == row.name; });
  return found == std::end(kRows) ? std::nullopt : found->ideal;
}

MetricSpec metric_spec(std::string_view row, double tolerance_m) {
  return spec_of(kRows[row_number(row)], tolerance_m);
}

void MetricWriter::insert(std::string_view row, double tolerance_m, std::optional<double> value,
                          std::string reason) {
  const std::size_t number = row_number(row);
  MetricSpec spec = spec_of(kRows[number], tolerance_m);
  items_.push_back({number,
                    tolerance_m,
                    std::move(spec.name),
                    {value, std::move(spec.unit), spec.better, std::move(reason)}});
}

void MetricWriter::add(std::string_view row, double value, double tolerance_m) {
  constexpr double kRounding = 1e-9;  // far above that of sums of many terms
  const ValueRange& range = kRows[row_number(row)].range;
  if (!std::isfinite(value))
    insert(row, tolerance_m, std::nullopt, "the value is not finite");
  else if (value < range.min - kRounding || value > range.max + kRounding)
    insert(row, tolerance_m, std::nullopt,
           fmt::format("the value {} is not from {} to {}", value, range.min, range.max));
  else
    insert(row, tolerance_m, value + 0.0, "");  // -0 becomes 0
}

void MetricWriter::add_undefined(std::string_view row, const std::string& reason, double tolerance_m) {
  insert(row, tolerance_m, std::nullopt, reason);
}

void MetricWriter::add_rest_undefined(ScoreFamily family, const std::string& reason) {
  for (const Row& row : kRows)
    if (row.family == family && std::ranges::find(items_, row_number(row.name), &Item::row) == items_.end())
      insert(row.name, 0, std::nullopt, reason);
}

MetricSet MetricWriter::take() {
  std::ranges::stable_sort(items_, [](const Item& a, const Item& b) {
    return a.row != b.row ? a.row < b.row : a.tolerance_m < b.tolerance_m;
  });
  MetricSet set;
  set.reserve(items_.size());
  for (const Item& item : items_) set.emplace_back(item.name, item.metric);
  items_.clear();
  return set;
}

const std::vector<HeadlineMetric>& headline_metrics() {
  static const std::vector<HeadlineMetric> metrics = [] {
    std::vector<HeadlineMetric> headlines;
    for (const Row& row : kRows)
      if (row.heading != nullptr) headlines.push_back({spec_of(row, 0.002).name, row.heading, row.title});
    return headlines;
  }();
  return metrics;
}

}  // namespace aqbench
