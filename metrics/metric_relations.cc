#include "metrics/metric_relations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"

namespace aqbench {
namespace {

constexpr double kLargestAngle_deg = 180;

double slack_of(double value) { return 1e-9 * (1 + std::abs(value)); }

class RelationChecker {
 public:
  RelationChecker(const MetricSet& metrics, std::optional<double> scored)
      : metrics_(metrics), scored_(scored) {}

  std::vector<std::string> run() {
    check_normals();
    check_confident();
    check_spread();
    check_mesh();
    check_photometric();
    return std::move(problems_);
  }

 private:
  std::optional<double> value(std::string_view name) const {
    const Metric* const metric = find_metric(metrics_, name);
    return metric == nullptr ? std::nullopt : metric->value;
  }

  void check_between(const char* name, double low, double high, const char* what) {
    const auto now = value(name);
    if (now && (*now < low - slack_of(low) || *now > high + slack_of(high)))
      problems_.push_back(fmt::format("{} is {}, but {} leaves {} to {}", name, *now, what, low, high));
  }

  // Each angle lies between two of the limits, and so do mean and median.
  void check_normals() {
    constexpr const char* kWhat = "the share of normals within each angle";
    constexpr std::pair<const char*, double> kWithin[] = {{"normal_within_5deg_pct", 5},
                                                          {"normal_within_11.25deg_pct", 11.25},
                                                          {"normal_within_22.5deg_pct", 22.5}};
    double low_deg = 0, high_deg = 0, from_deg = 0, before = 0, median_low = 0,
           median_high = kLargestAngle_deg;
    for (const auto& [name, to_deg] : kWithin) {
      const auto share_pct = value(name);
      if (!share_pct) return;
      const double share = *share_pct / 100;
      low_deg += (share - before) * from_deg;
      high_deg += (share - before) * to_deg;
      if (share < 0.5 - slack_of(0)) median_low = to_deg;
      if (share > 0.5 + slack_of(0)) median_high = std::min(median_high, to_deg);
      from_deg = to_deg;
      before = share;
    }
    check_between("normal_mean_deg", low_deg + (1 - before) * from_deg,
                  high_deg + (1 - before) * kLargestAngle_deg, kWhat);
    // Of an odd number the median is one of them, of an even number it lies between two of them.
    check_between("normal_median_deg", median_low, median_high, kWhat);
  }

  // Confident points are some of all, also of those that crop, border or largest distance leave out.
  void check_confident() {
    if (value("points_left_out_pct").value_or(0) > 0) return;
    const auto all_pct = value("precision_2mm_pct");
    if (!all_pct || scored_.value_or(1) <= 0) return;
    if (*all_pct == 0 || *all_pct == 100)
      check_between("precision_confident_2mm_pct", *all_pct, *all_pct, "precision_2mm_pct");
  }

  // No error is further from the median than its size and that of the median together.
  void check_spread() {
    const auto median = value("accuracy_median_mm"), bias = value("bias_median_mm");
    if (median && bias)
      check_between("nmad_mm", 0, kNmadScale * (*median + std::abs(*bias)),
                    "the median of the errors' sizes");
  }

  // Every triangle is in a part of its mesh.
  void check_mesh() {
    if (value("mesh_accuracy_mean_mm") && value("mesh_components") == 0.0)
      problems_.push_back("mesh_components is 0, but the mesh lies over the patch");
  }

  void check_photometric() {
    const auto points = value("photometric_points");
    for (const char* const name : {"photometric_zncc_median", "photometric_agree_pct"})
      if (points && find_metric(metrics_, name) != nullptr && value(name).has_value() != (*points > 0))
        problems_.push_back(
            fmt::format("{} has {} value of {} photometric_points", name, value(name) ? "a" : "no", *points));
  }

  const MetricSet& metrics_;
  std::optional<double> scored_;
  std::vector<std::string> problems_;
};

bool is_of(std::string_view name, MetricFamily family) {
  switch (family) {
    case MetricFamily::normals:
      return name.starts_with("normal_");
    case MetricFamily::mesh:
      return name.starts_with("mesh_");
    case MetricFamily::depths:
      return name.starts_with("depth_");
    case MetricFamily::diagnosis:
      return name.starts_with("holes_") || name == "precision_confident_2mm_pct" ||
             name == "camera_worst_bias_mm" || name == "crb_ratio";
    case MetricFamily::seen_by_two:
      return name.starts_with("completeness_seen2_");
    case MetricFamily::recorded:
      return name.starts_with("charuco_") || name.starts_with("control_") ||
             name.starts_with("photometric_") || name.starts_with("reprojection_");
  }
  return false;
}

}  // namespace

std::vector<std::string> relation_problems(const MetricSet& metrics, std::optional<double> scored) {
  return RelationChecker(metrics, scored).run();
}

std::vector<std::string> names_of_family(const MetricSet& metrics, MetricFamily family) {
  std::vector<std::string> names;
  for (const auto& [name, metric] : metrics)
    if (is_of(name, family)) names.push_back(name);
  return names;
}

std::vector<std::string> missing_of_family(const MetricSet& metrics, MetricFamily family, bool expected) {
  std::vector<std::string> missing;
  bool some = expected;
  for (const MetricSpec& spec : metric_registry()) {
    if (!is_of(spec.name, family)) continue;
    if (find_metric(metrics, spec.name) != nullptr)
      some = true;
    else
      missing.push_back(spec.name);
  }
  if (!some) missing.clear();
  return missing;
}

std::vector<std::string> recorded_problems(const MetricSet& metrics, std::string_view truth) {
  constexpr std::string_view kControl = "control_", kBoard = "charuco_";
  const bool control = truth.find("control") != truth.npos, board = truth.find("charuco") != truth.npos;
  std::vector<std::string> problems;
  if (truth.empty()) return problems;
  for (const std::string& name : names_of_family(metrics, MetricFamily::recorded))
    if ((name.starts_with(kControl) && !control) || (name.starts_with(kBoard) && !board))
      problems.push_back(name + ", which such a recording has not");
  for (const std::string& name : missing_of_family(metrics, MetricFamily::recorded, true))
    if ((control || !name.starts_with(kControl)) && (board || !name.starts_with(kBoard)))
      problems.push_back(name + " is missing");
  return problems;
}

bool is_metric_name(std::string_view name) {
  constexpr std::string_view kTile = "tile_", kSize = "mm_", kOutliers = "outlier_ratio_", kShare = "mm_pct",
                             kTolerance = "0.5mm";
  for (const MetricSpec& spec : metric_registry()) {
    const std::string_view known = spec.name;
    if (name == known) return true;
    const std::size_t at = known.find(kTolerance);
    if (at == known.npos || !name.starts_with(known.substr(0, at))) continue;
    const std::size_t unit = name.find("mm", at);
    if (unit != name.npos && parse_double(name.substr(at, unit - at)) &&
        name.substr(unit + 2) == known.substr(at + kTolerance.size()))
      return true;
  }
  const std::size_t size = name.find(kSize);
  if (name.starts_with(kTile) && size != name.npos)
    return is_metric_name(fmt::format("{}{}", kTile, name.substr(size + kSize.size())));
  if (!name.starts_with(kOutliers) || !name.ends_with(kShare)) return false;
  name.remove_prefix(kOutliers.size());
  return name.size() > kShare.size() && parse_double(name.substr(0, name.size() - kShare.size())).has_value();
}

}  // namespace aqbench
