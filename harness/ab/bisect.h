#pragma once
// Which commit made a program slower, or its results worse: a bisection whose every step is a paired
// comparison with the good commit.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/statistics/paired.h"

namespace aqbench {

// The chance of a wrong verdict of each comparison, over all its looks.
inline constexpr double kBisectAlpha = 0.01;

// How commits are compared.
struct BisectOptions {
  std::optional<QualityScale> quality = {};  // of a metric; its margin then takes the place of tau
  std::size_t pairs = 16;                    // of the first look; three more double them
};

// Where a commit stands.
enum class BisectVerdict {
  like_good,  // certainly less than half of the whole change
  like_bad,   // certainly more
  open,       // neither, after all looks
  skipped,    // it does not build or run
};
std::string to_string(BisectVerdict verdict);  // "like good", ...

// One commit that was tested.
struct BisectStep {
  std::size_t commit = 0;  // index; 0 is the good one, the last one the bad one
  BisectVerdict verdict = BisectVerdict::skipped;
  std::optional<PairedComparison> comparison;  // nullopt if it was skipped
  std::string reason = {};                     // why it was skipped
};

// What a bisection found.
struct Bisection {
  std::vector<BisectStep> steps;             // in the order of the tests; the first is of the bad commit
  bool differs = false;                      // the bad commit is certainly worse; else nothing was searched
  std::size_t last_good = 0, first_bad = 0;  // neighbours, or the ends of a range that stays open
  bool is_one_commit() const { return differs && first_bad == last_good + 1; }
};

// The times of pairs of the good commit and another one, measured by turns; of a metric its values by seed.
struct BisectPairs {
  std::vector<double> good, other;
  std::string failure = {};  // why the commit cannot be measured; else ""
};

// Measures so many more pairs of this commit, numbered from `first`.
using BisectMeasure = std::function<BisectPairs(std::size_t commit, std::size_t first, std::size_t pairs)>;

// Finds the first bad one of commits 0 to `commits` - 1, at least 2. The interval of the shift
// (compare_pairs(), over all pairs, wider where they follow one another) has the confidence 1 - alpha over
// all looks. The bad commit must be worse than the good one by more than 2 %, or the metric's margin: without
// a change a commit is blamed with a chance of at most alpha. Then the commit in the middle is bad if its
// shift is certainly above half of the whole, good if it is certainly below. A commit that stays open or
// cannot be measured is left out, and the one nearest to the middle is tested in its place. `tested` gets
// each step. Throws Error(input) where the bad commit cannot be measured.
Bisection bisect(std::size_t commits, const BisectMeasure& measure, const BisectOptions& options,
                 const std::function<void(const BisectStep&)>& tested = {});

}  // namespace aqbench
