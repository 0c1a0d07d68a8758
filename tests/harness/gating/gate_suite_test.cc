#include "harness/gating/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "harness/gating/accept.h"
#include "harness/gating/verdicts.h"
#include "metrics/registry.h"
#include "reports/bundle/verify.h"
#include "reports/content/verdict_text.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Cases of two suites can have the same names, and the values of one say nothing of the other.
TEST(GateSuite, ResultsOfAnotherSuiteAreNotComparable) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  results.run.suite = "pipeline";
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::not_comparable);
  EXPECT_EQ(report.refusal, "the results are of another suite than the baseline");
  EXPECT_TRUE(report.rows.empty());
  results.run.suite = "";
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass) << "what was asked for without a suite";
}

// A count is only shown while it has a value.
TEST(GateSuite, ACountThatIsUndefinedFails) {
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  baseline.cases[0].metrics.emplace_back("points_of_something",
                                         BaselineMetric{9, Better::equal, {Tolerance::Kind::absolute, 0}});
  results.records[0].metrics.emplace_back("points_of_something", Metric{{}, "points", Better::equal, "lost"});
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
}

// 0.50 is further from 1 than 0.98 is; a bias that comes closer to 0 is better, wherever it came from.
TEST(GateSuite, AMetricWithAnIdealIsJudgedByItsDistance) {
  const auto verdict = [](const char* name, double accepted, double now, double tolerance) {
    Results results = synthetic_results();
    Baseline baseline = synthetic_baseline(results);
    const auto record = std::ranges::find(results.records, baseline.cases[0].name, &Record::case_name);
    std::erase_if(baseline.cases[0].metrics, [&](const auto& metric) { return metric.first == name; });
    std::erase_if(record->metrics, [&](const auto& metric) { return metric.first == name; });
    baseline.cases[0].metrics.emplace_back(
        name, BaselineMetric{accepted, Better::equal, Tolerance{Tolerance::Kind::absolute, tolerance}});
    record->metrics.emplace_back(name, Metric{now, "mm", Better::equal, ""});
    for (const VerdictRow& row : gate(results, baseline).rows)
      if (row.metric == name) return row.verdict;
    return Verdict::missing;
  };
  EXPECT_EQ(verdict("mesh_area_ratio", 0.98, 0.50, 0.02), Verdict::regressed);
  EXPECT_EQ(verdict("mesh_area_ratio", 1.4, 1.01, 0.02), Verdict::improved);
  EXPECT_EQ(verdict("bias_mean_mm", -0.02, -4.40, 0.1), Verdict::regressed);
  EXPECT_EQ(verdict("bias_mean_mm", -4.40, 0.02, 0.1), Verdict::improved);
  EXPECT_EQ(verdict("bias_mean_mm", 3, -3.05, 0.1), Verdict::pass);
  EXPECT_EQ(verdict("mesh_boundary_mm", 4, 3, 0.1), Verdict::regressed);  // without an ideal any change fails
}

// Non-finite points are a fault of the method: more of them fail, fewer are better, in older baselines too,
// whose direction is `equal`. An extreme is no pass, however large.
TEST(GateSuite, NonFinitePointsAreGatedAndExtremesAreNoPass) {
  const auto verdict = [](const char* name, double accepted, double now) {
    Results results = synthetic_results();
    Baseline baseline = synthetic_baseline(results);
    const MetricSpec spec = metric_spec(name);
    const Metric metric{now, spec.unit, spec.better, ""};
    baseline.cases[0].metrics.emplace_back(
        name, BaselineMetric{accepted, spec.better,
                             default_tolerance(name, {accepted, spec.unit, spec.better, ""})});
    std::ranges::find(results.records, baseline.cases[0].name, &Record::case_name)
        ->metrics.emplace_back(name, metric);
    const Verdicts report = gate(results, baseline);
    const VerdictRow found = *std::ranges::find(report.rows, name, &VerdictRow::metric);
    EXPECT_EQ(report.exit_code(), is_refused(found.verdict) ? ExitCode::regression : ExitCode::pass);
    EXPECT_EQ(report.count(Verdict::pass), 4u * 8u + (verdict_label(found) == "pass" ? 1 : 0));
    return verdict_label(found);
  };
  EXPECT_EQ(verdict("points_non_finite", 0, 100000), "regressed");
  EXPECT_EQ(verdict("points_non_finite", 7, 8), "regressed");
  EXPECT_EQ(verdict("points_non_finite", 7, 6), "improved");
  EXPECT_EQ(verdict("points_non_finite", 7, 7), "pass");
  EXPECT_EQ(verdict("accuracy_max_mm", 4, 1e6), "information");
  EXPECT_EQ(verdict("points_outside_patch", 4, 4), "information");
}

// A count is shown and not gated, unless its metric is named: also with the tolerance that it has anyway.
TEST(GateSuite, AMetricThatAcceptNamesGates) {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "seed.json";
  Results accepted_results = synthetic_results();
  AcceptedRun run = read_accepted_run(synthetic_bundle(folder.path(), accepted_results));
  Results later = accepted_results, again = accepted_results;
  later.records[0].timing.cold_ms = again.records[0].timing.cold_ms = 99;  // other runs
  for (auto& [name, metric] : later.records[0].metrics)
    if (name == "points") *metric.value -= 1;
  const auto accepted = [&] {
    accept_baseline(run, file, {.leave_out_undefined = true});
    EXPECT_EQ(gate(again, read_baseline(file)).exit_code(), ExitCode::pass);
    return gate(later, read_baseline(file)).exit_code();
  };
  EXPECT_EQ(accepted(), ExitCode::pass);
  run.tolerances = {{"points", Tolerance{Tolerance::Kind::absolute, 0}}};
  EXPECT_EQ(accepted(), ExitCode::regression);
  run.tolerances.clear();  // what the file says stays
  EXPECT_EQ(accepted(), ExitCode::regression);
}

TEST(Gate, OtherOptionsAreNotComparableWithBothValuesNamed) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  const auto reason = [&](const std::function<void(Record&)>& change) {
    Results results = synthetic_results();
    change(results.records[1]);
    const Verdicts report = gate(results, baseline);
    EXPECT_EQ(report.exit_code(), ExitCode::not_comparable);
    EXPECT_EQ(report.rows[0].verdict, Verdict::not_comparable);
    EXPECT_EQ(report.count(Verdict::pass), 24u);  // the other three cases are still judged
    return report.rows[0].reason;
  };
  EXPECT_EQ(reason([](Record& r) { r.options[1].second = std::int64_t{2000}; }),
            "option roma_like.points is 2000, was 3000");
  EXPECT_EQ(reason([](Record& r) { r.options[1].second = std::string("3000"); }),
            "option roma_like.points is 3000, was 3000");
  EXPECT_EQ(reason([](Record& r) { r.options.pop_back(); }),
            "option roma_like.points is absent, was 3000");
  EXPECT_EQ(reason([](Record& r) { r.options.emplace_back("x.y", 0.5); }),
            "option x.y is 0.5, was absent");
}

TEST(Gate, AWholeNumberIsTheSameAsTextOrBinary) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  results.records[1].options[1].second = 3000.0;
  std::ranges::reverse(results.records[1].options);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
}

TEST(Gate, AnOptionAtItsDefaultIsNoDifferenceToABaselineThatLacksIt) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  Results results = synthetic_results();
  Record& record = results.records[1];
  record.defaults = {{"roma_like.added_later", 0.5}};
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  record.defaults.push_back(record.options[1]);  // as in a baseline that lists defaults, too
  record.options.pop_back();
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  record.defaults[1].second = std::int64_t{2000};
  EXPECT_EQ(gate(results, baseline).rows[0].reason, "option roma_like.points is 2000, was 3000");
}

TEST(Gate, OptionsOfTwoRunsAreComparedWhateverTheirDefaultsAre) {
  const NamedValues none, five = {{"a.b", 5.0}}, six = {{"a.b", 6.0}};
  EXPECT_THAT(option_differences({none, five}, {none, none}), testing::IsEmpty());
  EXPECT_THAT(option_differences({none, none}, {none, five}), testing::IsEmpty());
  EXPECT_THAT(option_differences({five, none}, {none, five}), testing::IsEmpty())
      << "it has become the default";
  EXPECT_THAT(option_differences({none, five}, {five, none}), testing::IsEmpty());
  EXPECT_THAT(option_differences({none, five}, {six, none}),
              testing::ElementsAre("option a.b is 6, was 5"));
  EXPECT_THAT(option_differences({none, none}, {six, none}),
              testing::ElementsAre("option a.b is 6, was absent"));
  EXPECT_THAT(option_differences({six, none}, {none, five}),
              testing::ElementsAre("option a.b is 5, was 6"));
}

using ::testing::Contains;
using ::testing::HasSubstr;

// Two scenes x two methods, of which a run with --method has one.
Results run_of_one_method() {
  Results results = synthetic_results();
  const std::string kept = results.records[0].method;
  std::erase_if(results.records, [&](const Record& record) { return record.method != kept; });
  results.run.suite = "seed";
  results.run.requested = Json{{"suite", "seed"}, {"methods", {kept}}, {"scenes", Json::array()}};
  results.run.effective =
      Json{{"scenes", {"flat_plane", "undulating"}}, {"methods", {kept}}, {"workloads", Json::array()}};
  return results;
}

TEST(PartOfSuite, WhatFiltersLeaveOutIsNamedAndNotMissing) {
  const Results all = synthetic_results();
  Baseline baseline = synthetic_baseline(all);
  baseline.suite = "seed";
  const Results part = run_of_one_method();
  const Verdicts report = gate(part, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  EXPECT_EQ(report.count(Verdict::missing), 0u);
  EXPECT_THAT(report.notes, Contains(HasSubstr("a part of the suite (--method ")));
  EXPECT_THAT(report.notes, Contains(HasSubstr("2 accepted cases did not run: ")));
  for (const BaselineCase& one : baseline.cases)
    if (part_of_suite(part).leaves_out(one.name)) {
      EXPECT_THAT(report.notes, Contains(HasSubstr(one.name)));
    }
}

// A case of a scene and method that ran is missing, whatever the filters.
TEST(PartOfSuite, ACaseThatShouldHaveRunIsMissing) {
  const Results all = synthetic_results();
  Baseline baseline = synthetic_baseline(all);
  baseline.suite = "seed";
  Results part = run_of_one_method();
  part.records.pop_back();
  EXPECT_EQ(gate(part, baseline).exit_code(), ExitCode::regression);
  Results whole = all;
  whole.run.suite = "seed";
  whole.records.pop_back();
  EXPECT_EQ(gate(whole, baseline).count(Verdict::missing), 1u);
}

TEST(PartOfSuite, NamesAreTakenApartByWhatRan) {
  PartOfSuite part{{}, {"a:fast"}, {}, {"mesh:x/y.ply"}, {"a:fast"}, {"kernel"}};
  EXPECT_FALSE(part.leaves_out("mesh:x/y.ply/a:fast/seed=1"));
  EXPECT_TRUE(part.leaves_out("mesh:x/y.ply/a/seed=1"));
  EXPECT_FALSE(part.leaves_out("kernel/size=4"));
  part = {{}, {}, {"kernel"}, {}, {}, {"kernel"}};
  EXPECT_TRUE(part.leaves_out("other/size=4"));
  EXPECT_FALSE(PartOfSuite{}.leaves_out("anything"));
}

TEST(DefaultTolerance, ByKindOfMetric) {
  const auto of = [](const char* name, const char* unit, Better better, double value) {
    return default_tolerance(name, {value, unit, better, ""});
  };
  const auto relative = [](double share) { return Tolerance{Tolerance::Kind::relative, share}; };
  const auto absolute = [](double amount) { return Tolerance{Tolerance::Kind::absolute, amount}; };
  EXPECT_EQ(of("accuracy_mean_mm", "mm", Better::lower, 0.8), relative(0.05));
  EXPECT_EQ(of("completeness_mean_mm", "mm", Better::lower, 3), relative(0.05));
  EXPECT_EQ(of("normal_mean_deg", "deg", Better::lower, 3), relative(0.05));
  EXPECT_EQ(of("bias_mean_mm", "mm", Better::equal, 0.01), absolute(0.1));
  EXPECT_EQ(of("precision_2mm_pct", "%", Better::higher, 95), absolute(1));
  EXPECT_EQ(of("completeness_2mm_pct", "%", Better::higher, 20), absolute(1));
  EXPECT_EQ(of("completeness_0.5mm_pct", "%", Better::higher, 0.35), relative(0.05));
  EXPECT_EQ(of("point_density_pct", "%", Better::equal, 150), relative(0.05));
  EXPECT_EQ(of("points", "points", Better::equal, 2850), absolute(0));
  EXPECT_EQ(of("mesh_nonmanifold_edges", "1", Better::lower, 0), absolute(0));
  EXPECT_EQ(of("mesh_area_ratio", "1", Better::equal, 1.01), absolute(0.02));
  // No share of nothing is a tolerance.
  EXPECT_EQ(of("accuracy_mean_mm", "mm", Better::lower, 0), absolute(0.01));
  EXPECT_EQ(of("point_density_pct", "%", Better::equal, 0), absolute(0.1));
  EXPECT_EQ(of("normal_mean_deg", "deg", Better::lower, 0), absolute(0.1));
}

}  // namespace

}  // namespace aqbench
