// How often whole comparisons of one case are wrong, for each time that can decide: simulated units go
// through the looks, the confirmation and the report as measured ones do. docs/comparing.md states the
// bounds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "harness/ab/deciding_time.h"
#include "harness/ab/report.h"
#include "harness/ab/run.h"
#include "harness/statistics/pair_plan.h"

namespace aqbench {
namespace {

// Standard deviations of the logarithms of processes; their runs vary by a third of it.
struct SimulatedMachine {
  double wall = 0, cpu = 0;
  double load_1m = 0;  // on 2 processors
};
constexpr SimulatedMachine kCalm{0.015, 0.012, 0.5}, kBusy{0.35, 0.045, 8};

// A unit of three runs whose times are those of `slower` times as much work. A tenth of the processes is
// disturbed twice as much.
Record simulated_unit(const SimulatedMachine& machine, double slower, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  const double tail = generator() % 10 == 0 ? 2 : 1;
  const double wall = tail * machine.wall * normal(generator), cpu = tail * machine.cpu * normal(generator);
  std::vector<double> wall_ms, cpu_ms;
  for (int run = 0; run < 3; ++run) {
    cpu_ms.push_back(8 * slower * std::exp(cpu + machine.cpu / 3 * normal(generator)));
    wall_ms.push_back(10 * slower * std::exp(wall + machine.wall / 3 * normal(generator)));
  }
  Record unit = unit_of_times(std::move(wall_ms), std::move(cpu_ms));
  unit.unit->outcomes.push_back({kMemoryOutcome, {100 + 0.1 * normal(generator)}});
  return unit;
}

// The verdict on B with so much more work, as `ab` of one benchmark gives it; with a clock as --quick does
// whose minute is over after so many pairs.
AbVerdict simulated_verdict(DecideBy wanted, const SimulatedMachine& machine, double slower,
                            std::uint64_t seed, std::optional<std::size_t> clock_pairs = {}) {
  std::mt19937_64 generator(seed);
  AbDocument document;
  document.settings.confirm = !clock_pairs;
  if (clock_pairs) document.settings.policy.alpha = kQuickAlpha;
  document.settings.policy.looks = 6;
  document.settings.policy.bootstrap_draws = document.settings.policy.resolution_draws = 0;
  document.settings.outcomes = {{kMemoryOutcome, AbOutcome::Kind::cost, "MiB"}};
  document.samples.order_seed = seed;
  document.samples.cases = {{"x", std::nullopt}};
  choose_deciding_time(
      wanted, MachineLoad{machine.load_1m, 2}, [](const AbCase&) { return std::string(); }, document);
  const auto measure = [&](const AbUnitTask& task) -> std::optional<CaseResult> {
    if (clock_pairs && document.samples.units.size() >= 2 * *clock_pairs) return std::nullopt;
    return CaseResult{simulated_unit(machine, task.side == AbSide::b ? slower : 1, generator), {}};
  };
  const std::size_t pairs =
      std::max<std::size_t>(12, minimum_pairs(document.settings.policy, judged_outcomes(document.settings)));
  run_ab(document.samples, document.settings, pairs, measure, {}, {});
  return judge_ab(document).cases.front().verdict;
}

struct VerdictShares {
  double regressed = 0, good = 0;  // in %; good: PASS and FASTER, exit 0
};

VerdictShares shares_of(DecideBy wanted, const SimulatedMachine& machine, double slower, int draws,
                        bool quick = false) {
  VerdictShares shares;
  for (int draw = 0; draw < draws; ++draw) {
    const auto seed = static_cast<std::uint64_t>(draw);
    const auto clock = quick ? std::optional<std::size_t>(14 + seed * 7 % 61) : std::nullopt;
    const AbVerdict verdict = simulated_verdict(wanted, machine, slower, seed, clock);
    shares.regressed += verdict == AbVerdict::regressed ? 100.0 / draws : 0;
    shares.good += verdict == AbVerdict::pass || verdict == AbVerdict::faster ? 100.0 / draws : 0;
  }
  return shares;
}

// Without a confirmation, looked at every 12 pairs or more and when the clock ends it.
TEST(ErrorRates, QuickFlagsAnEqualProgramAtMostAtItsRate) {
  for (const SimulatedMachine* const machine : {&kCalm, &kBusy}) {
    const VerdictShares equal = shares_of(DecideBy::automatic, *machine, 1, 1000, true),
                        ten = shares_of(DecideBy::automatic, *machine, 1.1, 100, true);
    const std::string of = std::to_string(equal.regressed) + " " + std::to_string(equal.good) + " " +
                           std::to_string(ten.regressed);
    EXPECT_LE(equal.regressed, 100 * kQuickAlpha) << of;
    EXPECT_GE(ten.regressed, 60) << of;
    EXPECT_EQ(ten.good, 0) << of;
  }
}

TEST(ErrorRates, OfEveryDecidingTimeStayWithinTheBounds) {
  struct Row {
    DecideBy wanted;
    const SimulatedMachine& machine;
    double good_if_equal, regressed_if_10_more;  // at least, in %
  };
  // Left to itself it is wall time where it is calm and both where it is busy.
  for (const Row& row : {Row{DecideBy::automatic, kCalm, 95, 95}, Row{DecideBy::wall, kBusy, 0, 0},
                         Row{DecideBy::cpu, kBusy, 80, 80}, Row{DecideBy::automatic, kBusy, 80, 80}}) {
    const VerdictShares equal = shares_of(row.wanted, row.machine, 1, 250),
                        five = shares_of(row.wanted, row.machine, 1.05, 100),
                        ten = shares_of(row.wanted, row.machine, 1.1, 50);
    const std::string of = "deciding time " + std::to_string(static_cast<int>(row.wanted)) +
                           (row.machine.load_1m > 2 ? ", busy: " : ", calm: ") + std::to_string(equal.good) +
                           " " + std::to_string(five.regressed) + " " + std::to_string(ten.regressed);
    EXPECT_LE(equal.regressed, 0.4) << of;
    EXPECT_LE(five.good, 1) << of;
    EXPECT_EQ(ten.good, 0) << of;
    EXPECT_GE(equal.good, row.good_if_equal) << of;
    EXPECT_GE(ten.regressed, row.regressed_if_10_more) << of;
  }
}

}  // namespace
}  // namespace aqbench
