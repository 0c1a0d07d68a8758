#include "reports/content/times_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/statistics/summary.h"
#include "pipeline/workloads/workload.h"
#include "reports/exports/tools.h"

namespace aqbench {
namespace {

// One process for each unit, three warm runs each.
Record timed_record(const std::string& axis, ParameterValue value, const std::vector<double>& units) {
  Record record;
  record.workload = "tricubic";
  record.case_name = "tricubic/" + axis + "=" + to_string(value) + "/seed=42";
  record.axes = {{"seed", std::int64_t{42}},
                 {"threads", std::int64_t{2}},
                 {"device", std::string("cpu")},
                 {axis, std::move(value)}};
  record.status = Status::ok;
  record.metrics = {{"inside_worst_error", {1e-12, "1", Better::equal, ""}}};
  record.output_sha256 = std::string(64, 'a');
  record.timing.cold_ms = 9;
  for (std::size_t i = 0; i < units.size(); ++i) {
    record.timing.blocks.push_back({3 * i, 3, i, {}, {}, {}, {}, false});
    for (const double slower : {1.3, 1.0, 1.1}) record.timing.warm_ms.push_back(slower * units[i]);
  }
  return record;
}

// Of 10 runs of 0.8 .. 0.89 and 1.0 .. 1.09 the medians are 0.845 and 1.045.
TEST(Comparisons, AChangeIsThatOfTheMediansWithTheIntervalOfBoth) {
  const auto runs = [](double first) {
    Timing timing;
    for (int i = 0; i < 10; ++i) timing.warm_ms.push_back(first + 0.01 * i);
    return timing;
  };
  Results results;
  results.records = {timed_record("batch", std::int64_t{16}, {1}),
                     timed_record("batch", std::int64_t{2}, {1})};
  results.records[0].timing = runs(0.8);
  results.records[1].timing = runs(1.0);
  const auto compared = compare_axes(results);
  ASSERT_EQ(compared.size(), 2u);
  EXPECT_EQ(compared[0].note, "first");
  EXPECT_EQ(compared[0].value, "2");
  EXPECT_FALSE(compared[0].change_pct);
  EXPECT_NEAR(*compared[1].change_pct, 100 * (0.845 / 1.045 - 1), 1e-9);
  const auto a = summarize(results.records[1].timing.warm_ms, 0.99).median_interval,
             b = summarize(results.records[0].timing.warm_ms, 0.99).median_interval;
  EXPECT_NEAR(*compared[1].lower, 100 * (b->lower / a->upper - 1), 1e-9);
  EXPECT_NEAR(*compared[1].upper, 100 * (b->upper / a->lower - 1), 1e-9);
  EXPECT_LT(*compared[1].lower, *compared[1].change_pct);
  EXPECT_GT(*compared[1].upper, *compared[1].change_pct);
  const std::string table = markdown_of(comparisons_table(compared));
  EXPECT_THAT(table, ::testing::HasSubstr("change [%, 99 % interval]"));
  EXPECT_THAT(table, ::testing::HasSubstr("-19.1 ("));
}

TEST(Comparisons, FewRunsHaveAChangeWithoutAnInterval) {
  Results results;
  results.records = {timed_record("batch", std::int64_t{1}, {1.0}),
                     timed_record("batch", std::int64_t{8}, {0.5})};
  const auto compared = compare_axes(results);
  EXPECT_NEAR(*compared[1].change_pct, -50, 1e-9);
  EXPECT_FALSE(compared[1].lower);
  results.records[1].timing.warm_ms.clear();
  EXPECT_FALSE(compare_axes(results)[1].change_pct) << "a cold run is not held against warm ones";
}

TEST(Comparisons, AnotherOutputHasNoChange) {
  Results results;
  results.records = {timed_record("batch", std::int64_t{1}, {1.0}),
                     timed_record("batch", std::int64_t{8}, {0.5})};
  results.records[1].output_sha256[0] = 'b';
  EXPECT_EQ(compare_axes(results)[1].note, "invalid: its output is not that of batch=1");
  EXPECT_FALSE(compare_axes(results)[1].change_pct);
}

TEST(Comparisons, VariantsMayDifferInTheLastBits) {
  Results results;
  results.records = {timed_record("variant", std::string("fused"), {0.2}),
                     timed_record("variant", std::string("torch"), {1.0})};
  results.records[0].output_sha256[0] = 'b';
  const auto compared = compare_axes(results);
  EXPECT_EQ(compared[0].value, "torch") << "the first choice is the first";
  EXPECT_NEAR(*compared[1].change_pct, -80, 1e-9);
  EXPECT_NEAR(*compared[1].output_distance, 2e-12, 1e-20) << "both are so far from the reference";
}

TEST(Comparisons, VariantsWhoseOutputsWereNotComparedHaveNoChange) {
  Results results;
  results.records = {timed_record("variant", std::string("fused"), {0.2}),
                     timed_record("variant", std::string("torch"), {1.0})};
  results.records[0].output_sha256[0] = 'b';
  results.records[0].metrics.clear();
  const auto compared = compare_axes(results);
  EXPECT_THAT(compared[1].note, ::testing::HasSubstr("pixel by pixel"));
  EXPECT_FALSE(compared[1].change_pct);
  for (const WorkloadSpec& spec : workload_registry()) {
    const bool has_variants = std::ranges::any_of(spec.parameters, [](const ParameterSpec& parameter) {
      return parameter.name == "variant" || parameter.name == "kernel";
    });
    EXPECT_EQ(has_variants, !spec.pixel_identity.empty()) << spec.name;
  }
}

TEST(BenchmarkJson, HoldsEverySampleAndNoCaseWithoutATime) {
  Results results;
  results.run.started_utc = "2026-01-02T03:04:05Z";
  results.records = {timed_record("batch", std::int64_t{1}, {2.0, 4.0}), Record{}};
  results.records[1].case_name = "x";
  results.records[1].reason = "failed";
  const Json json = Json::parse(benchmark_json_text(results));
  ASSERT_EQ(json.at("benchmarks").size(), 6u);
  const Json& last = json.at("benchmarks").back();
  EXPECT_EQ(last.at("run_type"), "iteration");
  EXPECT_EQ(last.at("repetitions"), 6);
  EXPECT_EQ(last.at("repetition_index"), 5);
  EXPECT_NEAR(last.at("real_time").get<double>(), 4.4, 1e-12);
  EXPECT_EQ(last.at("time_unit"), "ms");
}

// The roofline is measured on the processor.
TEST(TimesTable, CasesOfAnotherDeviceHaveNoRoofline) {
  Results results;
  for (const char* device : {"cpu", "opencl:1"}) {
    Record& record = results.records.emplace_back(timed_record("batch", std::int64_t{1}, {1}));
    record.case_name += device;
    record.axes[2].second = std::string(device);
    record.timing.figures = {{"roofline_share", 0.5}};
  }
  const Table table = times_table(results);
  ASSERT_EQ(table.columns.back().header, "roofline");
  EXPECT_EQ(table.rows[0].back().text, "50 %");
  EXPECT_EQ(table.rows[1].back().text, "");
}

}  // namespace
}  // namespace aqbench
