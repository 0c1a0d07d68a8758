#pragma once
// Checks how verdicts on metrics behave, from A/A pairs: how often metrics of the same program are called
// different, and how often a change as large as the margin is seen.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/statistics/aa_validation.h"

namespace aqbench {

// How often a change of one metric by its margin, to the worse, is called WORSE.
struct QualityPower {
  std::string metric;
  std::size_t pairs_per_draw = 0;
  std::size_t draws = 0, worse = 0;
};

// The verdicts on draws of all metrics together. `regressed` of an AlarmCount counts the draws in which any
// metric is called WORSE or BETTER.
struct QualityCheck {
  AlarmCount separate;               // blocks that share no pair, as they were measured
  AlarmCount simulated;              // random blocks, with the coin of each pair thrown anew
  std::vector<QualityPower> powers;  // by metric, then by growing number of pairs
  bool no_noise = false;             // the two values of each pair are equal, in every metric
};

// Returns the lower end of the 95 % interval of a rate of alarms (one-sided, exact); 0 without blocks.
double rate_lower(const AlarmCount& count);

// Makes request.draws draws of request.pairs_per_draw pairs. In each pair a coin decides anew which unit is
// called B, for all metrics alike; all metrics of a draw are judged together. Then makes a quarter as many
// draws of this size, of twice and of four times this size, as far as three blocks of such a size were
// measured, in which B is worse by its margin in one metric. All series have a quality scale and equally many
// pairs. request.injected_ratio is not used. Throws as check_blocks().
QualityCheck check_quality(std::span<const PairedSeries> metrics, const BlockCheckRequest& request,
                           const PairedPolicy& policy);

}  // namespace aqbench
