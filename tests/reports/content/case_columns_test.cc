#include "reports/content/case_columns.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/content/metrics_table.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;

Metric share(std::optional<double> value, const char* reason = "") {
  return {value, "%", Better::higher, reason};
}

// A case with a mean error, and completeness at tolerances in mm.
MetricSet scored(const std::vector<std::pair<double, double>>& completeness) {
  MetricSet metrics = {{"accuracy_mean_mm", {0.5, "mm", Better::lower, ""}}};
  for (const auto& [mm, value] : completeness)
    metrics.emplace_back(fmt::format("completeness_{:g}mm_pct", mm), share(value));
  return metrics;
}

std::vector<std::string> names_of(const std::vector<MetricSet>& cases) {
  std::vector<const MetricSet*> pointers;
  for (const MetricSet& one : cases) pointers.push_back(&one);
  std::vector<std::string> names;
  for (const MetricColumn& column : metric_columns(pointers)) names.push_back(column.metric);
  return names;
}

TEST(CaseColumns, HaveTwoMillimetresWhereThatSeparates) {
  EXPECT_THAT(names_of({scored({{0.5, 10}, {1, 40}, {2, 80}, {5, 99.9}, {10, 100}})}),
              ElementsAre("accuracy_mean_mm", "completeness_2mm_pct"));
}

// At 2 mm nearly all are complete, and at 1 mm, too.
TEST(CaseColumns, TakeTheNextToleranceThatSeparates) {
  const std::vector<std::pair<double, double>> good = {{0.5, 70}, {1, 99.5}, {2, 100}, {5, 100}, {10, 100}},
                                               bad = {{0.5, 0}, {1, 0}, {2, 0.2}, {5, 60}, {10, 90}};
  EXPECT_THAT(names_of({scored(good)}), ElementsAre("accuracy_mean_mm", "completeness_0.5mm_pct"));
  EXPECT_THAT(names_of({scored(bad)}), ElementsAre("accuracy_mean_mm", "completeness_5mm_pct"));
  EXPECT_THAT(names_of({scored(good), scored(good), scored(bad)}),
              ElementsAre("accuracy_mean_mm", "completeness_0.5mm_pct"));
}

TEST(CaseColumns, ShowHowWellAMethodFoundItsPoses) {
  MetricSet own = scored({{2, 80}}), alone;
  own.emplace_back("pose_auc_5deg_pct", share(90));
  own.emplace_back("pose_registered_pct", share(100));
  EXPECT_THAT(names_of({own, scored({{2, 70}})}), ElementsAre("accuracy_mean_mm", "completeness_2mm_pct",
                                                              "pose_auc_5deg_pct", "pose_registered_pct"));
  alone.emplace_back("photometric_zncc_median", Metric{0.9, "1", Better::higher, ""});
  alone.emplace_back("pose_registered_pct", share(91));
  EXPECT_THAT(names_of({alone}), ElementsAre("photometric_zncc_median", "pose_registered_pct"));
}

TEST(CaseColumns, HaveEachDeclaredTolerance) {
  const std::vector<MetricSet> cases = {scored({{50, 90}, {100, 100}})};
  EXPECT_THAT(names_of(cases),
              ElementsAre("accuracy_mean_mm", "completeness_50mm_pct", "completeness_100mm_pct"));
  const MetricSet* const one[] = {&cases[0]};
  const std::vector<MetricColumn> columns = metric_columns(one);
  EXPECT_EQ(columns[1].title, "completeness at 50 mm [%]");
  EXPECT_EQ(columns[1].heading, "complete\n50 mm, %");
}

TEST(CaseColumns, AreThoseWithoutATruthWhereNoneIsKnown) {
  const MetricSet recording = {
      {"photometric_points", {900, "points", Better::equal, ""}},
      {"photometric_zncc_median", {0.6, "1", Better::higher, ""}},
      {"reprojection_median_px", {{}, "px", Better::lower, "the method gives no depth maps"}},
      {"charuco_scale_pct", {99.8, "%", Better::equal, ""}}};
  EXPECT_THAT(names_of({recording}), ElementsAre("photometric_zncc_median", "charuco_scale_pct"));
  // Beside a case with a truth it has its columns, too; alone such a case needs none of them.
  EXPECT_THAT(names_of({recording, scored({{2, 80}})}),
              ElementsAre("accuracy_mean_mm", "completeness_2mm_pct", "photometric_zncc_median",
                          "charuco_scale_pct"));
  MetricSet both = scored({{2, 80}});
  both.emplace_back("photometric_zncc_median", Metric{0.6, "1", Better::higher, ""});
  EXPECT_THAT(names_of({both}), ElementsAre("accuracy_mean_mm", "completeness_2mm_pct"));
}

// A column without any value is left out, except where all are: only their reasons can be shown.
TEST(CaseColumns, HaveValues) {
  const MetricSet empty = {{"accuracy_mean_mm", {{}, "mm", Better::lower, "the cloud is empty"}},
                           {"completeness_2mm_pct", share(std::nullopt, "the cloud is empty")}};
  EXPECT_THAT(names_of({empty}), ElementsAre("accuracy_mean_mm", "completeness_2mm_pct"));
  MetricSet half = empty;
  half[0].second = {0.5, "mm", Better::lower, ""};
  EXPECT_THAT(names_of({half, empty}), ElementsAre("accuracy_mean_mm"));
  EXPECT_THAT(names_of({}), ElementsAre());
}

TEST(CaseColumns, NameCasesByWhatTellsThemApart) {
  Results results;
  for (const char* const width : {"1200", "320"}) {
    Record record = synthetic_record("flat_plane", "roma_like", 42, 0.5);
    record.case_name += std::string("/rig=arc6/width=") + width;
    results.records.push_back(record);
  }
  const CaseNames names = name_cases(results);
  EXPECT_EQ(names.common, "scene=flat_plane rig=arc6 seed=42");
  const std::vector<TableColumn> columns = name_columns(names);
  const std::vector<TableCell> cells = name_cells(names, names.of.at(results.records[0].case_name));
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].header + " " + columns[1].header, "method axes");
  EXPECT_EQ(cells[0].text + " " + cells[1].text, "roma_like width=1200");
  EXPECT_EQ(names.order.front(), &results.records[1]);  // 320 before 1200
}

TEST(CaseColumns, TimesHaveOneUnit) {
  Results results;
  results.records = {synthetic_record("flat_plane", "roma_like", 42, 0.5)};
  EXPECT_STREQ(time_unit(results).name, "ms");
  results.records[0].timing.cold_ms = 1000;
  EXPECT_STREQ(time_unit(results).name, "s");
  results.records[0].timing.cold_ms = 600'000;
  EXPECT_STREQ(time_unit(results).name, "min");
  EXPECT_EQ(time_unit(results).ms, 60'000);
}

}  // namespace
}  // namespace aqbench
