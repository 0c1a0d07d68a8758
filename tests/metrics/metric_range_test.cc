#include "metrics/metric_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "metrics/metric_relations.h"
#include "metrics/registry.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A score as it was really given: a lattice 1 mm above the plane, one point in ten 6 mm above it, two points
// beyond the patch.
const MetricSet& scored_lattice() {
  static const MetricSet scored = [] {
    const test::PlaneTruth truth;
    PointCloud cloud;
    for (int i = 0; i < 20; ++i)
      for (int j = 0; j < 10; ++j)
        cloud.points_m.push_back(truth.at(-0.2 + 0.02 * i, -0.1 + 0.02 * j) -
                                 Vec3(0, 0, j == 0 ? 0.006 : 0.001));
    cloud.points_m.push_back(truth.at(5, 5));
    cloud.points_m.push_back(truth.at(6, 5));
    return test::score_cloud(cloud, truth);
  }();
  return scored;
}

MetricSet metrics_with(MetricSet metrics, const std::string& name,
                       const std::function<void(Metric&)>& change) {
  for (auto& [known, metric] : metrics)
    if (known == name) {
      change(metric);
      return metrics;
    }
  ADD_FAILURE() << "no metric " << name;
  return metrics;
}

MetricSet with_value(const std::string& name, double value) {
  return metrics_with(scored_lattice(), name, [&](Metric& metric) { metric.value = value; });
}

TEST(MetricRange, WhatWasReallyScoredHasNoProblem) {
  EXPECT_THAT(metric_problems(scored_lattice()), IsEmpty());
  EXPECT_THAT(metric_problems(test::score_cloud({}, test::PlaneTruth())), IsEmpty());
}

TEST(MetricRange, EveryMetricOfTheRegistryHasARange) {
  for (const MetricSpec& spec : metric_registry()) {
    std::string row = spec.name;
    // "precision_0.5mm_pct" is of the row "precision_{t}mm_pct".
    if (metric_range(row) == nullptr) {
      const std::size_t unit = row.find("mm_pct"), number = row.rfind('_', unit) + 1;
      ASSERT_NE(unit, std::string::npos) << row << ": add a row to metrics/metric_range.cc";
      row.replace(number, unit - number, "{t}");
    }
    EXPECT_NE(metric_range(row), nullptr) << row;
  }
  EXPECT_EQ(metric_range("no_such_metric"), nullptr);
}

TEST(MetricRange, ValuesThatNothingCanHaveAreNamed) {
  const struct {
    const char* name;
    double value;
    const char* problem;
  } kLies[] = {
      {"precision_2mm_pct", 250, "precision_2mm_pct is 250, which is not from 0 to 100"},
      {"completeness_2mm_pct", -5, "completeness_2mm_pct is -5, which is not from 0 to 100"},
      {"accuracy_mean_mm", -1, "accuracy_mean_mm is -1, which is not from 0 to inf"},
      {"accuracy_rmse_mm", 0.5, "accuracy_rmse_mm is 0.5, but accuracy_mean_mm is"},
      {"accuracy_p95_mm", 0.5, "accuracy_p95_mm is 0.5, but accuracy_p90_mm is"},
      {"bias_mean_mm", -3, ", but bias_mean_mm is -3"},
      {"bias_median_mm", -3, ", but bias_median_mm is -3"},
      {"points", 202.5, "points is 202.5, which is no count"},
      {"points", 1, "points is 1, but points_outside_patch is 2"},
      {"precision_2mm_pct", 90.2, "precision_2mm_pct is 90.2, which no number of 200 scored points is"},
      {"precision_1mm_pct", 95, "precision_2mm_pct is 90, but 95 at a smaller tolerance"},
      {"fscore_10mm_pct", 50, "fscore_10mm_pct is 50, but precision and completeness give"},
      {"chamfer_l1_mm", 0.25, "chamfer_l1_mm is 0.25, but the distances there and back give"},
  };
  for (const auto& lie : kLies)
    EXPECT_THAT(metric_problems(with_value(lie.name, lie.value)), testing::Contains(HasSubstr(lie.problem)))
        << lie.name;
}

TEST(MetricRange, AnotherUnitOrDirectionIsNamed) {
  const auto problems_with = [](const std::function<void(Metric&)>& change) {
    return metric_problems(metrics_with(scored_lattice(), "accuracy_median_mm", change));
  };
  EXPECT_THAT(problems_with([](Metric& metric) { metric.unit = "m"; }),
              ElementsAre("accuracy_median_mm is in 'm', lower is better; it should be 'mm', lower"));
  EXPECT_THAT(problems_with([](Metric& metric) { metric.better = Better::higher; }),
              ElementsAre("accuracy_median_mm is in 'mm', higher is better; it should be 'mm', lower"));
}

TEST(MetricRange, WhatIsMissingOrUndefinedBesideScoredPointsIsNamed) {
  const auto undefined =
      metrics_with(scored_lattice(), "nmad_mm", [](Metric& metric) { metric.value = std::nullopt; });
  EXPECT_THAT(metric_problems(undefined), ElementsAre("nmad_mm has no value, though points are scored"));
  MetricSet fewer = scored_lattice();
  std::erase_if(fewer, [](const auto& metric) { return metric.first == "nmad_mm"; });
  EXPECT_THAT(metric_problems(fewer), ElementsAre("nmad_mm is missing"));
  // Tiles of another size have it in their names.
  MetricSet tiles = scored_lattice();
  std::erase_if(tiles, [](const auto& metric) { return metric.first == "tile_empty_pct"; });
  EXPECT_THAT(metric_problems(tiles), ElementsAre("tile_empty_pct is missing"));
  EXPECT_THAT(metric_problems(tiles, {.default_tiles = false}), IsEmpty());
}

TEST(MetricRange, AMetricThatTheRegistryDoesNotKnowIsLeftToItsOwner) {
  MetricSet metrics = scored_lattice();
  metrics.emplace_back("own_measure_mm", Metric{-7, "?", Better::equal, ""});
  EXPECT_THAT(metric_problems(metrics), IsEmpty());
  EXPECT_FALSE(is_metric_name("own_measure_mm"));
  for (const auto& [name, metric] : scored_lattice()) EXPECT_TRUE(is_metric_name(name)) << name;
  EXPECT_TRUE(is_metric_name("tile_20mm_empty_pct"));
  EXPECT_TRUE(is_metric_name("precision_3mm_pct"));
  EXPECT_FALSE(is_metric_name("precision_bestmm_pct"));
  EXPECT_TRUE(is_metric_name("outlier_ratio_50mm_pct"));
  EXPECT_FALSE(is_metric_name("outlier_ratio_mm_pct"));
  EXPECT_FALSE(is_metric_name("outlier_ratio_fewmm_pct"));
}

// Nine points in ten are 1 mm off, the others 6 mm: these values are wrong by that.
TEST(MetricRange, MeansAndPercentilesFollowTheSharesWithinTolerances) {
  const MetricSet honest = scored_lattice();
  for (const auto& [name, by] : {std::pair{"accuracy_rmse_mm", 3.0},
                                 {"accuracy_median_mm", 3.0},
                                 {"accuracy_max_mm", 3.0},
                                 {"completeness_median_mm", 0.01},
                                 {"completeness_mean_mm", 0.0}}) {
    const double value = *find_metric(honest, name)->value;
    EXPECT_THAT(metric_problems(with_value(name, by * value)), testing::Contains(HasSubstr(name))) << name;
  }
}

TEST(MetricRange, NoShareOfAnythingScoredContradictsItsErrors) {
  const test::PlaneTruth truth(0, {-0.03, 0.03, -0.03, 0.03});
  for (const double scale_m : {0.0, 1e-9, 2e-4, 5e-3, 0.3, 1e6})
    for (const int count : {1, 2, 3, 11, 21, 64}) {
      PointCloud cloud;
      for (int i = 0; i < count; ++i)
        cloud.points_m.push_back(truth.at(-0.02 + 0.0006 * i, 0) +
                                 Vec3(0, 0, scale_m * i * i * (i % 3 - 1) / (count * count)));
      EXPECT_THAT(metric_problems(test::score_cloud(cloud, truth)), IsEmpty()) << scale_m << " " << count;
    }
}

TEST(MetricRange, CompletenessIsUndefinedWherePointsAreScoredInACropAlone) {
  const auto undefined = [](MetricSet metrics) {
    for (auto& [name, metric] : metrics)
      if (name.starts_with("completeness_") || name.starts_with("fscore_") || name == "chamfer_l1_mm" ||
          name == "hausdorff_p95_mm")
        metric.value = std::nullopt;
    return metrics;
  };
  MetricSet metrics = undefined(scored_lattice());
  EXPECT_THAT(metric_problems(metrics), testing::Contains("completeness_2mm_pct has no value, though points "
                                                          "are scored"));
  metrics.emplace_back("points_outside_crop", Metric{0, "points", Better::equal, ""});
  EXPECT_THAT(metric_problems(metrics), IsEmpty());
}

}  // namespace
}  // namespace aqbench
