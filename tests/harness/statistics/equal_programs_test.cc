// Two programs that take equally long while their noise differs, or follows itself: the claims and the table
// of docs/comparing.md. Every rate is over seeded draws, so it is the same on every run.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/quantiles.h"
#include "harness/statistics/paired.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

// What the units of one side are like. Noise is normal, so that mean and median are 1.
struct Side {
  double run_cv = 0, unit_cv = 0;
  std::size_t runs = 3;
  double half = 0;     // every second unit takes so much more, the others so much less
  double follows = 0;  // the correlation of a unit's noise with that of the unit before
};

std::vector<std::vector<double>> units_of(const Side& side, std::uint64_t draw, std::uint64_t seed,
                                          std::size_t count) {
  const std::vector<double> z = normal_sample(draw, count * (side.runs + 1), seed);
  std::vector<std::vector<double>> units;
  double state = z[0];
  for (std::size_t i = 0; i < count; ++i) {
    const double* const noise = &z[i * (side.runs + 1)];
    if (i > 0) state = side.follows * state + std::sqrt(1 - side.follows * side.follows) * noise[0];
    const double unit = (1 + side.unit_cv * state) * (i % 2 == 0 ? 1 - side.half : 1 + side.half);
    std::vector<double>& runs = units.emplace_back();
    for (std::size_t run = 0; run < side.runs; ++run)
      runs.push_back(unit * (1 + side.run_cv * noise[run + 1]));
  }
  return units;
}

PairedSeries series_of(const Side& a, const Side& b, std::uint64_t draw, std::size_t pairs) {
  PairedSeries series;
  series.name = "equal";
  series.runs_a = units_of(a, draw, 101, pairs);
  series.runs_b = units_of(b, draw, 102, pairs);
  for (const auto& runs : series.runs_a) series.u_a.push_back(median_of(runs));
  for (const auto& runs : series.runs_b) series.u_b.push_back(median_of(runs));
  return series;
}

PairedVerdict verdict_of(const PairedSeries& all, std::size_t pairs, int looks) {
  PairedPolicy policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  policy.looks = looks;
  PairedSeries series = all;
  for (auto* const units : {&series.u_a, &series.u_b}) units->resize(pairs);
  for (auto* const runs : {&series.runs_a, &series.runs_b}) runs->resize(pairs);
  return compare_pairs(std::span(&series, 1), policy).front().verdict;
}

constexpr int kComparisons = 500;
using Verdicts = std::map<PairedVerdict, int>;

// In looks of so many pairs until it is decided; with `confirmed` a flag needs as many fresh pairs.
Verdicts verdicts_of(const Side& a, const Side& b, std::size_t pairs, int looks, bool confirmed) {
  Verdicts verdicts;
  for (std::uint64_t draw = 0; draw < kComparisons; ++draw) {
    const auto most = static_cast<std::size_t>(looks) * pairs;
    const PairedSeries all = series_of(a, b, draw, most);
    auto verdict = PairedVerdict::inconclusive;
    std::size_t measured = 0;
    while (measured < most && verdict == PairedVerdict::inconclusive)
      verdict = verdict_of(all, measured += pairs, looks);
    const bool flagged = verdict == PairedVerdict::regressed || verdict == PairedVerdict::faster;
    if (confirmed && flagged &&
        verdict_of(series_of(a, b, draw + kComparisons, measured), measured, 1) != verdict)
      verdict = PairedVerdict::inconclusive;
    ++verdicts[verdict];
  }
  return verdicts;
}

int flags_in(const Verdicts& verdicts) {
  int flags = 0;
  for (const auto& [verdict, count] : verdicts)
    if (verdict == PairedVerdict::regressed || verdict == PairedVerdict::faster) flags += count;
  return flags;
}

TEST(EqualPrograms, TheTableOfTheDocumentsIsWhatTheRuleSays) {
  std::string table =
      "| simulated, % of 500 comparisons | PASS | FASTER | TRADE | INCONCLUSIVE | REGRESSED |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  // Of noise that is free of time at most 1 % may be flagged, either way.
  const auto add = [&](const std::string& what, const Side& a, const Side& b, std::size_t pairs, int looks,
                       int most_flags = kComparisons / 100, bool confirmed = false) {
    Verdicts verdicts = verdicts_of(a, b, pairs, looks, confirmed);
    table += fmt::format("| {} |", what);
    for (const PairedVerdict verdict : {PairedVerdict::pass, PairedVerdict::faster, PairedVerdict::trade,
                                        PairedVerdict::inconclusive, PairedVerdict::regressed})
      table += fmt::format(" {:.1f} |", 100.0 * verdicts[verdict] / kComparisons);
    table += "\n";
    EXPECT_LE(flags_in(verdicts), most_flags) << what;
  };
  add("runs of cv 3 % in A, 1 % in B", {.run_cv = 0.03}, {.run_cv = 0.01}, 24, 3);
  add("runs of cv 1 % in A, 3 % in B", {.run_cv = 0.01}, {.run_cv = 0.03}, 24, 3);
  add("runs of cv 2 % in A, 0.5 % in B", {.run_cv = 0.02}, {.run_cv = 0.005}, 24, 3);
  add("runs of cv 10 % in A, 2 % in B", {.run_cv = 0.1}, {.run_cv = 0.02}, 24, 3);
  add("units of cv 3 % in A, 0.5 % in B", {0.002, 0.03}, {0.002, 0.005}, 24, 3);
  add("units of cv 1 % in A, 3 % in B", {0.002, 0.01}, {0.002, 0.03}, 24, 3);
  add("10 runs a unit in A, 3 in B, cv 3 %", {.run_cv = 0.03, .runs = 10}, {.run_cv = 0.03}, 24, 3);
  add("half of B's units x 0.92, half x 1.08, 72 pairs", {.run_cv = 0.01}, {.run_cv = 0.01, .half = 0.08}, 72,
      1);
  const Side slow_drift = {0.002, 0.05, 3, 0, 0.9}, quick_drift = {0.002, 0.05, 3, 0, 0.5};
  add("units of cv 5 %, each 0.9 like the one before, 72 pairs", slow_drift, slow_drift, 72, 1,
      kComparisons / 50);
  add("the same, three looks", slow_drift, slow_drift, 24, 3, kComparisons / 3);
  add("the same, three looks, flags confirmed", slow_drift, slow_drift, 24, 3, kComparisons / 20, true);
  add("units of cv 5 %, each 0.5 like the one before, 72 pairs", quick_drift, quick_drift, 72, 1,
      kComparisons / 10);
  EXPECT_THAT(read_file(std::string(AQBENCH_SOURCE_DIR) + "/docs/comparing.md"), ::testing::HasSubstr(table));
}

// A ratio that drifts a little is no reason to leave open what every pair shows.
TEST(EqualPrograms, ADriftDoesNotHideWhatIsPlain) {
  for (const auto& [ratio, verdict] :
       {std::pair(1.2, PairedVerdict::regressed), {0.8, PairedVerdict::faster}, {1.0, PairedVerdict::pass}}) {
    int seen = 0;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
      PairedSeries series = series_of({.run_cv = 0.002}, {0.002, 0.004, 3, 0, 0.95}, draw, 48);
      for (double& u : series.u_b) u *= ratio;
      for (auto& runs : series.runs_b)
        for (double& run : runs) run *= ratio;
      seen += verdict_of(series, 48, 1) == verdict;
    }
    EXPECT_GE(seen, 97) << ratio;
  }
}

// By counting all orders of the signs.
TEST(SignChanges, PIsThatOfAllOrders) {
  for (unsigned signs = 1; signs < 1u << 9; ++signs) {
    const auto runs_of = [](unsigned bits) {
      int runs = 1;
      for (int i = 1; i < 9; ++i) runs += ((bits >> i) & 1u) != ((bits >> (i - 1)) & 1u);
      return runs;
    };
    int orders = 0, as_few = 0;
    for (unsigned other = 0; other < 1u << 9; ++other) {
      if (std::popcount(other) != std::popcount(signs)) continue;
      ++orders;
      as_few += runs_of(other) <= runs_of(signs);
    }
    std::vector<double> differences;
    for (int i = 0; i < 9; ++i) {
      differences.push_back(2 + ((signs >> i) & 1u ? 0.5 + i : -0.5 - i));
      differences.push_back(2);  // without a sign
    }
    ASSERT_NEAR(sign_changes(differences, 2).p_so_few, static_cast<double>(as_few) / orders, 1e-12) << signs;
  }
  EXPECT_EQ(sign_changes(std::vector<double>{1, 1, 1}, 1).p_so_few, 1);
  // 9 of 12 neighbours alike: the signs correlate by 0.5, and normal numbers by sin(pi / 4).
  const std::vector<double> half = {1, 1, 1, 1, -1, -1, -1, 1, 1, 1, -1, -1, -1};
  EXPECT_NEAR(sign_changes(half, 0).correlation, std::sqrt(0.5), 1e-12);
}

}  // namespace
}  // namespace aqbench
