#pragma once
// Where a history of measurements changed its level.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace aqbench {

// The least number of values of a level.
inline constexpr std::size_t kMinLevelValues = 2;

// How two levels differ.
struct LevelChange {
  double mean_before = 0;
  double mean_after = 0;
  std::optional<double> change;  // mean_after / mean_before - 1; nullopt where mean_before is 0
  double magnitude = 0;          // |difference| / smaller |mean|; infinite where that is 0
  double p = 1;                  // of Student's t-test, two-sided, equal variances
};

// One change.
struct ChangePoint {
  std::size_t index = 0;  // of the first value of the new level
  LevelChange level;      // from the change point before this one to the one after it
};

// How the newest level differs from the level of a pinned release.
struct PinnedComparison {
  std::size_t pinned_begin = 0, pinned_end = 0;  // the pinned release's level: [begin, end)
  std::size_t newest_begin = 0;                  // the newest level goes from here to the end
  LevelChange level;
  bool changed = false;  // as much and as certainly as a step
};
// Compares the newest level with the level that `pinned`, an index into history, belongs to. If no change
// point lies between them, p is 1 and the means are equal.
PinnedComparison compare_with_pinned(std::span<const double> history,
                                     std::span<const ChangePoint> change_points, std::size_t pinned);

// Tests two samples with Student's t, two-sided. A sample of one value takes the other's spread; with fewer
// than three values in all p is 1.
LevelChange compare_levels(std::span<const double> before, std::span<const double> after);

// Returns whether the values do not vary by themselves: neighbours are the same number at least as often as
// they differ.
bool is_bit_equal(std::span<const double> history);

// Returns the steps of `history`, which is oldest first, in ascending order. Of values that are bit-equal
// every change is one, also one that is taken back at once; its p is 0. Else a step is a change point
// (Fleming, Kolaczkowski et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
// ICPE 2023) whose p by generalised least squares over all levels, with the measured autocorrelation (Prais
// and Winsten 1954), is small enough; of logarithms where all values are positive. Rates of false steps and
// of steps found: the table in docs/guide.md, tests/harness/statistics/trend_steps_test.cc. Throws
// Error(input) "history[3] is nan, must be finite".
std::vector<ChangePoint> detect_steps(std::span<const double> history);

}  // namespace aqbench
