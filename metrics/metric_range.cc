#include "metrics/metric_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "metrics/metric_relations.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

struct RangeRow {
  std::string_view row;
  MetricRange range;
};

const std::vector<RangeRow> kRanges = {
    {"accuracy_mean_mm", {.min = 0, .always = true, .defined = true, .at_least = {"bias_mean_mm"}}},
    {"accuracy_median_mm", {.min = 0, .always = true, .defined = true, .at_least = {"bias_median_mm"}}},
    {"accuracy_rmse_mm", {.min = 0, .always = true, .defined = true, .at_least = {"accuracy_mean_mm"}}},
    {"accuracy_p90_mm", {.min = 0, .always = true, .defined = true, .at_least = {"accuracy_median_mm"}}},
    {"accuracy_p95_mm", {.min = 0, .always = true, .defined = true, .at_least = {"accuracy_p90_mm"}}},
    {"accuracy_max_mm",
     {.min = 0, .always = true, .defined = true, .at_least = {"accuracy_p95_mm", "accuracy_rmse_mm"}}},
    {"bias_mean_mm", {.always = true, .defined = true}},
    {"bias_median_mm", {.always = true, .defined = true}},
    {"nmad_mm", {.min = 0, .always = true, .defined = true}},
    {"precision_{t}mm_pct",
     {.min = 0, .max = 100, .always = true, .defined = true, .rises = true, .of_scored = true}},
    {"outlier_ratio_pct", {.min = 0, .max = 100, .always = true, .defined = true, .of_scored = true}},
    {"completeness_{t}mm_pct", {.min = 0, .max = 100, .always = true, .rises = true}},
    {"completeness_inset_{t}mm_pct", {.min = 0, .max = 100, .always = true}},
    {"completeness_seen2_{t}mm_pct", {.min = 0, .max = 100, .rises = true}},
    {"completeness_mean_mm", {.min = 0, .always = true}},
    {"completeness_median_mm", {.min = 0, .always = true}},
    {"fscore_{t}mm_pct", {.min = 0, .max = 100, .always = true, .rises = true}},
    {"chamfer_l1_mm", {.min = 0, .always = true}},
    {"hausdorff_p95_mm", {.min = 0, .always = true, .at_least = {"accuracy_p95_mm"}}},
    {"points",
     {.min = 0,
      .always = true,
      .defined = true,
      .whole = true,
      .at_least = {"points_outside_patch", "points_non_finite"}}},
    {"points_outside_patch", {.min = 0, .always = true, .defined = true, .whole = true}},
    {"points_non_finite", {.min = 0, .always = true, .defined = true, .whole = true}},
    {"points_outside_crop", {.min = 0, .whole = true}},
    {"points_beyond_border", {.min = 0, .whole = true}},
    {"points_beyond_max_distance", {.min = 0, .whole = true}},
    {"points_left_out_pct", {.min = 0, .max = 100}},
    {"point_density_pct", {.min = 0, .always = true}},
    {"plane_fit_rmse_mm", {.min = 0, .always = true}},
    {"plane_fit_max_mm", {.min = 0, .always = true, .at_least = {"plane_fit_rmse_mm"}}},
    {"tile_worst_abs_bias_mm", {.min = 0, .always = true}},
    {"tile_empty_pct", {.min = 0, .max = 100, .always = true}},
    {"normal_mean_deg", {.min = 0, .max = 180}},
    {"normal_median_deg", {.min = 0, .max = 180}},
    {"normal_within_5deg_pct", {.min = 0, .max = 100, .of_scored = true}},
    {"normal_within_11.25deg_pct",
     {.min = 0, .max = 100, .of_scored = true, .at_least = {"normal_within_5deg_pct"}}},
    {"normal_within_22.5deg_pct",
     {.min = 0, .max = 100, .of_scored = true, .at_least = {"normal_within_11.25deg_pct"}}},
    {"mesh_accuracy_mean_mm", {.min = 0}},
    {"mesh_completeness_mean_mm", {.min = 0}},
    {"mesh_normal_consistency", {.min = 0, .max = 1}},
    {"mesh_area_ratio", {.min = 0}},
    {"mesh_components", {.min = 0, .whole = true}},
    {"mesh_boundary_mm", {.min = 0}},
    {"mesh_nonmanifold_edges", {.min = 0, .whole = true}},
    {"depth_mae_mm", {.min = 0}},
    {"depth_rmse_mm", {.min = 0, .at_least = {"depth_mae_mm"}}},
    {"depth_median_ae_mm", {.min = 0}},
    {"depth_abs_rel_pct", {.min = 0}},
    {"depth_bad_1mm_pct", {.min = 0, .max = 100, .at_least = {"depth_bad_2mm_pct"}}},
    {"depth_bad_2mm_pct", {.min = 0, .max = 100, .at_least = {"depth_bad_4mm_pct"}}},
    {"depth_bad_4mm_pct", {.min = 0, .max = 100}},
    {"depth_fill_rate_pct", {.min = 0, .max = 100}},
    {"holes_not_visible_pct", {.min = 0, .max = 100}},
    {"holes_no_depth_pct", {.min = 0, .max = 100}},
    {"holes_wrong_depth_pct", {.min = 0, .max = 100}},
    {"holes_filtered_pct", {.min = 0, .max = 100}},
    {"holes_fused_pct", {.min = 0, .max = 100}},
    {"precision_confident_2mm_pct", {.min = 0, .max = 100}},
    {"camera_worst_bias_mm", {.min = 0}},
    {"crb_ratio", {.min = 0}},
    {"reprojection_median_px", {.min = 0}},
    {"reprojection_within_1px_pct", {.min = 0, .max = 100}},
    {"charuco_corners", {.min = 0, .whole = true}},
    {"charuco_rmse_mm", {.min = 0}},
    {"charuco_scale_pct", {.min = 0}},
    {"control_points", {.min = 0, .whole = true}},
    {"control_mean_mm", {.min = 0}},
    {"control_rms_mm", {.min = 0, .at_least = {"control_mean_mm"}}},
    {"control_max_mm", {.min = 0, .at_least = {"control_rms_mm"}}},
    {"control_rms_sigmas", {.min = 0}},
    {"photometric_points", {.min = 0, .whole = true}},
    {"photometric_zncc_median", {.min = -1, .max = 1}},
    {"photometric_agree_pct", {.min = 0, .max = 100}},
};

constexpr std::string_view kTolerance = "{t}";

// A rounding error of sums of many terms is far below it.
double slack(double value) { return 1e-9 * (1 + std::abs(value)); }

std::string name_at(std::string_view row, double tolerance_m) { return metric_spec(row, tolerance_m).name; }

class MetricChecker {
 public:
  MetricChecker(const MetricSet& metrics, const ScoredAs& scored_as)
      : metrics_(metrics), scored_as_(scored_as) {
    const auto points = value("points"), outside = value("points_outside_patch"),
               lost = value("points_non_finite");
    if (points && outside && lost) scored_ = *points - *outside - *lost;
    for (const char* left_out : {"points_outside_crop", "points_beyond_border", "points_beyond_max_distance"})
      if (scored_) *scored_ -= value(left_out).value_or(0);
  }

  std::vector<std::string> run() {
    for (const RangeRow& row : kRanges) check_row(row);
    if (scored_ && *scored_ < 0) report("points", "is less than the points that are not scored");
    for (const double tolerance_m : default_tolerances_m()) check_fscore(tolerance_m);
    check_chamfer();
    if (scored_ && *scored_ > 0) {
      check_defined();
      check_errors();
    }
    check_distances();
    std::ranges::move(relation_problems(metrics_, scored_), std::back_inserter(problems_));
    return std::move(problems_);
  }

 private:
  std::optional<double> value(const std::string& name) const {
    const Metric* const metric = find_metric(metrics_, name);
    return metric == nullptr ? std::nullopt : metric->value;
  }

  void report(const std::string& name, const std::string& what) { problems_.push_back(name + " " + what); }

  void check_row(const RangeRow& row) {
    if (row.row.find(kTolerance) == std::string_view::npos) return check_metric(row, 0);
    std::optional<double> below;
    for (const double tolerance_m : default_tolerances_m()) {
      check_metric(row, tolerance_m);
      const std::string name = name_at(row.row, tolerance_m);
      const auto now = value(name);
      if (row.range.rises && now && below && *now < *below - slack(*below))
        report(name, fmt::format("is {}, but {} at a smaller tolerance", *now, *below));
      if (now) below = now;
    }
  }

  void check_metric(const RangeRow& row, double tolerance_m) {
    const MetricSpec spec = metric_spec(row.row, tolerance_m);
    const MetricRange& range = row.range;
    const Metric* const metric = find_metric(metrics_, spec.name);
    if (metric == nullptr) {
      if (range.always && must_be_there(row)) report(spec.name, "is missing");
      return;
    }
    if (metric->unit != spec.unit || metric->better != spec.better)
      report(spec.name, fmt::format("is in '{}', {} is better; it should be '{}', {}", metric->unit,
                                    to_string(metric->better), spec.unit, to_string(spec.better)));
    if (!metric->value) {
      if (range.defined && scored_.value_or(1) > 0)
        report(spec.name, "has no value, though points are scored");
      return;
    }
    const double now = *metric->value;
    if (now < range.min - slack(0) || now > range.max + slack(range.max))
      report(spec.name, fmt::format("is {}, which is not from {} to {}", now, range.min, range.max));
    if (range.whole && now != std::floor(now))
      report(spec.name, fmt::format("is {}, which is no count", now));
    for (const std::string_view other : range.at_least)
      if (const auto least = value(std::string(other)); least && now < std::abs(*least) - slack(*least))
        report(spec.name, fmt::format("is {}, but {} is {}", now, other, *least));
    if (range.of_scored) check_share(spec.name, now);
  }

  bool must_be_there(const RangeRow& row) const {
    if (row.row.find(kTolerance) != std::string_view::npos && !scored_as_.default_tolerances) return false;
    if (row.row.starts_with("tile_") && !scored_as_.default_tiles) return false;
    if (row.row == "outlier_ratio_pct" && !scored_as_.default_outliers) return false;
    return scored_as_.surface;
  }

  // A share of N points is k / N.
  void check_share(const std::string& name, double share_pct) {
    if (!scored_ || *scored_ <= 0) return;
    const double count = share_pct / 100 * *scored_;
    if (std::abs(count - std::round(count)) > 1e-6 + 1e-12 * *scored_)
      report(name, fmt::format("is {}, which no number of {} scored points is", share_pct, *scored_));
  }

  void check_fscore(double tolerance_m) {
    const std::string name = name_at("fscore_{t}mm_pct", tolerance_m);
    const auto fscore = value(name), precise = value(name_at("precision_{t}mm_pct", tolerance_m)),
               complete = value(name_at("completeness_{t}mm_pct", tolerance_m));
    if (!precise || !complete) return;
    if (!fscore && find_metric(metrics_, name) != nullptr && *precise + *complete > 0)
      report(name, "has no value, though precision and completeness have");
    if (!fscore) return;
    const double sum = *precise + *complete, expected = 2 * *precise * *complete / sum;
    if (!(std::abs(*fscore - expected) <= slack(expected)))  // 0 / 0 is not close to anything
      report(name, fmt::format("is {}, but precision and completeness give {}", *fscore, expected));
  }

  void check_chamfer() {
    const auto chamfer = value("chamfer_l1_mm"), there = value("accuracy_mean_mm"),
               back = value("completeness_mean_mm");
    if (!chamfer || !there || !back) return;
    if (const double expected = 0.5 * (*there + *back); std::abs(*chamfer - expected) > slack(expected))
      report("chamfer_l1_mm",
             fmt::format("is {}, but the distances there and back give {}", *chamfer, expected));
  }

  // Where points are scored the truth has been sampled, unless a crop may hold points and no truth.
  void check_defined() {
    if (find_metric(metrics_, "points_outside_crop") != nullptr) return;
    const auto check = [&](const std::string& name) {
      if (find_metric(metrics_, name) != nullptr && !value(name))
        report(name, "has no value, though points are scored");
    };
    for (const double tolerance_m : default_tolerances_m())
      check(name_at("completeness_{t}mm_pct", tolerance_m));
    for (const char* const name :
         {"completeness_mean_mm", "completeness_median_mm", "chamfer_l1_mm", "hausdorff_p95_mm"})
      check(name);
  }

  void check_between(const std::string& name, double low, double high, const char* what) {
    const auto now = value(name);
    if (now && (*now < low - slack(low) || *now > high + slack(high)))
      report(name, fmt::format("is {}, but {} leaves {} to {}", *now, what, low, high));
  }

  // Shares within rising tolerances, mm: each point's error lies between two of them, and so do means.
  using Shares = std::vector<std::pair<double, double>>;

  Shares shares_of(std::string_view row) const {
    Shares within;
    for (const double tolerance_m : default_tolerances_m())
      if (const auto share_pct = value(name_at(row, tolerance_m)))
        within.emplace_back(tolerance_m * 1000, *share_pct / 100);
    return within;
  }

  // A percentile, linear between ranks q (N - 1), and the number of points within a tolerance.
  void check_percentile(const std::string& name, double q, const Shares& within) {
    const auto now = value(name);
    if (!now) return;
    const double rank = q * (*scored_ - 1);
    for (const auto& [tolerance_mm, share] : within) {
      const double count = std::round(share * *scored_);
      const bool above = count <= std::floor(rank), below = count >= std::ceil(rank) + 1;
      if ((above && *now < tolerance_mm - slack(tolerance_mm)) ||
          (below && *now > tolerance_mm + slack(tolerance_mm)))
        report(name, fmt::format("is {}, but {} of {} points are within {} mm", *now, count, *scored_,
                                 tolerance_mm));
    }
  }

  void check_errors() {
    constexpr double outlier_mm = 20;
    Shares within = shares_of("precision_{t}mm_pct");
    if (const auto outliers = value("outlier_ratio_pct"))
      within.emplace_back(outlier_mm, 1 - *outliers / 100);
    check_percentile("accuracy_median_mm", 0.5, within);
    check_percentile("accuracy_p90_mm", 0.9, within);
    check_percentile("accuracy_p95_mm", 0.95, within);
    check_percentile("accuracy_max_mm", 1, within);
    const auto largest = value("accuracy_max_mm");
    if (!largest) return;
    within.emplace_back(std::max(*largest, within.empty() ? 0 : within.back().first), 1);
    double low = 0, high = 0, low_squared = 0, high_squared = 0, from = 0, before = 0;
    for (const auto& [to, share] : within) {
      const double here = share - before, top = std::min(to, *largest);
      if (here < -slack(1)) report("outlier_ratio_pct", "leaves fewer points within 20 mm than precision");
      low += here * from;
      high += here * top;
      low_squared += here * from * from;
      high_squared += here * top * top;
      from = to;
      before = share;
    }
    check_between("accuracy_mean_mm", low, high, "precision");
    check_between("accuracy_rmse_mm", std::sqrt(std::max(low_squared, 0.0)),
                  std::sqrt(std::max(high_squared, 0.0)), "precision");
  }

  // Of the distances from the truth, whose samples stand for areas: sums of many small ones are rounded.
  void check_distances() {
    const Shares within = shares_of("completeness_{t}mm_pct");
    constexpr double rounding = 1e-6;
    double low_mm = 0, from_mm = 0, before = 0;
    for (const auto& [to_mm, share] : within) {
      low_mm += (share - before) * from_mm;
      from_mm = to_mm;
      before = share;
      check_distance("completeness_median_mm", 0.5, to_mm, share);
      // This is the larger one of the percentiles there and back.
      const auto errors_p95_mm = value("accuracy_p95_mm");
      if (errors_p95_mm && *errors_p95_mm <= to_mm) check_distance("hausdorff_p95_mm", 0.95, to_mm, share);
    }
    low_mm += (1 - before) * from_mm;
    if (const auto mean_mm = value("completeness_mean_mm"); mean_mm && *mean_mm < low_mm * (1 - rounding))
      report("completeness_mean_mm",
             fmt::format("is {}, but completeness leaves no less than {}", *mean_mm, low_mm));
  }

  // A weighted percentile is the smallest distance within which its share of the surface lies.
  void check_distance(const char* name, double q, double tolerance_mm, double share) {
    constexpr double rounding = 1e-6;
    const auto now = value(name);
    if (now && ((share < q - rounding && *now < tolerance_mm - slack(tolerance_mm)) ||
                (share > q + rounding && *now > tolerance_mm + slack(tolerance_mm))))
      report(name,
             fmt::format("is {}, but {} % of the surface are within {} mm", *now, 100 * share, tolerance_mm));
  }

  const MetricSet& metrics_;
  ScoredAs scored_as_;
  std::optional<double> scored_;
  std::vector<std::string> problems_;
};

}  // namespace

const MetricRange* metric_range(std::string_view row) {
  const auto found = std::ranges::find(kRanges, row, &RangeRow::row);
  return found == kRanges.end() ? nullptr : &found->range;
}

std::vector<std::string> metric_problems(const MetricSet& metrics, const ScoredAs& scored_as) {
  return MetricChecker(metrics, scored_as).run();
}

}  // namespace aqbench
