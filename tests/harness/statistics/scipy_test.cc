// Against SciPy: tests/data/statistics/make_scipy_values.py says how the values were made.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "harness/statistics/change_points.h"
#include "harness/statistics/signed_rank.h"
#include "harness/statistics/summary.h"

namespace aqbench {
namespace {

using Values = std::vector<double>;

nlohmann::json scipy_values() {
  return nlohmann::json::parse(
      read_file(std::string(AQBENCH_SOURCE_DIR) + "/tests/data/statistics/scipy_values.json"));
}

void expect_relative(double value, double truth, double tolerance) {
  EXPECT_NEAR(value, truth, tolerance * std::abs(truth));
}

TEST(SciPy, SignedRank) {
  const auto rows = scipy_values()["signed_rank"];
  ASSERT_EQ(rows.size(), 7u);
  for (const auto& row : rows) {
    const auto differences = row["differences"].get<Values>();
    const SignedRankTest test = signed_rank_test(differences);
    expect_relative(test.p_greater, row["p_greater"].get<double>(), 1e-11);
    expect_relative(test.p_less, row["p_less"].get<double>(), 1e-11);
    EXPECT_NEAR(hodges_lehmann(differences).estimate, row["hodges_lehmann"].get<double>(), 1e-15);
  }
}

TEST(SciPy, SignedRankWithTies) {
  const auto rows = scipy_values()["tied_signed_rank"];
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) {
    const SignedRankTest test = signed_rank_test(row["differences"].get<Values>());
    EXPECT_TRUE(test.ties);
    expect_relative(test.p_greater, row["p_greater"].get<double>(), 1e-13);
    expect_relative(test.p_less, row["p_less"].get<double>(), 1e-13);
  }
}

TEST(SciPy, StudentsTest) {
  const auto rows = scipy_values()["student"];
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows)
    expect_relative(compare_levels(row["a"].get<Values>(), row["b"].get<Values>()).p, row["p"].get<double>(),
                    1e-10);
}

TEST(SciPy, Distributions) {
  const auto values = scipy_values();
  for (const auto& row : values["binomial_half_cdf"])
    expect_relative(fair_coins_cdf(row["k"].get<std::int64_t>(), row["n"].get<std::int64_t>()),
                    row["p"].get<double>(), 1e-12);
}

TEST(SciPy, Summary) {
  const auto rows = scipy_values()["summary"];
  ASSERT_EQ(rows.size(), 3u);
  for (const auto& row : rows) {
    const SampleSummary summary = summarize(row["values"].get<Values>());
    expect_relative(summary.mean.value(), row["mean"].get<double>(), 1e-14);
    expect_relative(summary.sd.value(), row["sd"].get<double>(), 1e-13);
    expect_relative(summary.median.value(), row["median"].get<double>(), 1e-15);
  }
}

}  // namespace
}  // namespace aqbench
