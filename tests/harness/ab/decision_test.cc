#include "harness/ab/decision.h"

#include <algorithm>

#include "tests/harness/ab/documents.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using test::case_json;
using test::noisy_units;
using test::samples_of;
using test::Units;
using ::testing::HasSubstr;

AbSettings one_look() {
  AbSettings settings;
  settings.confirm = false;
  return settings;
}

AbTimeDecision decide_one(const Units& units, const AbSettings& settings) {
  return test::decide_times(samples_of({case_json("x", units)}), settings).front().value();
}

TEST(AbDecision, AUnitWithoutARunIsRefused) {
  AbSamples samples = samples_of({case_json("x", noisy_units(20, 1, 1))});
  samples.units[3].timing.warm_ms.clear();
  EXPECT_THAT(test::error_of(ErrorKind::input, [&] { test::decide_times(samples, one_look()); }),
              HasSubstr("has status ok and no run"));
}

TEST(AbDecision, HolmIsOverAllCasesUnlessEachStandsAlone) {
  std::vector<Json> cases = {case_json("x", noisy_units(40, 1.06, 1))};
  for (unsigned i = 0; i < 4; ++i)
    cases.push_back(case_json("y" + std::to_string(i), noisy_units(40, 1, 10 + i)));
  AbSettings settings = one_look();
  const auto together = test::decide_times(samples_of(cases), settings);
  EXPECT_DOUBLE_EQ(together[0]->comparison->p_worse_holm, 5 * together[0]->comparison->p_worse);
  settings.separately = true;
  const auto alone = test::decide_times(samples_of(cases), settings);
  EXPECT_EQ(alone[0]->comparison->p_worse_holm, alone[0]->comparison->p_worse);
}

TEST(AbDecision, AFlagNeedsFreshPairs) {
  AbSettings settings;
  settings.confirm = true;
  const Units slow = noisy_units(40, 1.06, 1), same = noisy_units(40, 1, 2);
  const auto unconfirmed = decide_one(slow, settings);
  EXPECT_EQ(unconfirmed.verdict, PairedVerdict::inconclusive);
  EXPECT_TRUE(unconfirmed.wants_confirmation);

  Json confirmed = case_json("x", slow);
  confirmed["confirmation_a"] = noisy_units(40, 1.06, 3).a;
  confirmed["confirmation_b"] = noisy_units(40, 1.06, 3).b;
  EXPECT_EQ(test::decide_times(samples_of({confirmed}), settings)[0]->verdict, PairedVerdict::regressed);

  Json refuted = confirmed;
  refuted["confirmation_a"] = same.a;
  refuted["confirmation_b"] = same.b;
  const auto decision = test::decide_times(samples_of({refuted}), settings)[0].value();
  EXPECT_EQ(decision.verdict, PairedVerdict::inconclusive);
  EXPECT_THAT(decision.reason, HasSubstr("was not confirmed"));
}

// Moves the pairs from `from` on to the second look.
AbSamples with_second_look(AbSamples samples, std::size_t from) {
  for (Record& unit : samples.units)
    if (unit.unit->pair >= from) unit.unit->look = 2;
  return samples;
}

TEST(AbDecision, ATopUpIsJudgedWithAllPairsAtItsShareOfAlpha) {
  AbSettings settings = one_look();
  settings.policy.looks = 2;
  const Units units = noisy_units(80, 1.03, 9, 0.1);
  const auto first = decide_one(
      {{units.a.begin(), units.a.begin() + 20}, {units.b.begin(), units.b.begin() + 20}}, settings);
  ASSERT_EQ(first.verdict, PairedVerdict::inconclusive);
  EXPECT_TRUE(first.wants_top_up);
  const auto second =
      test::decide_times(with_second_look(samples_of({case_json("x", units)}), 20), settings)[0].value();
  EXPECT_EQ(second.look, 2);
  EXPECT_EQ(second.comparison->measured_pairs, 80u);
  EXPECT_DOUBLE_EQ(second.comparison->level, settings.policy.alpha / 2);
  EXPECT_FALSE(second.wants_top_up);
}

TEST(AbDecision, MeasuringOnAfterAVerdictIsRefused) {
  AbSettings settings = one_look();
  settings.policy.looks = 2;
  const AbSamples samples = with_second_look(samples_of({case_json("x", noisy_units(60, 1, 3))}), 30);
  EXPECT_THAT(test::error_of(ErrorKind::input, [&] { test::decide_times(samples, settings); }),
              HasSubstr("after it had been decided"));
  settings.policy.looks = 1;
  EXPECT_THAT(test::error_of(ErrorKind::input, [&] { test::decide_times(samples, settings); }),
              HasSubstr("after it had been decided"));
}

// Pairs that have these ln u_b - ln u_a.
Units with_differences(const std::vector<double>& differences) {
  Units units;
  for (const double difference : differences) {
    units.a.push_back(10);
    units.b.push_back(10 * std::exp(difference));
  }
  return units;
}

Record failed_unit_of(std::size_t case_index, int look, std::size_t pair) {
  Record unit = unit_record();
  unit.unit->case_index = case_index;
  unit.unit->look = look;
  unit.unit->pair = pair;
  unit.status = Status::timeout;
  return unit;
}

void append_units(Units& units, const Units& more) {
  units.a.insert(units.a.end(), more.a.begin(), more.a.end());
  units.b.insert(units.b.end(), more.b.begin(), more.b.end());
}

TEST(AbDecision, ACaseThatFailsLaterDoesNotChangeAnEarlierLook) {
  AbSettings settings = one_look();
  settings.policy.looks = 3;
  // Two of the 2^10 signs give a rank sum as large: p = 0.00195, below alpha / 3 alone and above it with
  // Holm.
  Units x = with_differences({0.061, 0.069, -0.001, 0.068, 0.062, 0.067, 0.063, 0.066, 0.064, 0.065});
  const Units y = noisy_units(10, 1.02, 4, 0.2);
  const auto alone = decide_one(x, settings);
  EXPECT_DOUBLE_EQ(alone.comparison->p_worse, 2 / 1024.0);
  EXPECT_EQ(alone.verdict, PairedVerdict::regressed);
  const auto first = test::decide_times(samples_of({case_json("x", x), case_json("y", y)}), settings);
  EXPECT_DOUBLE_EQ(first[0]->comparison->p_worse_holm, 4 / 1024.0);
  ASSERT_TRUE(first[0]->wants_top_up);
  ASSERT_TRUE(first[1]->wants_top_up);

  append_units(x, noisy_units(10, 1.06, 1));
  AbSamples samples = with_second_look(samples_of({case_json("x", x), case_json("y", y)}), 10);
  samples.units.push_back(failed_unit_of(1, 2, 10));
  const auto second = test::decide_times(samples, settings);
  EXPECT_EQ(second[0]->look, 2);
  EXPECT_EQ(second[0]->comparison->measured_pairs, 20u);
  EXPECT_EQ(second[0]->comparison->p_worse_holm, second[0]->comparison->p_worse) << "y had failed by then";
  EXPECT_FALSE(second[1]);
}

TEST(AbDecision, ACaseThatFailsInItsConfirmationStaysInTheLooks) {
  AbSettings settings = one_look();
  settings.policy.looks = 2;
  const Units y = with_differences({0.060, 0.069, 0.061, 0.068, 0.062, 0.067, 0.063, 0.066, 0.064, 0.065});
  Units x = noisy_units(10, 1.02, 4, 0.2);
  append_units(x, noisy_units(40, 1.06, 1));
  AbSamples samples = with_second_look(samples_of({case_json("x", x), case_json("y", y)}), 10);
  const auto before = test::decide_times(samples, settings);
  ASSERT_EQ(before[1]->verdict, PairedVerdict::regressed);
  ASSERT_EQ(before[0]->look, 2);
  ASSERT_LT(before[0]->comparison->p_worse, before[1]->comparison->p_worse);
  EXPECT_DOUBLE_EQ(before[0]->comparison->p_worse_holm, 2 * before[0]->comparison->p_worse);
  samples.units.push_back(failed_unit_of(1, 0, 0));
  const auto after = test::decide_times(samples, settings);
  EXPECT_EQ(after[0]->comparison->p_worse_holm, before[0]->comparison->p_worse_holm);
  EXPECT_FALSE(after[1]);
}

TEST(AbDecision, TooFewPairsAreInconclusiveAndFailedCasesAreNone) {
  const auto few = decide_one(noisy_units(7, 1.5, 1), one_look());
  EXPECT_EQ(few.verdict, PairedVerdict::inconclusive);
  EXPECT_THAT(few.reason, HasSubstr("7 pairs measured, a verdict needs 8"));
  AbSamples samples =
      samples_of({case_json("x", noisy_units(20, 1, 1)), case_json("y", noisy_units(20, 1, 2))});
  samples.units.back().status = Status::crashed;
  const auto decisions = test::decide_times(samples, one_look());
  EXPECT_TRUE(decisions[0]);
  EXPECT_FALSE(decisions[1]);
}

TEST(AbDecision, NamesTheStageThatMoved) {
  AbSamples samples = samples_of({case_json("x", noisy_units(40, 1, 1))});
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  for (Record& unit : samples.units) {
    const double slow = unit.unit->side == AbSide::b ? 1.2 : 1;
    const auto noisy = [&](double ms) {
      return std::vector<double>{ms * std::exp(0.005 * normal(generator))};
    };
    unit.stages = {self_times("match", noisy(4 * slow)), self_times("fuse", noisy(3)),
                   self_times("tiny", {0.002})};
    if (unit.unit->side == AbSide::b) unit.stages.push_back(self_times("extra", {1}));
  }
  const auto stages = test::decide_times(samples, one_look())[0]->stages;
  ASSERT_EQ(stages.size(), 4u);
  EXPECT_EQ(stages[0].comparison->verdict, PairedVerdict::regressed);
  EXPECT_NEAR(stages[0].change_ms, 0.8, 0.03);
  EXPECT_EQ(stages[1].comparison->verdict, PairedVerdict::pass);
  EXPECT_FALSE(stages[2].comparison);
  EXPECT_THAT(stages[2].reason, HasSubstr("too short for the clock"));
  EXPECT_THAT(stages[3].reason, HasSubstr("A does not run it"));
}

std::vector<double> differences_of(const Units& units) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < units.a.size(); ++i)
    differences.push_back(std::log(units.b[i]) - std::log(units.a[i]));
  return differences;
}

// P(W+ >= observed) over all 2^n signs of the ranks.
double enumerated_p(const std::vector<double>& differences) {
  std::vector<double> ranks(differences.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i] = 1 + static_cast<double>(std::ranges::count_if(
                       differences, [&](double d) { return std::abs(d) < std::abs(differences[i]); }));
  double observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (differences[i] > 0) observed += ranks[i];
  std::size_t at_least = 0;
  const std::size_t all = std::size_t{1} << ranks.size();
  for (std::size_t signs = 0; signs < all; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if ((signs >> i & 1) != 0) sum += ranks[i];
    if (sum >= observed) ++at_least;
  }
  return static_cast<double>(at_least) / static_cast<double>(all);
}

double listed_hodges_lehmann(const std::vector<double>& d) {
  std::vector<double> walsh;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = i; j < d.size(); ++j) walsh.push_back((d[i] + d[j]) / 2);
  std::ranges::sort(walsh);
  const std::size_t n = walsh.size();
  return n % 2 == 1 ? walsh[n / 2] : (walsh[n / 2 - 1] + walsh[n / 2]) / 2;
}

TEST(AbDecision, PAndShiftAreThoseOfListsAndEnumeration) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Units units = noisy_units(10 + seed % 5, seed % 3 == 0 ? 1.0 : 1.004, seed);
    const std::vector<double> kept = differences_of(units);
    const AbTimeDecision decision = decide_one(units, one_look());
    ASSERT_TRUE(decision.comparison);
    EXPECT_NEAR(decision.comparison->p_worse, enumerated_p(kept), 1e-12);
    EXPECT_NEAR(decision.comparison->shift, listed_hodges_lehmann(kept), 1e-12);
    EXPECT_EQ(decision.comparison->kept.size(), kept.size());
  }
}

TEST(AbDecision, GivesTheFourVerdicts) {
  EXPECT_EQ(decide_one(noisy_units(40, 1.06, 1), one_look()).verdict, PairedVerdict::regressed);
  EXPECT_EQ(decide_one(noisy_units(40, 0.94, 2), one_look()).verdict, PairedVerdict::faster);
  EXPECT_EQ(decide_one(noisy_units(40, 1, 3), one_look()).verdict, PairedVerdict::pass);
  EXPECT_EQ(decide_one(noisy_units(20, 1.02, 4, 0.2), one_look()).verdict, PairedVerdict::inconclusive);
}

TEST(AbDecision, TheGatesPolicyFailsOneOhSixAndPassesOneOhFour) {
  AbSettings gate = one_look();
  gate.policy = paired_policy("gate");
  EXPECT_EQ(decide_one(noisy_units(40, 1.06, 5, 0.004), gate).verdict, PairedVerdict::regressed);
  EXPECT_EQ(decide_one(noisy_units(40, 1.04, 6, 0.004), gate).verdict, PairedVerdict::pass);
  EXPECT_EQ(decide_one(noisy_units(40, 1.04, 6, 0.004), one_look()).verdict, PairedVerdict::regressed)
      << "the sensitive policy flags 4 %";
}

}  // namespace
}  // namespace aqbench
