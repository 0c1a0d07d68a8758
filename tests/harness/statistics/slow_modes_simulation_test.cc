// What the whole rule says of slow modes, coarse clocks and bad seeds, on simulated machines: the claims and
// the table of docs/comparing.md. Every rate is over seeded draws, so it is the same on every run.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

constexpr std::size_t kRuns = 3;

// Which runs are slow, and how slow. B's usual run is `ratio` times A's.
struct Mode {
  double share_a = 0, share_b = 0, factor = 1;
  double factor_b = 0;      // of B; 0: as A
  bool of_process = false;  // all runs of a unit together
  double ratio = 1;
  double step = 0;  // of the clock, a share of A's typical run
  double float_noise = 0;
};

std::vector<double> runs_of_unit(const Mode& mode, bool is_b, const double* times, std::uint64_t draw,
                                 std::uint32_t unit) {
  std::vector<double> runs;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const auto slot = unit * 8 + static_cast<std::uint32_t>(mode.of_process ? 0 : run);
    const double u = uniform01({91, RandomStream::dropout}, draw, slot);
    double time = 100 * times[run] * (is_b ? mode.ratio : 1);
    if (u < (is_b ? mode.share_b : mode.share_a))
      time *= is_b && mode.factor_b > 0 ? mode.factor_b : mode.factor;
    if (mode.step > 0) {
      const double noise =
          normal_pair({92, RandomStream::dropout}, draw, unit * 8 + static_cast<std::uint32_t>(run))[0];
      time = std::max(1.0, std::round(time / mode.step)) * mode.step * (1 + mode.float_noise * noise);
    }
    runs.push_back(time);
  }
  return runs;
}

PairedSeries simulate_modes(const Mode& mode, std::uint64_t draw, std::size_t pairs) {
  const std::vector<double> times = machine_times(kQuiet, draw, 2 * pairs * kRuns, 93);
  PairedSeries series;
  series.name = "simulated";
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const bool b_first = b_runs_first(draw, pair);
    for (const bool second : {false, true}) {
      const std::size_t unit = 2 * pair + second;
      const bool is_b = b_first != second;
      auto runs = runs_of_unit(mode, is_b, &times[unit * kRuns], draw, static_cast<std::uint32_t>(unit));
      (is_b ? series.u_b : series.u_a).push_back(median_of(runs));
      (is_b ? series.runs_b : series.runs_a).push_back(std::move(runs));
    }
  }
  return series;
}

PairedPolicy only_verdicts(int looks = 1) {
  PairedPolicy policy;
  policy.bootstrap_draws = 0;
  policy.resolution_draws = 0;
  policy.looks = looks;
  return policy;
}

using Verdicts = std::map<PairedVerdict, int>;

int exit_0(const Verdicts& verdicts) {
  int count = 0;
  for (const auto& [verdict, times] : verdicts)
    if (verdict == PairedVerdict::pass || verdict == PairedVerdict::faster) count += times;
  return count;
}

// All pairs in one look.
Verdicts at_once(const Mode& mode, std::size_t pairs, int draws) {
  Verdicts verdicts;
  for (int draw = 0; draw < draws; ++draw) {
    const PairedSeries series = simulate_modes(mode, static_cast<std::uint64_t>(draw), pairs);
    ++verdicts[compare_pairs(std::span(&series, 1), only_verdicts()).front().verdict];
  }
  return verdicts;
}

PairedSeries first_pairs(PairedSeries series, std::size_t pairs) {
  for (auto* const units : {&series.u_a, &series.u_b}) units->resize(pairs);
  for (auto* const runs : {&series.runs_a, &series.runs_b}) runs->resize(pairs);
  return series;
}

// As `aqbench ab` looks: after 24, 48 and 72 pairs, until it is decided.
Verdicts in_three_looks(const Mode& mode, int draws, std::size_t looks = 3) {
  constexpr std::size_t kPairs = 24;
  Verdicts verdicts;
  const PairedPolicy policy = only_verdicts(3);
  for (int draw = 0; draw < draws; ++draw) {
    const PairedSeries all = simulate_modes(mode, static_cast<std::uint64_t>(draw), 3 * kPairs);
    auto verdict = PairedVerdict::inconclusive;
    for (std::size_t look = 1; look <= looks && verdict == PairedVerdict::inconclusive; ++look) {
      const PairedSeries series = first_pairs(all, look * kPairs);
      verdict = compare_pairs(std::span(&series, 1), policy).front().verdict;
    }
    ++verdicts[verdict];
  }
  return verdicts;
}

// Seeds of a metric with 1 % of noise; B is 20 times worse in some: exactly `bad`, or each with the chance
// `share`. A is 1.2 times worse as often, `also_a`.
Verdicts of_seeds(std::size_t seeds, std::size_t bad, double share, int draws, bool also_a = false) {
  Verdicts verdicts;
  for (int draw = 0; draw < draws; ++draw) {
    const auto key = static_cast<std::uint64_t>(draw);
    const std::vector<double> z = normal_sample(key, 2 * seeds, 94);
    PairedSeries series;
    series.name = "rmse";
    series.quality = QualityScale{};
    for (std::size_t i = 0; i < seeds; ++i) {
      const bool worse =
          i < bad || uniform01({95, RandomStream::dropout}, key, static_cast<std::uint32_t>(i)) < share;
      const bool worse_a =
          also_a && uniform01({96, RandomStream::dropout}, key, static_cast<std::uint32_t>(i)) < share;
      series.u_a.push_back(std::exp(0.01 * z[2 * i]) * (worse_a ? 1.2 : 1));
      series.u_b.push_back(std::exp(0.01 * z[2 * i + 1]) * (worse ? 20 : 1));
    }
    ++verdicts[compare_pairs(std::span(&series, 1), only_verdicts()).front().verdict];
  }
  return verdicts;
}

// ---- The table ----

std::string table_row(const std::string& what, Verdicts verdicts, int draws) {
  std::string row = fmt::format("| {} |", what);
  for (const PairedVerdict verdict : {PairedVerdict::pass, PairedVerdict::faster, PairedVerdict::trade,
                                      PairedVerdict::inconclusive, PairedVerdict::regressed})
    row += fmt::format(" {:.1f} |", 100.0 * verdicts[verdict] / draws);
  return row + "\n";
}

constexpr Mode kSpikes = {.share_a = 0.05, .share_b = 0.05, .factor = 3};

TEST(SlowModes, TheTableOfTheDocumentsIsWhatTheRuleSays) {
  constexpr int kDraws = 500;
  std::string table =
      "| simulated, % of 500 comparisons | PASS | FASTER | TRADE | INCONCLUSIVE | REGRESSED |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  table += table_row("the same on both sides, one look (24 pairs)", in_three_looks({}, kDraws, 1), kDraws);
  table += table_row("spikes (x 3) in 5 % of the runs of both, one look", in_three_looks(kSpikes, kDraws, 1),
                     kDraws);
  table += table_row("the same, three looks (72 pairs)", in_three_looks(kSpikes, kDraws), kDraws);
  const auto at_60 = [&](const std::string& what, const Mode& mode) {
    table += table_row(what + ", 60 pairs", at_once(mode, 60, kDraws), kDraws);
  };
  at_60("x 1.3 in 20 % of B's processes", {.share_b = 0.2, .factor = 1.3, .of_process = true});
  at_60("x 10 in 20 % of B's processes", {.share_b = 0.2, .factor = 10, .of_process = true});
  at_60("x 10 in 10 % of B's processes", {.share_b = 0.1, .factor = 10, .of_process = true});
  at_60("x 10 in 5 % of B's processes", {.share_b = 0.05, .factor = 10, .of_process = true});
  at_60("x 2 in 40 % of B's processes, else 4 % faster",
        {.share_b = 0.4, .factor = 2, .of_process = true, .ratio = 0.96});
  at_60("x 2 in 40 % of A's processes, B 4 % faster than A's others",
        {.share_a = 0.4, .factor = 2, .of_process = true, .ratio = 0.96});
  at_60("x 2 in 40 % of A's processes, B 4 % slower than A's others",
        {.share_a = 0.4, .factor = 2, .of_process = true, .ratio = 1.04});
  const auto sizes = [&](double share, double factor_a, double factor_b) {
    const Mode mode = {.share_a = share, .share_b = share, .factor = factor_a, .factor_b = factor_b};
    table += table_row(fmt::format("{:.0f} % of the runs of both slow, A's x {}, B's x {}, 72 pairs",
                                   100 * share, factor_a, factor_b),
                       at_once(mode, 72, kDraws), kDraws);
  };
  sizes(0.05, 1.15, 10);
  sizes(0.2, 1.2, 5);
  sizes(0.2, 5, 5);
  table += table_row("a clock that steps by 10 % of a run, B 6 % slower, 40 pairs",
                     at_once({.ratio = 1.06, .step = 0.1}, 40, kDraws), kDraws);
  EXPECT_THAT(read_file(std::string(AQBENCH_SOURCE_DIR) + "/docs/comparing.md"), ::testing::HasSubstr(table));
}

TEST(SlowModes, TheTableOfBadSeedsIsWhatTheRuleSays) {
  constexpr int kDraws = 500;
  std::string table =
      "| simulated, % of 500 comparisons | EQUIVALENT | BETTER | TRADE | INCONCLUSIVE | WORSE |\n"
      "|---|---:|---:|---:|---:|---:|\n";
  table += table_row("the same on both sides, 40 seeds", of_seeds(40, 0, 0, kDraws), kDraws);
  for (const std::size_t seeds : {40, 80})
    for (const double share : {0.05, 0.1, 0.2}) {
      const Verdicts verdicts = of_seeds(seeds, 0, share, kDraws);
      table += table_row(fmt::format("20 x worse in {:.0f} % of B's seeds, {} seeds", 100 * share, seeds),
                         verdicts, kDraws);
      if (share >= 0.2) {
        EXPECT_LE(exit_0(verdicts), kDraws / 100) << seeds;
      }
    }
  const Verdicts sizes = of_seeds(80, 0, 0.1, kDraws, true);
  table += table_row("x 1.2 in 10 % of A's seeds, x 20 in 10 % of B's, 80 seeds", sizes, kDraws);
  EXPECT_LE(exit_0(sizes), kDraws / 4);
  const Verdicts exactly = of_seeds(40, 4, 0, kDraws);
  EXPECT_LE(exit_0(exactly), kDraws / 100);
  EXPECT_THAT(read_file(std::string(AQBENCH_SOURCE_DIR) + "/docs/comparing.md"), ::testing::HasSubstr(table));
}

// ---- The bars ----

TEST(SlowModes, TheSameOnBothSidesPasses) {
  Verdicts quiet = in_three_looks({}, 500), spiky = in_three_looks(kSpikes, 500);
  EXPECT_GE(quiet[PairedVerdict::pass], 475);
  EXPECT_GE(spiky[PairedVerdict::pass], 450);
  EXPECT_LE(quiet[PairedVerdict::regressed] + spiky[PairedVerdict::regressed], 1);
  EXPECT_GE(in_three_looks({}, 500, 1)[PairedVerdict::pass], 475);  // 24 pairs suffice
}

// The mean of B is above delta in each of these.
TEST(SlowModes, OfBAloneNeverExitWith0) {
  const int draws = 100;
  for (const bool of_process : {false, true})
    for (const double ratio : {1.0, 0.96})
      for (const double share : {0.2, 0.3, 0.45, 0.6})
        for (const double factor : {1.2, 1.5, 3.0, 10.0}) {
          if (share * (factor - 1) <= 0.05) continue;
          const Mode mode = {.share_b = share, .factor = factor, .of_process = of_process, .ratio = ratio};
          EXPECT_LE(exit_0(at_once(mode, of_process ? 60 : 40, draws)), draws / 100)
              << of_process << ", " << share << " x " << factor << ", else " << ratio;
        }
}

// B is faster in 40 % of its runs, and so much slower in the others that its typical unit is.
TEST(SlowModes, AFastModeHidesNoSlowerUnits) {
  for (const bool of_process : {false, true}) {
    const Mode mode = {.share_b = 0.6, .factor = 1.075 / 0.968, .of_process = of_process, .ratio = 0.968};
    EXPECT_EQ(at_once(mode, 40, 100)[PairedVerdict::faster], 0) << of_process;
  }
}

// Where A alone has the mode, B is FASTER by what its usual run is, and a TRADE where that is slower.
TEST(SlowModes, OfAAloneSayWhatTheTypicalRunDoes) {
  for (const bool of_process : {false, true})
    for (const double share : {0.25, 0.6})
      for (const double factor : {1.2, 10.0}) {
        Mode mode = {.share_a = share, .factor = factor, .of_process = of_process};
        const std::size_t pairs = of_process ? 60 : 40;
        int equal_called_faster = 0, traded = 0, faster = 0;
        for (std::uint64_t draw = 0; draw < 100; ++draw) {
          const auto compared = [&](double ratio) {
            mode.ratio = ratio;
            const PairedSeries series = simulate_modes(mode, draw, pairs);
            return compare_pairs(std::span(&series, 1), only_verdicts()).front();
          };
          equal_called_faster += compared(1).verdict == PairedVerdict::faster;
          traded += compared(1.04).verdict == PairedVerdict::trade;
          const PairedComparison better = compared(0.96);
          if (better.verdict != PairedVerdict::faster) continue;
          ++faster;
          EXPECT_GE(shown_shift(better).shift, std::log(0.96) - 0.01);
        }
        EXPECT_LE(equal_called_faster, 1);
        EXPECT_GE(traded, 95) << of_process << ", " << share << " x " << factor;
        EXPECT_GE(faster, 95) << of_process << ", " << share << " x " << factor;
      }
}

TEST(SlowModes, TicksHideNoSlowDown) {
  const int draws = 100;
  for (const double step : {0.01, 0.0123, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5})
    for (const double float_noise : {0.0, 1e-13}) {
      const Mode mode = {.ratio = 1.06, .step = step, .float_noise = float_noise};
      EXPECT_LE(exit_0(at_once(mode, 40, draws)), draws / 100) << step << ", " << float_noise;
    }
  EXPECT_GE(at_once({.step = 0.002}, 40, draws)[PairedVerdict::pass], 95);  // a fine clock disturbs nothing
  EXPECT_GE(at_once({.ratio = 3, .step = 0.5}, 40, draws)[PairedVerdict::regressed],
            95);  // nor what is plain
}

// A plain shift is seen as well as without slow modes.
TEST(SlowModes, APlainShiftIsStillSeen) {
  for (const double ratio : {1.05, 1.1}) {
    EXPECT_GE(at_once({.ratio = ratio}, 20, 300)[PairedVerdict::regressed], 300 * 0.953) << ratio;
    EXPECT_GE(at_once({.ratio = ratio}, 40, 300)[PairedVerdict::regressed], 300 * 0.974) << ratio;
  }
}

}  // namespace
}  // namespace aqbench
