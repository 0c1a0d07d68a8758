#include "reports/content/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/planning/budget_plan.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kMetric = "accuracy_rmse_mm";

void add(Results& results, std::int64_t seed, const std::vector<std::string>& axes, double value_mm) {
  Record record;
  record.case_name = "flat_plane/sparse/seed=" + std::to_string(seed);
  record.scene = "flat_plane";
  record.method = "sparse";
  record.axes = {{"seed", seed}};
  for (const std::string& axis : axes) {
    record.axes.emplace_back(axis, 0.0);
    record.case_name += "/" + axis;
  }
  record.status = Status::ok;
  record.metrics = {{kMetric, {value_mm, "mm", Better::lower, ""}}};
  results.records.push_back(std::move(record));
}

// 1.2 mm, of which poses make 0.6, water 0.2, noise 0.1 and what poses and water make together 0.05.
Results planted(int seeds) {
  Results results;
  results.run.suite = kBudgetSuite;
  const std::vector<std::string> poses = {"perturb.camera_rotation_deg", "perturb.camera_position_m"},
                                 water = {"perturb.water_z_m"}, noise = {"imaging.noise_sigma"};
  for (int seed = 0; seed < seeds; ++seed) {
    const double more = 0.01 * seed;  // of each seed, in all of its cases
    const auto joined = [](std::vector<std::string> a, const std::vector<std::string>& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    add(results, seed, {}, 1.2 + more);
    add(results, seed, poses, 0.6 + more);
    add(results, seed, water, 1.0 + more);
    add(results, seed, noise, 1.1 + more);
    add(results, seed, joined(poses, water), 0.35 + more);
    add(results, seed, joined(poses, noise), 0.47 + more);  // 0.03 beyond their sum
    add(results, seed, joined(water, noise), 0.9 + more + (seed % 2 == 0 ? 1e-3 : -1e-3));
    add(results, seed, joined(joined(poses, water), noise), 0.25 + more);
  }
  return results;
}

const BudgetPart& part(const Budget& budget, const std::string& name) {
  return *std::ranges::find(budget.causes, name, &BudgetPart::name);
}

bool lacks(const Record& record, const std::string& axis) { return find_value(record.axes, axis) == nullptr; }

TEST(Budget, DividesAValueUpByPairsOfSeeds) {
  const std::vector<Budget> budgets = budgets_of(planted(6), kMetric);
  ASSERT_EQ(budgets.size(), 1U);
  const Budget& budget = budgets[0];
  EXPECT_NEAR(budget.whole.change.estimate, 1.225, 1e-12);
  EXPECT_NEAR(part(budget, "camera poses").change.estimate, 0.6, 1e-12);
  EXPECT_NEAR(part(budget, "calibration").change.estimate, 0.85, 1e-12);
  EXPECT_NEAR(part(budget, kAllCauses).change.estimate, 0.95, 1e-12);
  ASSERT_TRUE(budget.interaction);
  EXPECT_NEAR(budget.interaction->change.estimate, 0.05, 1e-12);
  ASSERT_TRUE(part(budget, "noise").change.interval) << "six pairs have one";
  std::vector<std::string> order;
  for (const BudgetPart& cause : budget.causes) order.push_back(cause.name);
  EXPECT_EQ(order,
            (std::vector<std::string>{kAllCauses, "calibration", "camera poses", "water surface", "noise"}));
  EXPECT_THAT(terminal_of(budget_section(budget)),
              AllOf(HasSubstr("of 1.23 mm, 0.6 is calibration: camera poses"),
                    HasSubstr("  of it water surface"), HasSubstr("The causes interact")));
  const Json json = to_json(budget);
  EXPECT_EQ(json["value"]["seeds"], 6);
  EXPECT_EQ(json["causes"][2]["group"], "calibration");
  EXPECT_EQ(json["causes"][2]["largest_in"], 6);
  EXPECT_EQ(json["causes"][4]["largest_in"], 0);
  EXPECT_FALSE(json["causes"][1].contains("largest_in")) << "a group";
}

TEST(Budget, PairsThatInteractAreNamed) {
  const Budget budget = budgets_of(planted(6), kMetric)[0];
  ASSERT_EQ(budget.pairs.size(), 3U);
  EXPECT_EQ(budget.pairs[0].name, "camera poses with water surface") << "it is the group";
  EXPECT_NEAR(budget.pairs[0].change.estimate, 0.05, 1e-12);
  EXPECT_EQ(budget.pairs[1].name, "camera poses with noise");
  EXPECT_NEAR(budget.pairs[1].change.estimate, 0.03, 1e-12);
  const std::string text = terminal_of(budget_section(budget));
  EXPECT_THAT(text, AllOf(HasSubstr("  camera poses with noise "), HasSubstr("The pairs above do.")));
  EXPECT_THAT(text, testing::Not(HasSubstr("water surface with noise"))) << "its interval holds 0";
  EXPECT_EQ(to_json(budget)["pairs"].size(), 3U);
  EXPECT_EQ(budget.causes.size(), 5U) << "pairs are no causes";
}

// The picture: on the right the causes that make the value worse, also where more is better.
TEST(Budget, IsDrawnWithItsIntervals) {
  Results results = planted(6);
  const auto rows_of = [&](const char* metric) {
    const Section section = budget_section(budgets_of(results, metric)[0]);
    for (const ReportBlock& block : section.blocks)
      if (const auto* const chart = std::get_if<Chart>(&block)) return chart->rows;
    return std::vector<Chart::Row>();
  };
  const auto rows = rows_of(kMetric);
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[2].label, "camera poses");
  EXPECT_NEAR(rows[2].interval->estimate, 0.6, 1e-12);
  EXPECT_EQ(rows[2].colour, Colour::red);
  for (Record& record : results.records)
    record.metrics = {
        {"completeness_2mm_pct",
         {lacks(record, "perturb.camera_rotation_deg") ? 80.0 : 90.0, "%", Better::higher, ""}}};
  EXPECT_NEAR(rows_of("completeness_2mm_pct")[2].interval->estimate, 10, 1e-12);
  EXPECT_EQ(budget_sections(results).size(), 0U) << "no case has the metric of pages";
  EXPECT_EQ(budget_sections(planted(6)).size(), 1U);
}

TEST(Budget, FewSeedsHaveNoInterval) {
  const Budget budget = budgets_of(planted(3), kMetric)[0];
  EXPECT_FALSE(budget.whole.change.interval);
  EXPECT_THAT(markdown_of(budget_section(budget)), HasSubstr("3 seeds: intervals need 6"));
}

TEST(Budget, CasesThatFailedAreNamedAndLeftOut) {
  Results results = planted(6);
  Record& failed = results.records[1];  // without errors of poses
  failed.metrics.clear();
  failed.status = Status::crashed;
  failed.reason = "killed by signal 9";
  const Budget budget = budgets_of(results, kMetric)[0];
  EXPECT_EQ(part(budget, "camera poses").seeds, 5U);
  EXPECT_EQ(part(budget, "noise").seeds, 6U);
  EXPECT_EQ(budget.interaction->seeds, 5U);
  ASSERT_EQ(budget.failed.size(), 1U);
  EXPECT_THAT(budget.failed[0], HasSubstr("camera_position_m: killed by signal 9"));
}

void lose_value(Record& record) {
  record.metrics.clear();
  record.status = Status::crashed;
  record.reason = "killed by signal 9";
}

TEST(Budget, ACauseThatMakesCasesFailIsNamed) {
  Results results = planted(6);
  for (Record& record : results.records)  // errors of poses are in it: seeds 0 to 3 fail
    if (lacks(record, "perturb.camera_rotation_deg") && std::get<std::int64_t>(record.axes[0].second) < 4)
      lose_value(record);
  const Budget budget = budgets_of(results, kMetric)[0];
  EXPECT_EQ(budget.whole.seeds, 2U);
  EXPECT_EQ(part(budget, "camera poses").largest_in, 6U)
      << "with a value in two, and alone gives one in four";
  EXPECT_EQ(part(budget, "noise").largest_in, 0U);
  EXPECT_EQ(budget.whole.failed, 4U);
  EXPECT_THAT(markdown_of(budget_section(budget)),
              HasSubstr("as it is, 4 of 6 cases have no value; without camera poses, 0 of 6"));
  EXPECT_EQ(to_json(budget)["value"]["failed"], 4);
}

TEST(Budget, WhereNoCaseHasTheValueAsItIsTheCauseIsNamed) {
  Results results = planted(3);
  for (Record& record : results.records)
    if (lacks(record, "perturb.water_z_m")) lose_value(record);
  const Budget budget = budgets_of(results, kMetric)[0];
  EXPECT_THAT(terminal_of(budget_section(budget)),
              AllOf(HasSubstr("as it is, 3 of 3 cases have no value; without water surface, 0 of 3"),
                    HasSubstr("n/a")));
  EXPECT_TRUE(to_json(budget)["value"]["value"].is_null());
  for (Record& record : results.records) lose_value(record);
  EXPECT_THAT(markdown_of(budget_section(budgets_of(results, kMetric)[0])),
              HasSubstr("as it is, 3 of 3 cases have no value"));
}

TEST(Budget, ACauseWithoutAnyValueStaysInTheTable) {
  Results results = planted(3);
  for (Record& record : results.records)
    if (!lacks(record, "imaging.noise_sigma") && record.axes.size() == 2) lose_value(record);
  const Budget budget = budgets_of(results, kMetric)[0];
  EXPECT_EQ(part(budget, "noise").failed, 3U);
  EXPECT_EQ(part(budget, "noise").seeds, 0U);
  EXPECT_FALSE(budget.interaction) << "the sum of the causes is unknown";
}

// Completeness falls by 10 with poses, rises by 1 with noise: poses are the cause, not noise.
TEST(Budget, OfValuesThatShouldBeHighTheCauseIsThatWhichLowersThem) {
  Results results = planted(6);
  for (Record& record : results.records) {
    double value = 80;
    if (!lacks(record, "perturb.camera_rotation_deg")) value += 10;
    if (!lacks(record, "imaging.noise_sigma")) value -= 1;
    record.metrics = {{"completeness_2mm_pct", {value, "%", Better::higher, ""}}};
  }
  const Budget budget = budgets_of(results, "completeness_2mm_pct")[0];
  EXPECT_DOUBLE_EQ(part(budget, "camera poses").change.estimate, -10);
  EXPECT_EQ(budget.causes.back().name, "noise");
  EXPECT_THAT(terminal_of(budget_section(budget)),
              HasSubstr("80 %, 10 more without calibration: camera poses"));
}

TEST(Budget, OfABiasTheCauseIsThatWhichMovesItFromZero) {
  Results results = planted(6);
  for (Record& record : results.records)
    record.metrics = {{"bias_mean_mm",
                       {(lacks(record, "perturb.camera_rotation_deg") ? -0.8 : 0) +
                            (lacks(record, "imaging.noise_sigma") ? 0.1 : 0),
                        "mm", Better::equal, ""}}};
  EXPECT_THAT(terminal_of(budget_section(budgets_of(results, "bias_mean_mm")[0])),
              HasSubstr("of -0.7 mm, -0.8 is calibration: camera poses"));
}

TEST(Budget, OtherResultsAreRefused) {
  Results results = planted(2);
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { budgets_of(results, "accuracy_rms"); }),
              HasSubstr("accuracy_rms: no case has such a value"));
  results.run.suite = "seed";
  EXPECT_THAT(error_of(ErrorKind::input, [&] { budgets_of(results, kMetric); }),
              HasSubstr("these are results of seed, not of a budget"));
}

}  // namespace
}  // namespace aqbench
