#include "metrics/metric_relations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

MetricSet metrics_of(std::initializer_list<std::pair<const char*, double>> values) {
  MetricSet metrics;
  for (const auto& [name, value] : values) metrics.emplace_back(name, Metric{value, "", Better::lower, ""});
  return metrics;
}

// Half of the normals are within 5 degrees, the others between 11.25 and 22.5.
std::vector<std::string> problems_of(double mean_deg, double median_deg) {
  return relation_problems(metrics_of({{"normal_mean_deg", mean_deg},
                                       {"normal_median_deg", median_deg},
                                       {"normal_within_5deg_pct", 50},
                                       {"normal_within_11.25deg_pct", 50},
                                       {"normal_within_22.5deg_pct", 100}}),
                           10);
}

TEST(MetricRelations, AnglesOfNormalsAreWhatTheSharesAllow) {
  EXPECT_THAT(problems_of(10, 8), IsEmpty());
  EXPECT_THAT(problems_of(5.625, 0), IsEmpty());
  EXPECT_THAT(problems_of(5.6, 8), ElementsAre(HasSubstr("normal_mean_deg is 5.6")));
  EXPECT_THAT(problems_of(13.8, 8), ElementsAre(HasSubstr("normal_mean_deg is 13.8")));
  EXPECT_THAT(problems_of(10, 23), ElementsAre(HasSubstr("normal_median_deg is 23")));
}

TEST(MetricRelations, ConfidentPointsAreSomeOfAll) {
  const auto confident = [](double all_pct, double confident_pct) {
    return relation_problems(
        metrics_of({{"precision_2mm_pct", all_pct}, {"precision_confident_2mm_pct", confident_pct}}), 10);
  };
  EXPECT_THAT(confident(100, 100), IsEmpty());
  EXPECT_THAT(confident(50, 99), IsEmpty());
  EXPECT_THAT(confident(100, 99), SizeIs(1));
  EXPECT_THAT(confident(0, 1), SizeIs(1));
}

TEST(MetricRelations, ErrorsAreNoFurtherFromTheirMedianThanTheirSizesAllow) {
  const auto spread = [](double nmad_mm) {
    return relation_problems(
        metrics_of({{"accuracy_median_mm", 1}, {"bias_median_mm", -1}, {"nmad_mm", nmad_mm}}), 10);
  };
  EXPECT_THAT(spread(2 * 1.4826), IsEmpty());
  EXPECT_THAT(spread(2.97), SizeIs(1));
}

TEST(MetricRelations, AMeshOverThePatchHasParts) {
  const auto mesh = [](double components) {
    return relation_problems(metrics_of({{"mesh_components", components}, {"mesh_accuracy_mean_mm", 1}}), 10);
  };
  EXPECT_THAT(mesh(1), IsEmpty());
  EXPECT_THAT(mesh(0), SizeIs(1));
  EXPECT_THAT(relation_problems(metrics_of({{"mesh_components", 0}}), 10), IsEmpty());
}

TEST(MetricRelations, LikenessesAreOfPoints) {
  MetricSet none = metrics_of({{"photometric_points", 0}});
  none.emplace_back("photometric_zncc_median", Metric{std::nullopt, "", Better::higher, "no point"});
  EXPECT_THAT(relation_problems(none, 10), IsEmpty());
  none.front().second.value = 5;
  EXPECT_THAT(relation_problems(none, 10),
              ElementsAre(HasSubstr("photometric_zncc_median has no value of 5")));
  EXPECT_THAT(relation_problems(metrics_of({{"photometric_points", 0}, {"photometric_agree_pct", 90}}), 10),
              SizeIs(1));
}

TEST(MetricRelations, ARecordingHasTheMetricsOfItsTruth) {
  const MetricSet all = metrics_of({{"reprojection_median_px", 1},
                                    {"reprojection_within_1px_pct", 1},
                                    {"photometric_points", 1},
                                    {"photometric_zncc_median", 1},
                                    {"photometric_agree_pct", 1}});
  EXPECT_THAT(recorded_problems(all, "surface+depth"), IsEmpty());
  EXPECT_THAT(recorded_problems({}, ""), IsEmpty()) << "no recording";
  EXPECT_THAT(recorded_problems({}, "none"), SizeIs(5));
  EXPECT_THAT(recorded_problems(all, "surface+charuco"), SizeIs(3));
  MetricSet invented = all;
  invented.emplace_back("control_points", Metric{7, "", Better::higher, ""});
  EXPECT_THAT(recorded_problems(invented, "none"), ElementsAre(HasSubstr("control_points, which")));
  EXPECT_THAT(recorded_problems(invented, "control"), SizeIs(4)) << "the others of control points";
}

TEST(MetricRelations, MetricsOfAFamilyComeTogether) {
  const MetricSet some = metrics_of({{"mesh_components", 1}, {"depth_mae_mm", 1}});
  EXPECT_THAT(missing_of_family(some, MetricFamily::mesh, false), SizeIs(6));
  EXPECT_THAT(missing_of_family(some, MetricFamily::depths, false), SizeIs(7));
  EXPECT_THAT(missing_of_family(some, MetricFamily::normals, false), IsEmpty());
  EXPECT_THAT(missing_of_family(some, MetricFamily::normals, true), SizeIs(5));
  EXPECT_THAT(missing_of_family(some, MetricFamily::diagnosis, true), SizeIs(8));
  EXPECT_THAT(missing_of_family(some, MetricFamily::seen_by_two, true), SizeIs(5));
}

}  // namespace
}  // namespace aqbench
