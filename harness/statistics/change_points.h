#pragma once
// Where a history of measurements changed its level.
// Fleming, Kolaczkowski et al., "Hunter: Using Change Point Detection to Hunt for Performance Regressions",
// ICPE 2023: E-divisive splits (Matteson and James, "A nonparametric approach for multiple change point
// analysis of multivariate data", JASA 109, 2014) inside overlapping windows, tested with Student's t, then
// merged bottom-up. Two things differ from Hunter: standard deviations are with n - 1 (with n its p are too
// small), and a level has at least two values, so that one outlier at an end is no change.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace aqbench {

struct ChangePointOptions {
  std::size_t window = 50;      // values looked at together; windows overlap by half
  double candidate_p = 0.01;    // splits are tried while they reach this
  double max_p = 0.001;         // and kept if they reach this once the weaker ones are merged,
  double min_change = 0.05;     // and change the mean by this share of the smaller mean
  std::size_t min_segment = 2;  // values on each side of a split
};

// Throws Error(usage) naming the field: window >= 2 min_segment, min_segment >= 2, 0 < max_p <= candidate_p <
// 1, min_change >= 0.
void check(const ChangePointOptions& options);

// How two levels differ.
struct LevelChange {
  double mean_before = 0;
  double mean_after = 0;
  std::optional<double> change;  // mean_after / mean_before - 1; nullopt where mean_before is 0
  double magnitude = 0;          // |difference| / smaller |mean|; infinite where that is 0
  double p = 1;                  // Student's t, two-sided, equal variances
};

struct ChangePoint {
  std::size_t index = 0;  // of the first value of the new level
  LevelChange level;      // from the change point before it to the one after it
};

// Change points of `history`, oldest first; ascending. The p is that of a split chosen for being the best
// one, so it ranks changes and is no error rate: of histories of independent normal noise, 1.5 % with 50
// values and 5 % with 100 have a split at p <= .001. min_change is what keeps these out: at cv 1.1 % none of
// 1000, at 3 % 2 and 9. Throws Error(input) "history[3] is nan, must be finite", Error(usage) as check().
std::vector<ChangePoint> find_change_points(std::span<const double> history,
                                            const ChangePointOptions& options = {});

// The newest level against the one that a pinned release (index into history) belongs to. p is 1 and the
// means are the same where no change point lies between them. Throws Error(input) also if pinned is not an
// index or history is empty.
struct PinnedComparison {
  std::size_t pinned_begin = 0, pinned_end = 0;  // the pinned release's level, [begin, end)
  std::size_t newest_begin = 0;                  // the newest level, up to the end
  LevelChange level;
  bool changed = false;  // p <= max_p and magnitude >= min_change
};
PinnedComparison compare_with_pinned(std::span<const double> history,
                                     std::span<const ChangePoint> change_points, std::size_t pinned,
                                     const ChangePointOptions& options = {});

// Student's test of two samples, two-sided; a sample of one has no spread of its own, p is 1 for fewer than
// three values in all.
LevelChange compare_levels(std::span<const double> before, std::span<const double> after);

}  // namespace aqbench
