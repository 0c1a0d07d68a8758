#pragma once
// Measures pairs (looks, top-ups, confirmations) until every case is decided.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/ab/decision.h"
#include "harness/records/case_result.h"

namespace aqbench {

// One case is looked at every 12 pairs where neither --pairs nor --looks is given, up to six times: a clear
// answer comes early, and all looks together have the error rate of one.
inline constexpr std::size_t kEarlyPairs = 12;
inline constexpr int kEarlyLooks = 6;

// The alpha of --quick, whose flags no fresh pairs confirm: at most so many equal programs are called slower.
inline constexpr double kQuickAlpha = 0.004;

// How far a comparison is, for the display.
struct AbProgress {
  std::string phase;  // "look 1 of 3", "confirmation"
  std::string case_name;
  std::size_t done_units = 0, planned_units = 0;  // of this phase
  double elapsed_s = 0;                           // since the comparison began
  std::optional<double> eta_s;                    // to the end of this phase; later phases are not known yet
};

// Returns "look 1 of 3: 12/40 units 0:07, 0:21 left  undulating/roma_like/seed=42", at most `columns` wide.
std::string ab_progress_text(const AbProgress& progress, int columns);

// The unit that is wanted.
struct AbUnitTask {
  std::size_t case_index = 0;
  AbSide side = AbSide::a;
  bool score = false;
  // The number of its pair within its case, from 0; those that confirm come after all that looks may take.
  std::size_t draw = 0;
  int look = 1;  // as in UnitOfRecord
  std::size_t pair = 0;
  double limit_s = 0;  // it must end within this time; 0: within the runner's own limit
};
// Runs one case once on one side in a fresh process. Its record has a `unit`; run_ab() fills in the place of
// that, and the name of the case. Returns nullopt after an interruption.
using AbUnitRunner = std::function<std::optional<CaseResult>(const AbUnitTask& task)>;
// Takes the progress; it is called before each unit.
using AbProgressCallback = std::function<void(const AbProgress&)>;

// Takes a fresh pair as soon as it is there: two units, or one unit that failed.
using AbPairKeeper = std::function<void(const std::vector<CaseResult>& pair)>;

// Measures until every case is decided, so many pairs of each case at a look; a confirmation takes as many as
// the flag did. samples.cases is given, and in samples.units what an interrupted run measured before; the
// rest is appended. The cases take turns, pair by pair, so that a slow minute hits all of them alike. The
// first unit of each side of each case is scored. A case ends with its first unit that fails. Returns false
// after an interruption; `samples` then holds the pairs that are complete. Throws Error(input) if the earlier
// units are not what this run would have measured, and whatever `keep` throws.
bool run_ab(AbSamples& samples, const AbSettings& settings, std::size_t pairs_per_look,
            const AbUnitRunner& run, const AbProgressCallback& progress, const AbPairKeeper& keep = {});

// Returns how many pairs a case may get at each look so that all its pairs can still be tested exactly
// (kMaxSignedRankPairs).
std::size_t max_pairs_per_look(int looks);

// Whether samples are what a run would have measured: no pair dropped, added or moved.
struct AbProtocol {
  std::string problem;    // one line about the first difference; empty: there is none
  bool finished = false;  // false: the run would have gone on, so it was interrupted
};
// Follows run_ab() through the samples, taking their times as given.
AbProtocol follow_ab(const AbSamples& samples, const AbSettings& settings, std::size_t pairs_per_look);

}  // namespace aqbench
