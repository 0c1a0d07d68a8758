#pragma once
// Measures pairs: looks, top-ups, confirmations, until every case is decided.

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "harness/ab/decision.h"

namespace aqbench {

struct AbProgress {
  std::string phase;  // "look 1 of 3", "confirmation"
  std::string case_name;
  std::size_t done_units = 0, planned_units = 0;  // of this phase
  double elapsed_s = 0;                           // of all
  std::optional<double> eta_s;                    // of this phase; what comes after it is not known yet
};

// What the process of one unit gave. Its case, phase, look, pair and side are filled by run_ab().
struct AbUnitAnswer {
  AbUnit unit;
  std::optional<MetricSet> metrics;  // where they were asked for
};

// Runs one case once on one side in a fresh process. nullopt: interrupted.
using AbUnitRunner =
    std::function<std::optional<AbUnitAnswer>(std::size_t case_index, AbSide side, bool score)>;
using AbProgressCallback = std::function<void(const AbProgress&)>;

struct AbRunOptions {
  AbSettings settings;
  std::size_t pairs_per_look = 20;  // of each case; a confirmation takes as many as the flag did
};

// An interrupted run goes on: what it had measured is taken as it is, and every fresh pair is handed over for
// keeping as it comes. Pairs are whole, or one unit that failed.
struct AbRecall {
  const AbSamples* earlier = nullptr;
  std::function<void(std::span<const AbUnit> pair, std::span<const AbOutput> outputs)> keep;
};

// Fills samples.outputs and samples.units; the cases are given. The cases take turns, pair by pair, so that a
// slow minute hits all of them. The first unit of each side of each case is scored. A case ends with its
// first unit that fails. False: interrupted; what is complete of it is in `samples`. Throws Error(input) if
// what is recalled is not what this run would have measured, and what `recall.keep` throws.
bool run_ab(AbSamples& samples, const AbRunOptions& options, const AbUnitRunner& run,
            const AbProgressCallback& progress, const AbRecall& recall = {});

// `pairs` pairs of each case and nothing else: for calibration. Same rules.
bool run_ab_pairs(AbSamples& samples, std::size_t pairs, const AbUnitRunner& run,
                  const AbProgressCallback& progress, const AbRecall& recall = {});

// The most pairs that a case may get at one look, so that its last one can still be tested exactly.
std::size_t most_pairs_per_look(int looks);

// Whether samples are what such a run would have measured, given its times: no pair dropped, added or moved.
struct AbProtocol {
  std::string problem;    // one line; empty: they are
  bool finished = false;  // false: it would have gone on, so it was interrupted
};
AbProtocol follow_ab(const AbSamples& samples, const AbRunOptions& options);
AbProtocol follow_ab_pairs(const AbSamples& samples, std::size_t pairs);

}  // namespace aqbench
