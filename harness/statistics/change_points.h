#pragma once
// Where a history of measurements changed its level.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace aqbench {

// Fleming, Kolaczkowski et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
// ICPE 2023: E-divisive splits (Matteson and James, JASA 109, 2014) inside overlapping windows, tested with
// Student's t, then merged bottom-up. Unlike Hunter, standard deviations are with n - 1, and a level has at
// least two values.

// What counts as a change.
struct ChangePointOptions {
  std::size_t window = 50;      // values that are looked at together; windows overlap by half
  double candidate_p = 0.01;    // a split is tried if its p is at most this,
  double max_p = 0.001;         // and kept if its p is at most this once the weaker splits are merged
  double min_change = 0.05;     // and if it changes the mean by this share of the smaller mean
  std::size_t min_segment = 2;  // values on each side of a split
};

// Throws Error(usage) naming the field unless window >= 2 min_segment, min_segment >= 2,
// 0 < max_p <= candidate_p < 1 and min_change >= 0.
void check(const ChangePointOptions& options);

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

// Returns the change points of `history`, which is oldest first, in ascending order. A split is chosen
// because it is the best one, so its p is no error rate: of histories of independent normal noise 1.5 % with
// 50 values and 5 % with 100 have a split at p <= .001, of 1000 of which min_change leaves none at a cv
// of 1.1 %, 2 and 9 at 3 %. Throws Error(input) "history[3] is nan, must be finite", Error(usage) as check().
std::vector<ChangePoint> detect_change_points(std::span<const double> history,
                                              const ChangePointOptions& options = {});

// How the newest level differs from the level of a pinned release.
struct PinnedComparison {
  std::size_t pinned_begin = 0, pinned_end = 0;  // the pinned release's level: [begin, end)
  std::size_t newest_begin = 0;                  // the newest level goes from here to the end
  LevelChange level;
  bool changed = false;  // p <= max_p and magnitude >= min_change
};
// Compares the newest level with the level that `pinned`, an index into history, belongs to. If no change
// point lies between them, p is 1 and the means are equal. Throws Error(input) also if pinned is no index or
// history is empty.
PinnedComparison compare_with_pinned(std::span<const double> history,
                                     std::span<const ChangePoint> change_points, std::size_t pinned,
                                     const ChangePointOptions& options = {});

// Tests two samples with Student's t, two-sided. A sample of one value takes the other's spread; with fewer
// than three values in all p is 1.
LevelChange compare_levels(std::span<const double> before, std::span<const double> after);

// What counts as a step of a noisy history, as a trend shows them. Candidates are many (masked steps, up and
// down again, have a weak split at first) and are judged by max_p alone. Short histories get the larger p,
// since they have no more evidence to give; a long one has more places for a false step. Rates of false steps
// and of steps found: the table in docs/guide.md, tests/harness/statistics/trend_steps_test.cc.
struct TrendStepOptions {
  ChangePointOptions change_points = {50, 0.2, 0.2, 0.03, 2};
  double max_p = 4.5e-4;  // of a step by generalised least squares, in up to 16 runs; of n runs (16 / n)^2
                          // times that, and a tenth at least
  double least_autocorrelation = 0.3;  // between neighbours; what is measured counts where it is more
};

// Returns whether the values do not vary by themselves: neighbours are the same number at least as often as
// they differ.
bool is_bit_equal(std::span<const double> history);

// Returns the steps in ascending order. Of values that are bit-equal every change is one, also one that is
// taken back at once; its p is 0. Else a step is a change point (change_points.h) whose p by generalised
// least squares over all levels, with the measured autocorrelation (Prais and Winsten 1954), is small enough;
// of logarithms where all values are positive. Throws as detect_change_points().
std::vector<ChangePoint> detect_steps(std::span<const double> history, const TrendStepOptions& options = {});

// Returns the correlation of neighbours around the levels between the steps, corrected for its bias in short
// series, between `least` and 0.95.
double autocorrelation_of(std::span<const double> history, std::span<const ChangePoint> steps, double least);

}  // namespace aqbench
