#pragma once
// --quick: a comparison that ends within a minute.

#include <cstddef>
#include <string>

#include "cli/ab/sides.h"
#include "core/stopwatch.h"

namespace aqbench::cli {

// Returns the seconds that --quick takes for its pairs and their trial: 55, or $AQBENCH_QUICK_S.
double quick_s();

// Thrown where a minute is too short for one pair: what is said in place of a verdict.
struct QuickEnd {
  std::string statement;
};

// Returns how many pairs of `pair_s` seconds --quick has time for after `spent_s`.
std::size_t quick_pairs(double pair_s, double spent_s);

// Returns the limit of a unit that must end with the minute, in seconds, or `own_s` where that is less.
double quick_timeout(double own_s, double spent_s);

// Plans one look without a confirmation.
void plan_one_look(AbDocument& document);

// Plans twice as many pairs of `judged` quantities as fit by the time of a trial, since runs of a trial take
// longer than later ones; the clock ends them. Without a confirmation, in up to six looks, each of 12 pairs
// or as many more as it needs for a verdict, and in one where there are too few for two. Says so on stderr.
void plan_quick_pairs(std::size_t fitting, std::size_t judged, AbDocument& document);

// Ends a measurement with the minute that began at `start`, before a pair that would not be done by then;
// each case gets one. When it ends depends on the times of both sides alike, so that an exact test stays one.
class QuickClock {
 public:
  QuickClock(SteadyClock::time_point start, std::size_t cases) : start_(start), cases_(cases) {}

  // Returns a runner that gives no further pair when the minute is over.
  AbUnitRunner limited(AbUnitRunner run);
  void end_pair();
  // Returns whether it ended the measurement.
  bool ended() const { return ended_; }

 private:
  SteadyClock::time_point start_;
  std::size_t cases_ = 0, pairs_ = 0;
  bool half_ = false, ended_ = false;
};

// Returns what settles a comparison whose pairs take `pair_s` each. `document` must have the settings that it
// would run with.
Settling settling(const Arguments& arguments, const AbDocument& document, double pair_s);

// Plans both sides of a comparison of cases and measures a first pair of each, which counts. Where a minute
// has room for enough pairs of usual units, these are taken; else each unit is one run, and the cases that
// got no first pair are left out, with a note. `settle` gets settling(). Throws QuickEnd where not
// even one pair was done, and as plan_ab_sides().
AbSides plan_quick_sides(const AbRequest& request, const Arguments& arguments, int cancel_descriptor,
                         AbDocument& document, Settling& settle);

// Adds notes to a measured document where it has no verdict: how many pairs a minute had room for, what they
// measured, and the command that would settle it.
void note_quick(const Settling& settle, AbDocument& document);

}  // namespace aqbench::cli
