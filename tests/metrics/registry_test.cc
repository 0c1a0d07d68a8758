#include "metrics/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

namespace aqbench {
namespace {

const MetricSpec* find_spec(const std::string& name) {
  const auto found = std::ranges::find(metric_registry(), name, &MetricSpec::name);
  return found == metric_registry().end() ? nullptr : &*found;
}

// Readers of records rely on these names: none may go. A new metric needs no line here.
TEST(MetricRegistry, HasEveryNameOfTheRecordFormat) {
  std::vector<std::string> names;
  for (const char* what : {"mean", "median", "rmse", "p90", "p95", "max"})
    names.push_back(std::string("accuracy_") + what + "_mm");
  for (const char* t : {"0.5", "1", "2", "5", "10"}) {
    for (const char* family :
         {"precision_", "completeness_", "fscore_", "completeness_inset_", "completeness_seen2_"}) {
      names.push_back(family + std::string(t) + "mm_pct");
    }
  }
  const char* others[] = {"bias_mean_mm",
                          "bias_median_mm",
                          "nmad_mm",
                          "completeness_mean_mm",
                          "completeness_median_mm",
                          "chamfer_l1_mm",
                          "hausdorff_p95_mm",
                          "outlier_ratio_pct",
                          "point_density_pct",
                          "points_per_mm2",
                          "plane_fit_rmse_mm",
                          "plane_fit_max_mm",
                          "points",
                          "depth_mae_mm",
                          "depth_rmse_mm",
                          "depth_median_ae_mm",
                          "depth_abs_rel_pct",
                          "depth_bad_1mm_pct",
                          "depth_bad_2mm_pct",
                          "depth_bad_4mm_pct",
                          "depth_fill_rate_pct",
                          "normal_mean_deg",
                          "normal_median_deg",
                          "normal_within_5deg_pct",
                          "normal_within_11.25deg_pct",
                          "normal_within_22.5deg_pct",
                          "mesh_area_ratio",
                          "mesh_components",
                          "mesh_boundary_mm",
                          "mesh_nonmanifold_edges",
                          "mesh_accuracy_mean_mm",
                          "mesh_completeness_mean_mm"};
  names.insert(names.end(), std::begin(others), std::end(others));
  for (const std::string& name : names) EXPECT_NE(find_spec(name), nullptr) << name;
}

TEST(MetricRegistry, NamesAreUniqueAndCarryTheirUnit) {
  std::set<std::string> seen;
  for (const MetricSpec& spec : metric_registry()) {
    EXPECT_TRUE(seen.insert(spec.name).second) << spec.name;
    EXPECT_FALSE(spec.definition.empty()) << spec.name;
    EXPECT_EQ(spec.definition.find('\n'), std::string::npos) << spec.name;
    EXPECT_EQ(spec.definition.find("{t}"), std::string::npos) << spec.name;
    EXPECT_EQ(spec.name.ends_with("_mm"), spec.unit == "mm") << spec.name;
    EXPECT_EQ(spec.name.ends_with("_pct"), spec.unit == "%") << spec.name;
    EXPECT_EQ(spec.name.ends_with("_deg"), spec.unit == "deg") << spec.name;
  }
}

TEST(MetricRegistry, KnowsWhichWayIsBetter) {
  EXPECT_EQ(find_spec("accuracy_mean_mm")->better, Better::lower);
  EXPECT_EQ(find_spec("completeness_2mm_pct")->better, Better::higher);
  EXPECT_EQ(find_spec("precision_0.5mm_pct")->better, Better::higher);
  EXPECT_EQ(find_spec("bias_mean_mm")->better, Better::equal);
  EXPECT_EQ(find_spec("points")->better, Better::equal);
}

// Perfect results have these values; of a count none is right.
TEST(MetricRegistry, IdealsAreOfDirectionEqualAndInTheirRange) {
  EXPECT_EQ(metric_ideal("bias_mean_mm"), 0);
  EXPECT_EQ(metric_ideal("bias_median_mm"), 0);
  EXPECT_EQ(metric_ideal("mesh_area_ratio"), 1);
  EXPECT_EQ(metric_ideal("charuco_scale_pct"), 100);
  for (const char* const name :
       {"points", "point_density_pct", "mesh_components", "accuracy_mean_mm", "none"})
    EXPECT_FALSE(metric_ideal(name)) << name;
  for (const MetricSpec& spec : metric_registry()) {
    EXPECT_EQ(spec.ideal, metric_ideal(spec.name)) << spec.name;
    if (!spec.ideal) continue;
    EXPECT_EQ(spec.better, Better::equal) << spec.name;
    EXPECT_TRUE(*spec.ideal >= spec.range.min && *spec.ideal <= spec.range.max) << spec.name;
  }
}

TEST(MetricRegistry, HeadlinesAreRowsAtTwoMillimetres) {
  std::string names;
  for (const HeadlineMetric& headline : headline_metrics()) names += headline.name + " ";
  EXPECT_EQ(names,
            "accuracy_mean_mm accuracy_median_mm accuracy_rmse_mm bias_mean_mm precision_2mm_pct "
            "completeness_2mm_pct fscore_2mm_pct points_per_mm2 ");
}

TEST(MetricRegistry, SaysWhichChamferDistanceItIs) {
  EXPECT_NE(find_spec("chamfer_l1_mm")->definition.find("half the sum"), std::string::npos);
}

TEST(MetricWriter, GivesTheOrderOfTheRegistryAndNeverANonFiniteNumber) {
  MetricWriter writer;
  writer.add("points", 3);
  writer.add("precision_{t}mm_pct", 7, 0.010);
  writer.add("precision_{t}mm_pct", 5, 0.0005);
  writer.add("accuracy_rmse_mm", HUGE_VAL);
  writer.add_undefined("nmad_mm", "no points");
  const MetricSet metrics = writer.take();
  ASSERT_EQ(metrics.size(), 5U);
  EXPECT_EQ(metrics[0].first, "accuracy_rmse_mm");
  EXPECT_FALSE(metrics[0].second.value);
  EXPECT_EQ(metrics[0].second.reason, "the value is not finite");
  EXPECT_EQ(metrics[1].first, "nmad_mm");
  EXPECT_EQ(metrics[1].second.reason, "no points");
  EXPECT_EQ(metrics[2].first, "precision_0.5mm_pct");
  EXPECT_EQ(metrics[3].first, "precision_10mm_pct");
  EXPECT_EQ(metrics[4].second.value, 3.0);
  EXPECT_EQ(metrics[4].second.unit, "points");
  EXPECT_THROW(writer.add("accuracy_typo_mm", 1), std::logic_error);
}

TEST(MetricWriter, AValueOutOfItsRangeIsUndefined) {
  MetricWriter writer;
  writer.add("depth_fill_rate_pct", 100.0001);
  writer.add("depth_mae_mm", -0.001);
  writer.add("bias_mean_mm", -3);
  writer.add("precision_{t}mm_pct", 100 + 1e-13, 0.002);  // by rounding
  const MetricSet metrics = writer.take();
  EXPECT_EQ(find_metric(metrics, "depth_fill_rate_pct")->reason, "the value 100.0001 is not from 0 to 100");
  EXPECT_EQ(find_metric(metrics, "depth_mae_mm")->reason, "the value -0.001 is not from 0 to inf");
  EXPECT_EQ(find_metric(metrics, "bias_mean_mm")->value, -3);
  EXPECT_EQ(find_metric(metrics, "precision_2mm_pct")->value, 100 + 1e-13);
}

TEST(MetricWriter, TheRestOfAFamilyIsUndefined) {
  MetricWriter writer;
  writer.add("depth_fill_rate_pct", 40);
  writer.add_rest_undefined(ScoreFamily::depths, "no pixel");
  const MetricSet metrics = writer.take();
  ASSERT_EQ(metrics.size(), 8U);
  for (const auto& [name, metric] : metrics)
    EXPECT_EQ(metric.value.has_value(), name == "depth_fill_rate_pct") << std::string(name);
  EXPECT_EQ(find_metric(metrics, "depth_bad_4mm_pct")->reason, "no pixel");
}

TEST(FindMetric, IsNullForANameThatIsAbsent) {
  const MetricSet metrics = {{"points", {1.0, "points", Better::equal, ""}}};
  EXPECT_EQ(find_metric(metrics, "points")->value, 1.0);
  EXPECT_EQ(find_metric(metrics, "point"), nullptr);
}

TEST(Better, HasTheWordsOfTheRecordFormat) {
  EXPECT_EQ(to_string(Better::lower), "lower");
  EXPECT_EQ(to_string(Better::higher), "higher");
  EXPECT_EQ(to_string(Better::equal), "equal");
}

}  // namespace
}  // namespace aqbench
