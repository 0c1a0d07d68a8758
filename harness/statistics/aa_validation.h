#pragma once
// How a paired comparison behaves on this machine, from A/A runs: a threshold for each case, and how often
// the rule flags what it should not or misses what it should see.

#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/paired.h"
#include "harness/statistics/policy.h"

namespace aqbench {

// The threshold of one case.
struct CaseTau {
  std::size_t aa_runs = 0;
  // The 99th percentile of |shift| by nearest rank, so the largest of up to 100 runs; nullopt without runs.
  std::optional<double> p99_abs_shift;
  double tau = 0;            // max(policy's tau, e^p99 - 1)
  bool above_delta = false;  // the case cannot be gated here: PairedVerdict::refused
};

// Returns the threshold of a case whose A/A runs gave these Hodges-Lehmann shifts, ln(u_b / u_a). Throws
// Error(input) naming aa_shifts if one is not finite, and Error(usage) as check().
CaseTau tau_of_case(std::span<const double> aa_shifts, const PairedPolicy& policy);

// How to draw comparisons from measured pairs. One such comparison is called a draw (in calibration.json and
// on screen a suite): a block of neighbouring pairs, judged as one case. Draws may overlap.
struct BlockCheckRequest {
  std::size_t draws = 2000;
  std::size_t pairs_per_draw = 40;
  double injected_ratio = 1;  // multiplies u_b: 1.05 measures how often a delay of 5 % is seen
  std::uint64_t seed = 42;
};

// How many draws got which verdict.
struct BlockCheck {
  std::size_t draws = 0;
  std::size_t regressed = 0, faster = 0, pass = 0, inconclusive = 0;
  std::size_t confirmed_regressed = 0;  // flagged again in another block, which shares no pair with the first
};

// The number of false alarms in comparisons that share no pair.
struct AlarmCount {
  std::size_t blocks = 0;
  std::size_t regressed = 0;  // called slower

  // Returns the upper end of the 95 % interval of the rate (one-sided, exact: Clopper and Pearson 1934): 15
  // blocks without an alarm bound it by 18 %, and 748 by 0.4 %. 1 without blocks.
  double rate_upper() const;
};

// The confidence of AlarmCount::rate_upper().
inline constexpr double kAlarmConfidence = 0.95;

// Returns how many independent blocks without an alarm bound its rate by `rate`, 0 < rate < 1.
std::size_t blocks_to_bound(double rate);

// Cuts the measured pairs into blocks of neighbours that share no pair, and judges each block as one case.
// Only these blocks are independent, however many draws check_blocks() makes. Throws as compare_pairs().
AlarmCount count_separate_blocks(const PairedSeries& measured, std::size_t pairs_per_draw,
                                 const PairedPolicy& policy);

// Simulates independent blocks from the noise that was measured: neighbouring pairs from a random start, and
// in each pair a coin decides anew which of the two units is called B, as the coin of a comparison does. This
// bounds the rate for noise like that measured, and no other. request.injected_ratio is not used. Throws as
// check_blocks().
AlarmCount simulate_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                           const PairedPolicy& policy);

// Makes draws from measured pairs and judges each. A draw has a random start, so that slow drifts and bursts
// of noise stay in it as they were. Throws as compare_pairs(), and Error(input) naming pairs if there are
// fewer than three blocks of them.
BlockCheck check_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                        const PairedPolicy& policy);

}  // namespace aqbench
