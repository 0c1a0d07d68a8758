#pragma once
// The first pairs of a comparison of cases, measured before the plan: how long the whole will take, and what
// the first outputs are. And how many pairs a look has.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "cli/ab/options.h"
#include "core/stopwatch.h"
#include "harness/ab/document.h"
#include "harness/ab/run.h"
#include "harness/records/case_result.h"

namespace aqbench::cli {

// Pairs per look where --pairs is not given and the rule needs no more: without a slow run 23 show that a
// slow mode has less than 20 % of B's runs (find_slow_runs()).
inline constexpr std::size_t kUsualPairs = 24;

// Units that a trial measured, by case and side, which the comparison takes as its first pairs.
using FirstUnits = std::map<std::pair<std::size_t, AbSide>, CaseResult>;

// The first pairs of a trial.
struct FirstPairs {
  SteadyClock::time_point start = SteadyClock::now();
  FirstUnits units = {};
  std::size_t tried = 0;  // cases with a pair, or with a unit that failed
  bool failed = false;    // a unit of the last one did
  double spent_s = 0;     // since the start
};

// Measures a pair of each case as long as `go_on` says so, and says on stderr where the outputs differ, with
// the values that are compared. Throws Error(interrupted).
void measure_first_pairs(const AbUnitRunner& run, const AbDocument& document,
                         const std::function<bool()>& go_on, FirstPairs& pairs);

// Returns a runner that gives these units once, each in place of the first of its case and side.
AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first);

// Returns a time for a reader: "0.25 s", "1:05".
std::string duration_text(double seconds);

// Returns "about 0:10, at most 0:40 with all top-ups and a confirmation" of looks that take so long.
std::string time_needed(const AbDocument& document, double look_s);

// Plans as many pairs for each look as --pairs says, else 24 (of one case 12, in six looks) or as many as the
// rule needs for so many judged quantities. Throws Error(usage) for too few pairs and for more than can be
// tested exactly.
void plan_pairs_per_look(const AbRequest& request, std::size_t judged, AbDocument& document);

// Returns how many looks the policy has bootstrap draws for.
int max_bootstrap_looks(const PairedPolicy& policy);

// Returns what a loaded machine means for a comparison: which change it can see, by the spread of the runs of
// these units.
std::string load_warning(const MachineLoad& load, const AbDocument& document, const FirstUnits& units);

// Prints load_warning() on stderr where programs wait for a processor.
void warn_of_load(const AbDocument& document, const FirstUnits& units);

// Measures first pairs for half a minute at most, and says on stderr how long the comparison will take.
// `document` must have its cases, settings and pairs per look. A unit that fails ends the trial: the
// comparison will say why. Throws Error(interrupted).
void estimate_by_first_pairs(AbUnitRunner& runner, AbDocument& document);

}  // namespace aqbench::cli
