#include "reports/content/comparisons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/random.h"
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

std::vector<double> noisy_units(std::uint64_t seed, double level, std::size_t count, double cv = 0.011) {
  std::vector<double> units;
  for (std::size_t i = 0; i < count; ++i)
    units.push_back(level * std::exp(cv * normal_pair({seed, RandomStream::bootstrap}, i)[0]));
  return units;
}

TEST(Comparisons, ABatchIsHeldAgainstTheSmallest) {
  Results results;
  results.records = {timed_record("batch", std::int64_t{16}, noisy_units(1, 0.8, 20)),
                     timed_record("batch", std::int64_t{2}, noisy_units(2, 1.0, 20)),
                     timed_record("batch", std::int64_t{8}, noisy_units(3, 1.2, 20))};
  const auto compared = compare_axes(results);
  ASSERT_EQ(compared.size(), 3u);
  EXPECT_EQ(compared[0].verdict, "base");
  EXPECT_EQ(compared[0].value, "2");
  EXPECT_EQ(compared[1].verdict, "looks slower");
  EXPECT_NEAR(*compared[1].ratio, 1.2, 0.02);
  EXPECT_EQ(compared[2].verdict, "looks faster");
  EXPECT_LT(*compared[2].lower, 0.8 + 0.02);
}

TEST(Comparisons, AnotherOutputIsInvalidAndNeverFaster) {
  Results results;
  results.records = {timed_record("batch", std::int64_t{1}, noisy_units(1, 1.0, 20)),
                     timed_record("batch", std::int64_t{8}, noisy_units(2, 0.5, 20))};
  results.records[1].output_sha256[0] = 'b';
  EXPECT_EQ(compare_axes(results)[1].verdict, "invalid");
  EXPECT_FALSE(compare_axes(results)[1].ratio);
}

TEST(Comparisons, VariantsMayDifferInTheLastBits) {
  Results results;
  results.records = {timed_record("variant", std::string("fused"), noisy_units(1, 0.2, 20)),
                     timed_record("variant", std::string("torch"), noisy_units(2, 1.0, 20))};
  results.records[0].output_sha256[0] = 'b';
  const auto compared = compare_axes(results);
  EXPECT_EQ(compared[0].value, "torch") << "the first choice is the base";
  EXPECT_EQ(compared[1].verdict, "looks faster");
  EXPECT_NEAR(*compared[1].output_distance, 2e-12, 1e-20) << "both are so far from the reference";
}

TEST(Comparisons, VariantsWhoseOutputsWereNotComparedGetNoVerdict) {
  Results results;
  results.records = {timed_record("variant", std::string("fused"), noisy_units(1, 0.2, 20)),
                     timed_record("variant", std::string("torch"), noisy_units(2, 1.0, 20))};
  results.records[0].output_sha256[0] = 'b';
  results.records[0].metrics.clear();
  const auto compared = compare_axes(results);
  EXPECT_EQ(compared[1].verdict, "inconclusive");
  EXPECT_THAT(compared[1].reason, ::testing::HasSubstr("pixel by pixel"));
  EXPECT_FALSE(compared[1].ratio);
  for (const WorkloadSpec& spec : workload_registry()) {
    const bool has_variants = std::ranges::any_of(spec.parameters, [](const ParameterSpec& parameter) {
      return parameter.name == "variant" || parameter.name == "kernel";
    });
    EXPECT_EQ(has_variants, !spec.pixel_identity.empty()) << spec.name;
  }
}
TEST(Comparisons, OneProcessEachGivesNoVerdict) {
  Results results;
  results.records = {timed_record("batch", std::int64_t{1}, {1.0}),
                     timed_record("batch", std::int64_t{8}, {0.5})};
  EXPECT_EQ(compare_axes(results)[1].verdict, "inconclusive");
  EXPECT_THAT(compare_axes(results)[1].reason, ::testing::HasSubstr("--blocks"));
}

TEST(Comparisons, TwoOfTheSameAreNoDifference) {
  int flagged = 0, no_difference = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    Results results;
    results.records = {timed_record("replica", std::int64_t{1}, noisy_units(2 * run, 1.0, 20)),
                       timed_record("replica", std::int64_t{2}, noisy_units(2 * run + 1, 1.0, 20))};
    const std::string verdict = compare_axes(results)[1].verdict;
    flagged += verdict.starts_with("looks") ? 1 : 0;
    no_difference += verdict == "no difference seen" ? 1 : 0;
  }
  EXPECT_LE(flagged, 1);
  EXPECT_GE(no_difference, 80);
}

// 16 processes are enough for one comparison at 1 %; of twenty together each has to show more.
TEST(Comparisons, AllOfATableAreOneFamily) {
  const auto table_of = [](std::size_t values, std::size_t processes) {
    Results results;
    for (std::size_t i = 0; i <= values; ++i)
      results.records.push_back(timed_record("batch", static_cast<std::int64_t>(i + 1),
                                             noisy_units(i, i == values ? 0.5 : 1.0, processes)));
    return compare_axes(results);
  };
  EXPECT_EQ(table_of(1, 16).back().verdict, "looks faster");
  EXPECT_EQ(table_of(20, 16).back().verdict, "inconclusive");
  EXPECT_THAT(table_of(20, 16).back().reason,
              ::testing::HasSubstr("16 processes each; 20 comparisons together need --blocks 22 or more"));
  EXPECT_EQ(table_of(20, 22).back().verdict, "looks faster");
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

}  // namespace
}  // namespace aqbench
