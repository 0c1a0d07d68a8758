#include "reports/content/curves.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void add_case(Results& results, const std::string& method, const std::string& axes, int seed,
              std::optional<double> completeness_pct, double bias_mm = 0) {
  Record record;
  record.case_name = fmt::format("flat/{}/seed={}/{}", method, seed, axes);
  record.scene = "flat";
  record.method = method;
  record.axes = {{"seed", std::int64_t{seed}}};
  record.status = completeness_pct ? Status::ok : Status::failed;
  if (completeness_pct)
    record.metrics = {{"completeness_2mm_pct", {*completeness_pct, "%", Better::higher, ""}},
                      {"bias_mean_mm", {bias_mm, "mm", Better::equal, ""}}};
  results.records.push_back(std::move(record));
}

// 90 % at 1 m, 60 % at 2 m, 0 at 4 m: half of 90 is passed a quarter of the way from 2 to 4.
TEST(Curves, HalvesBetweenTwoValues) {
  Results results;
  for (int seed = 0; seed < 2; ++seed) {
    add_case(results, "sparse", "port=flat/range_m=4", seed, std::nullopt);
    add_case(results, "sparse", "port=flat/range_m=1", seed, 90, -0.1);
    add_case(results, "sparse", "port=flat/range_m=2", seed, 60, -0.4);
    for (const char* const range : {"1", "2", "4"})
      add_case(results, "sparse", fmt::format("port=dome/range_m={}", range), seed, 80);
  }
  const std::vector<FailureCurve> curves = failure_curves(results);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].label, "sparse port=dome");
  EXPECT_FALSE(curves[0].halves_at);
  EXPECT_EQ(curves[1].label, "sparse port=flat");
  EXPECT_EQ(curves[1].axis, "range_m");
  EXPECT_NEAR(curves[1].halves_at.value(), 2.5, 1e-12);
  EXPECT_EQ(curves[1].interval->lower, 2);
  EXPECT_EQ(curves[1].interval->upper, 4);
  EXPECT_EQ(curves[1].points[2].completeness_pct, 0) << "a case that failed";
  EXPECT_FALSE(curves[1].points[2].bias_mm);
  const Section section = curves_section(results);
  for (const std::string& text : {terminal_of(section), markdown_of(section), html_of(section)}) {
    EXPECT_THAT(text, HasSubstr("▇▅·"));
    EXPECT_THAT(text, HasSubstr("2 .. 4"));
    EXPECT_THAT(text, HasSubstr("-0.10 -0.40 n/a"));
  }
}

// Six seeds that fall at 2.5, 2.51 .. 2.55: the interval of Hodges and Lehmann is from the least to the most.
TEST(Curves, SixSeedsHaveAnInterval) {
  Results results;
  for (int seed = 0; seed < 6; ++seed) {
    add_case(results, "sparse", "range_m=1", seed, 80);
    add_case(results, "sparse", "range_m=2", seed, 60);
    add_case(results, "sparse", "range_m=3", seed, 60 - 20 / (0.5 + 0.01 * seed));
  }
  const FailureCurve curve = failure_curves(results).at(0);
  EXPECT_NEAR(curve.halves_at.value(), 2.525, 1e-12);
  EXPECT_NEAR(curve.interval->lower, 2.5, 1e-12);
  EXPECT_NEAR(curve.interval->upper, 2.55, 1e-12);
}

// What rises, has two values, is all 0, or lacks a seed at a value does not halve; frames are no axis.
TEST(Curves, WhatDoesNotFallHasNoPlace) {
  Results results;
  for (const auto& [at, pct] : {std::pair("1", 10.0), {"2", 50.0}, {"3", 90.0}})
    add_case(results, "rises", fmt::format("x={}", at), 1, pct);
  for (const char* const at : {"1", "2", "3"}) add_case(results, "fails", fmt::format("x={}", at), 1, {});
  for (const auto& [at, pct] : {std::pair("1", 90.0), {"2", 10.0}})
    add_case(results, "two", fmt::format("x={}", at), 1, pct);
  for (const auto& [at, pct] : {std::pair("0", 90.0), {"1", 10.0}, {"2", 0.0}})
    add_case(results, "films", fmt::format("frame={}", at), 1, pct);
  EXPECT_EQ(failure_curves(results).size(), 2U);
  EXPECT_TRUE(curves_section(results).blocks.empty());
  for (int seed = 1; seed < 3; ++seed)
    for (const auto& [at, pct] : {std::pair("1", 90.0), {"2", 10.0}, {"3", 0.0}})
      if (seed == 1 || at[0] != '2') add_case(results, "lacks", fmt::format("x={}", at), seed, pct);
  EXPECT_TRUE(curves_section(results).blocks.empty());
}

}  // namespace
}  // namespace aqbench
