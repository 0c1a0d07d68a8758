#include "metrics/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>

namespace aqbench {
namespace {

struct Row {
  const char* name;
  const char* unit;
  Better better;
  const char* definition;
};

constexpr Row count_of(const char* name, const char* definition) {
  return {.name = name, .unit = "points", .better = Better::equal, .definition = definition};
}

// "Error" is the distance from a reconstructed point to the true surface going on beyond the patch, for
// points whose (x, y) lies in the patch; it is signed along the surface normal, positive towards the cameras.
constexpr Row kRows[] = {
    {.name = "accuracy_mean_mm", .unit = "mm", .better = Better::lower, .definition = "mean of |error|"},
    {.name = "accuracy_median_mm", .unit = "mm", .better = Better::lower, .definition = "median of |error|"},
    {.name = "accuracy_rmse_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "root mean square error"},
    {.name = "accuracy_p90_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "90th percentile of |error| (linear between ranks, as numpy's default)"},
    {.name = "accuracy_p95_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "95th percentile of |error| (linear between ranks)"},
    {.name = "accuracy_max_mm", .unit = "mm", .better = Better::lower, .definition = "largest |error|"},
    {.name = "bias_mean_mm",
     .unit = "mm",
     .better = Better::equal,
     .definition = "mean signed error; positive = towards the cameras"},
    {.name = "bias_median_mm",
     .unit = "mm",
     .better = Better::equal,
     .definition = "median signed error; positive = towards the cameras"},
    {.name = "nmad_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "1.4826 x median |error - median error|"},
    {.name = "precision_{t}mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "scored points with |error| <= {t} mm"},
    {.name = "outlier_ratio_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "scored points with |error| > 20 mm (gross outliers)"},
    {.name = "completeness_{t}mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "area of the true patch with a reconstructed point within {t} mm"},
    {.name = "completeness_inset_{t}mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "the same over the patch inset by {t} mm on each side, free of edge effects"},
    {.name = "completeness_seen2_{t}mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "the same over the part of the patch that two or more cameras see through refracted rays"},
    {.name = "completeness_mean_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "mean distance from the true patch to the nearest reconstructed point, by area"},
    {.name = "completeness_median_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "median distance from the true patch to the nearest reconstructed point, by area"},
    {.name = "fscore_{t}mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "2PR / (P + R) of precision and completeness at {t} mm"},
    {.name = "chamfer_l1_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "half the sum of accuracy_mean_mm and completeness_mean_mm (others use the sum)"},
    {.name = "hausdorff_p95_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "the larger of the 95th percentiles of |error| and of the completeness distance"},
    count_of("points", "points in the cloud, those not scored included"),
    count_of("points_outside_patch",
             "finite points whose (x, y) lies outside the scored patch; they are not scored"),
    count_of("points_outside_crop", "finite points of the patch outside the crop; they are not scored"),
    count_of("points_beyond_border",
             "points whose closest true point lies on an open border of the truth; they are not scored"),
    count_of("points_beyond_max_distance",
             "points farther from the truth than the largest distance; they are not scored"),
    {.name = "points_left_out_pct",
     .unit = "%",
     .better = Better::equal,
     .definition = "finite points of the patch that crop, border or largest distance leave out"},
    count_of("points_non_finite",
             "points with a NaN, an infinity or a coordinate beyond 1e100 m; they are left out"),
    {.name = "point_density_pct",
     .unit = "%",
     .better = Better::equal,
     .definition = "finite points per mm2 of true patch x 100: a count without bound, not a coverage"},
    {.name = "plane_fit_rmse_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "root mean square distance of the scored points to their total least-squares plane"},
    {.name = "plane_fit_max_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "largest distance of a scored point to their total least-squares plane"},
    {.name = "tile_worst_abs_bias_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "largest |mean signed error| of a 10 mm tile of the patch that has points"},
    {.name = "tile_empty_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "10 mm tiles of the patch without a point"},
    {.name = "normal_mean_deg",
     .unit = "deg",
     .better = Better::lower,
     .definition = "mean angle between a point's normal and the true normal towards the cameras (0 to 180)"},
    {.name = "normal_median_deg",
     .unit = "deg",
     .better = Better::lower,
     .definition = "median angle between a point's normal and the true normal"},
    {.name = "normal_within_5deg_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "scored points with a normal within 5 degrees"},
    {.name = "normal_within_11.25deg_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "scored points with a normal within 11.25 degrees"},
    {.name = "normal_within_22.5deg_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "scored points with a normal within 22.5 degrees"},
    {.name = "mesh_accuracy_mean_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "mean distance from the reconstructed mesh over the patch to the true surface, by area"},
    {.name = "mesh_completeness_mean_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "mean distance from the true patch to the reconstructed mesh, by area"},
    {.name = "mesh_normal_consistency",
     .unit = "1",
     .better = Better::higher,
     .definition =
         "mean |cosine| between the mesh's normals and the true normals, by area of the mesh over the patch"},
    {.name = "mesh_area_ratio",
     .unit = "1",
     .better = Better::equal,
     .definition = "area of the reconstructed mesh over the patch / true area"},
    {.name = "mesh_components",
     .unit = "1",
     .better = Better::equal,
     .definition = "parts of the mesh that share no vertex"},
    {.name = "mesh_boundary_mm",
     .unit = "mm",
     .better = Better::equal,
     .definition = "length of the edges that only one triangle has"},
    {.name = "mesh_nonmanifold_edges",
     .unit = "1",
     .better = Better::lower,
     .definition = "edges that three or more triangles share"},
    {.name = "depth_mae_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "mean |depth error| along the refracted ray, over pixels where both maps have a depth"},
    {.name = "depth_rmse_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "root mean square depth error along the refracted ray"},
    {.name = "depth_median_ae_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "median |depth error| along the refracted ray"},
    {.name = "depth_abs_rel_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "mean |depth error| / true depth, along the refracted ray"},
    {.name = "depth_bad_1mm_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "compared pixels with |depth error| > 1 mm"},
    {.name = "depth_bad_2mm_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "compared pixels with |depth error| > 2 mm"},
    {.name = "depth_bad_4mm_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "compared pixels with |depth error| > 4 mm"},
    {.name = "depth_fill_rate_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "pixels with a true depth that have a depth"},
    {.name = "holes_not_visible_pct",
     .unit = "%",
     .better = Better::equal,
     .definition =
         "area of the true patch without a reconstructed point within 2 mm that fewer than two cameras see"},
    {.name = "holes_no_depth_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "the same where no camera's depth map has a depth"},
    {.name = "holes_wrong_depth_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "the same where those depths are all off by more than 2 mm"},
    {.name = "holes_filtered_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "the same where the filter dropped the right depths"},
    {.name = "holes_fused_pct",
     .unit = "%",
     .better = Better::lower,
     .definition = "the same where fusion lost the right depths"},
    {.name = "precision_confident_2mm_pct",
     .unit = "%",
     .better = Better::higher,
     .definition = "scored points of confidence 0.5 or more with |error| <= 2 mm"},
    {.name = "camera_worst_bias_mm",
     .unit = "mm",
     .better = Better::lower,
     .definition = "largest |mean signed error| of one camera's depths on the patch"},
    {.name = "crb_ratio",
     .unit = "1",
     .better = Better::lower,
     .definition =
         "accuracy_rmse_mm / the Cramer-Rao bound of the rig for 1 px of noise, both over the patch"},
    // Of recordings.
    {"reprojection_median_px", "px", Better::lower, "shift by another camera's depth, median; no accuracy"},
    {"reprojection_within_1px_pct", "%", Better::higher, "such shifts of at most 1 px; no accuracy"},
    {"charuco_corners", "1", Better::higher, "corners of the board that the depth maps give"},
    {"charuco_rmse_mm", "mm", Better::lower, "rms distance of these corners from the true ones"},
    {"charuco_scale_pct", "%", Better::equal, "reconstructed / true side of its squares; no accuracy"},
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
          .definition = with_tolerance(row.definition, tolerance_m)};
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
  if (std::isfinite(value)) {
    insert(row, tolerance_m, value + 0.0, "");  // -0 becomes 0
  } else {
    insert(row, tolerance_m, std::nullopt, "the value is not finite");
  }
}

void MetricWriter::add_undefined(std::string_view row, const std::string& reason, double tolerance_m) {
  insert(row, tolerance_m, std::nullopt, reason);
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
  static const std::vector<HeadlineMetric> metrics = {
      {.name = "accuracy_mean_mm", .heading = "mean\nmm", .title = "accuracy mean [mm]"},
      {.name = "accuracy_median_mm", .heading = "median\nmm", .title = "accuracy median [mm]"},
      {.name = "accuracy_rmse_mm", .heading = "rmse\nmm", .title = "accuracy rmse [mm]"},
      {.name = "bias_mean_mm", .heading = "bias\nmm", .title = "bias mean [mm]"},
      {.name = "precision_2mm_pct", .heading = "prec.\n2mm %", .title = "precision at 2 mm [%]"},
      {.name = "completeness_2mm_pct", .heading = "compl.\n2mm %", .title = "completeness at 2 mm [%]"},
      {.name = "fscore_2mm_pct", .heading = "F\n2mm %", .title = "F-score at 2 mm [%]"},
      {.name = "point_density_pct", .heading = "density\n%", .title = "point density [%]"},
  };
  return metrics;
}

}  // namespace aqbench
