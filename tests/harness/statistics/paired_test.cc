#include "harness/statistics/paired.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/statistics/signed_rank.h"
#include "tests/core/error_matcher.h"
#include "tests/harness/statistics/values.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;

// Pairs with a little noise and B `ratio` times A.
PairedSeries series_of(double ratio, std::size_t pairs = 40, double cv = 0.01, std::uint64_t draw = 1) {
  PairedSeries series;
  series.name = "sweep";
  const Values z = normal_sample(draw, 2 * pairs, 51);
  for (std::size_t i = 0; i < pairs; ++i) {
    series.u_a.push_back(0.01 * std::exp(cv * z[2 * i]));
    series.u_b.push_back(0.01 * ratio * std::exp(cv * z[2 * i + 1]));
  }
  return series;
}

// The default policy with fewer draws.
PairedPolicy quick(PairedPolicy policy = {}) {
  policy.bootstrap_draws = 600;
  policy.resolution_draws = 200;
  return policy;
}

PairedComparison compare_one(const PairedSeries& series, const PairedPolicy& policy = quick()) {
  return compare_pairs(std::span(&series, 1), policy).front();
}

TEST(Paired, Verdicts) {
  EXPECT_EQ(compare_one(series_of(1.00)).verdict, PairedVerdict::pass);
  EXPECT_EQ(compare_one(series_of(1.10)).verdict, PairedVerdict::regressed);
  EXPECT_EQ(compare_one(series_of(0.90)).verdict, PairedVerdict::faster);
  EXPECT_EQ(compare_one(series_of(1.00, 40, 0.2)).verdict, PairedVerdict::inconclusive);
  EXPECT_EQ(to_string(PairedVerdict::inconclusive), "INCONCLUSIVE");
}

TEST(Paired, GatePolicyFailsSixPercentAndReportsFour) {
  const PairedPolicy gate = quick(paired_policy("gate"));
  EXPECT_EQ(compare_one(series_of(1.06, 40, 0.004), gate).verdict, PairedVerdict::regressed);
  const PairedComparison four = compare_one(series_of(1.04, 40, 0.004), gate);
  EXPECT_EQ(four.verdict, PairedVerdict::pass);
  EXPECT_LT(four.p_worse, 0.001);  // reported
  EXPECT_NEAR(change_of(four.scale, four.shift), 0.04, 0.002);
  EXPECT_EQ(compare_one(series_of(1.04, 40, 0.004)).verdict, PairedVerdict::regressed);  // sensitive
}

TEST(Paired, ThroughputLikewise) {
  const PairedPolicy gate = quick(paired_policy("gate"));
  for (const auto& [ratio, verdict] : {std::pair{0.94, PairedVerdict::regressed},
                                       {0.96, PairedVerdict::pass},
                                       {1.08, PairedVerdict::faster}}) {
    PairedSeries series = series_of(ratio, 40, 0.002);
    series.higher_is_better = true;
    const PairedComparison result = compare_one(series, gate);
    EXPECT_EQ(result.verdict, verdict) << ratio;
    EXPECT_NEAR(change_of(result.scale, result.shift), ratio - 1, 0.001);
    EXPECT_NEAR(change_of(result.scale, result.flag_above), -0.05, 1e-12);  // 0.95 x
    EXPECT_NEAR(change_of(result.scale, result.pass_below), -0.08, 1e-12);
  }
}

// Everything again, in the plainest way.
TEST(Paired, EqualsAPlainComputation) {
  const PairedSeries series = series_of(1.03, 12, 0.05, 7);
  Values kept;
  for (std::size_t i = 0; i < 12; ++i) kept.push_back(std::log(series.u_b[i] / series.u_a[i]));
  Values walsh;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = i; j < 12; ++j) walsh.push_back((kept[i] + kept[j]) / 2);
  std::sort(walsh.begin(), walsh.end());

  const PairedComparison result = compare_one(series);
  EXPECT_EQ(result.measured_pairs, 12u);
  EXPECT_EQ(result.kept.size(), 12u);
  EXPECT_NEAR(result.shift, (walsh[38] + walsh[39]) / 2, 1e-15);
  EXPECT_NEAR(result.interval.lower, walsh[7], 1e-15);  // the critical value for n = 12 at .005 is 7
  EXPECT_NEAR(result.interval.upper, walsh[70], 1e-15);
  const SignedRankTest test = signed_rank_test(kept);
  EXPECT_NEAR(result.p_worse, test.p_greater, 1e-15);
  EXPECT_NEAR(result.p_better, test.p_less, 1e-15);
  EXPECT_EQ(result.p_worse_holm, result.p_worse);
  EXPECT_EQ(result.level, 0.01);
  EXPECT_DOUBLE_EQ(result.flag_above, std::log1p(0.02));
  EXPECT_DOUBLE_EQ(result.pass_below, std::log1p(0.05));
  EXPECT_NEAR(result.cv_a.value(), 0.05, 0.03);
}

// Units of which every third is lucky on A's side, and as many unlucky: the medians are equal, the quieter
// pairs and the shortest runs are not.
TEST(Paired, NoPairIsSelectedByItsTimes) {
  PairedSeries series = series_of(1.0, 60, 0.002, 3);
  for (std::size_t i = 0; i < 60; ++i) series.u_a[i] *= i % 3 == 0 ? 0.94 : i % 3 == 1 ? 1 / 0.94 : 1;
  const PairedComparison result = compare_one(series);
  EXPECT_EQ(result.kept.size(), 60u);
  EXPECT_EQ(result.verdict, PairedVerdict::pass) << result.reason;
  EXPECT_NEAR(result.shift, 0, 0.002);
}

TEST(Paired, SwappingAandBMirrorsEverything) {
  for (const double ratio : {0.9, 1.0, 1.03, 1.2}) {
    const PairedSeries series = series_of(ratio, 31, 0.03, 5);
    PairedSeries swapped = series;
    std::swap(swapped.u_a, swapped.u_b);
    const PairedComparison result = compare_one(series), mirror = compare_one(swapped);
    EXPECT_EQ(mirror.kept, result.kept);
    EXPECT_EQ(mirror.shift, -result.shift);
    EXPECT_EQ(mirror.interval.lower, -result.interval.upper);
    EXPECT_EQ(mirror.p_worse, result.p_better);
    EXPECT_EQ(mirror.verdict == PairedVerdict::regressed, result.verdict == PairedVerdict::faster);
  }
}

// Equal times are no precision: the clock did not tell them apart. What no clock measured may be equal.
TEST(Paired, IdenticalMeasurementsPassUnlessTheyAreTimes) {
  PairedSeries series{"same", Values(40, 0.01), Values(40, 0.01), false, std::nullopt, {}};
  const PairedComparison times = compare_one(series);
  EXPECT_EQ(times.verdict, PairedVerdict::inconclusive);
  EXPECT_THAT(times.reason, HasSubstr("all times are multiples of 0.01, which is 100 % of a typical run"));
  EXPECT_DOUBLE_EQ(times.interval.upper, std::log1p(0.5));
  series.clocked = false;
  const PairedComparison result = compare_one(series);
  EXPECT_EQ(result.verdict, PairedVerdict::pass);
  EXPECT_EQ(result.zeros, 40u);
  EXPECT_EQ(result.shift, 0);
  EXPECT_EQ(result.p_worse, 1);
  EXPECT_EQ(result.interval.upper, 0);
}

TEST(Paired, HolmCountsAllGatedCases) {
  // Of 10 pairs p is at best 2^-10 = .00098, enough for 8 cases at .01 (.00125), not for 12 (.00083).
  std::vector<PairedSeries> series(8, series_of(1.2, 10));
  for (const auto& result : compare_pairs(series, quick())) {
    EXPECT_DOUBLE_EQ(result.p_worse, 1.0 / 1024);
    EXPECT_DOUBLE_EQ(result.p_worse_holm, 8.0 / 1024);
    EXPECT_EQ(result.verdict, PairedVerdict::regressed);
  }
  series.resize(12, series_of(1.2, 10));
  EXPECT_EQ(error_of(ErrorKind::input, [&] { compare_pairs(series, quick()); }),
            "sweep: pairs: 10 are too few: 12 cases x 1 look at alpha 0.01 need 11");
}

TEST(Paired, RefusesCasesThatAreTooNoisyHere) {
  std::vector<PairedSeries> series = {series_of(1.2), series_of(1.2)};
  series[0].name = "noisy";
  series[0].tau = 0.07;
  const auto results = compare_pairs(series, quick());
  EXPECT_EQ(results[0].verdict, PairedVerdict::refused);
  EXPECT_EQ(results[0].reason, "too noisy to be gated here: A/A runs ask for tau 7.0 %, above delta 5.0 %");
  EXPECT_GE(results[0].visible_shift.value(), std::log(1.07));  // the resolution reached is still there
  EXPECT_EQ(results[1].verdict, PairedVerdict::regressed);
  EXPECT_EQ(results[1].p_worse_holm, results[1].p_worse);  // a family of one
  // A case's own tau raises the policy's and never lowers it.
  series[0].tau = 0.001;
  EXPECT_DOUBLE_EQ(compare_pairs(series, quick())[0].flag_above, std::log1p(0.02));
  series[0].tau = 0.03;
  EXPECT_DOUBLE_EQ(compare_pairs(series, quick())[0].flag_above, std::log1p(0.03));
}

TEST(Paired, LooksShareAlpha) {
  PairedPolicy policy = quick();
  policy.looks = 3;
  const PairedComparison result = compare_one(series_of(1.0, 22, 0.03), policy);
  EXPECT_DOUBLE_EQ(result.level, 0.01 / 3);
  EXPECT_GE(result.interval.coverage, 1 - 0.01 / 3);
  PairedComparison open;
  EXPECT_TRUE(needs_top_up(open, 1, policy));
  EXPECT_TRUE(needs_top_up(open, 2, policy));
  EXPECT_FALSE(needs_top_up(open, 3, policy));
  open.verdict = PairedVerdict::pass;
  EXPECT_FALSE(needs_top_up(open, 1, policy));
}

TEST(Paired, FlagsAreConfirmedByFreshPairs) {
  const PairedComparison slow = compare_one(series_of(1.1)),
                         slow_again = compare_one(series_of(1.1, 40, 0.01, 2));
  const PairedComparison quiet = compare_one(series_of(1.0)), fast = compare_one(series_of(0.9));
  EXPECT_TRUE(needs_confirmation(slow));
  EXPECT_TRUE(needs_confirmation(fast));
  EXPECT_FALSE(needs_confirmation(quiet));
  EXPECT_EQ(confirm(slow, slow_again).verdict, PairedVerdict::regressed);
  EXPECT_THAT(confirm(slow, slow_again).reason, HasSubstr("confirmed by fresh pairs"));
  EXPECT_EQ(confirm(slow, quiet).verdict, PairedVerdict::inconclusive);
  EXPECT_THAT(confirm(slow, quiet).reason, HasSubstr("REGRESSED was not confirmed: fresh pairs give PASS"));
  EXPECT_EQ(confirm(slow, fast).verdict, PairedVerdict::inconclusive);
  EXPECT_EQ(confirm(quiet, slow).verdict, PairedVerdict::pass);
}

TEST(Paired, ReasonsSayWhatStoodInTheWay) {
  EXPECT_THAT(compare_one(series_of(1.1)).reason, HasSubstr(" % is beyond +2.00 %, p "));
  EXPECT_THAT(compare_one(series_of(0.9)).reason, HasSubstr(" % is beyond -1.96 %, p "));
  EXPECT_THAT(compare_one(series_of(1.0, 40, 0.2)).reason, HasSubstr("is not within +5.00 %, and "));
  EXPECT_EQ(compare_one(series_of(1.0)).reason, "");
}

TEST(Paired, VisibleShiftIsSeenAsOftenAsItSays) {
  // A sample's own resolution is rough; the shift it names is flagged about 90 % of the time on average.
  PairedPolicy policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 300;
  PairedPolicy verdict_only = policy;
  verdict_only.resolution_draws = 0;
  int seen = 0, tried = 0;
  for (std::uint64_t draw = 0; draw < 60; ++draw) {
    const double visible = compare_one(series_of(1, 40, 0.02, 1000 + draw), policy).visible_shift.value();
    for (std::uint64_t again = 0; again < 20; ++again, ++tried) {
      const auto fresh = series_of(std::exp(visible), 40, 0.02, 2000 + 20 * draw + again);
      if (compare_one(fresh, verdict_only).verdict == PairedVerdict::regressed) ++seen;
    }
  }
  EXPECT_NEAR(static_cast<double>(seen) / tried, 0.9, 0.04);
}

// Whether ln(b / a) of such times comes out above or below ln(1 + tau) is a matter of the last bit.
TEST(Paired, AShiftOfExactlyAThresholdIsNotBeyondIt) {
  for (const double a : {0.1, 3.0, 7.3, 100.0, 1234.5}) {
    PairedSeries series;
    series.name = "sweep";
    series.clocked = false;
    series.u_a.assign(40, a);
    for (const auto& [factor, verdict] : {std::pair{1.02, PairedVerdict::pass},
                                          {1 / 1.02, PairedVerdict::pass},
                                          {1.0201, PairedVerdict::regressed},
                                          {1 / 1.0201, PairedVerdict::faster}}) {
      series.u_b.assign(40, a * factor);
      EXPECT_EQ(compare_one(series, quick()).verdict, verdict) << a << " x " << factor;
    }
    PairedPolicy policy = quick();
    policy.tau = policy.delta = 0.05;  // exactly delta is not less than delta
    series.u_b.assign(40, a * 1.05);
    EXPECT_EQ(compare_one(series, policy).verdict, PairedVerdict::inconclusive) << a;
  }
}

TEST(Paired, SameSeedSameNumbers) {
  const PairedSeries series = series_of(1.02, 30, 0.03);
  PairedPolicy other = quick();
  other.seed = 43;
  const auto first = compare_one(series), again = compare_one(series), reseeded = compare_one(series, other);
  EXPECT_EQ(first.bootstrap->lower, again.bootstrap->lower);
  EXPECT_EQ(first.visible_shift, again.visible_shift);
  EXPECT_NE(first.visible_shift, reseeded.visible_shift);
  EXPECT_EQ(first.interval.lower, reseeded.interval.lower);
  EXPECT_EQ(reseeded.bootstrap->seed, 43u);
}

TEST(Paired, RefusesBadInputNamingCaseAndField) {
  const auto message = [](auto change) {
    PairedSeries series = series_of(1.0);
    change(series);
    return error_of(ErrorKind::input, [&] { compare_one(series); });
  };
  EXPECT_EQ(message([](auto& s) { s.u_b[3] = std::nan(""); }),
            "sweep: u_b[3] is nan, must be finite and above 0");
  EXPECT_EQ(message([](auto& s) { s.u_a[0] = -1; }), "sweep: u_a[0] is -1, must be finite and above 0");
  EXPECT_EQ(message([](auto& s) { s.u_a[0] = 0; }), "sweep: u_a[0] is 0, must be finite and above 0");
  EXPECT_EQ(message([](auto& s) { s.u_b.pop_back(); }), "sweep: u_b: 39 values, but u_a has 40");
  EXPECT_EQ(message([](auto& s) { s.u_a = s.u_b = {}; }), "sweep: u_a: empty");
  EXPECT_EQ(message([](auto& s) { s.u_a = s.u_b = Values(7, 1.0); }),
            "sweep: pairs: 7 are too few: 1 case x 1 look at alpha 0.01 need 8");
  EXPECT_EQ(message([](auto& s) { s.u_a.assign(40, 1e-200), s.u_b.assign(40, 1e200); }),
            "sweep: ln(u_b / u_a)[0] is inf, must be finite");
  EXPECT_EQ(error_of(ErrorKind::input, [] { compare_pairs({}, {}); }), "series: empty");
  PairedSeries bad_tau = series_of(1.0);
  bad_tau.tau = -1;
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { compare_one(bad_tau); }),
            "sweep: tau is -1, must be at least 0");
}

}  // namespace
}  // namespace aqbench
