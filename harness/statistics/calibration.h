#pragma once
// What a comparison does here: a case's own tau from A/A runs, and how often suites drawn from measured pairs
// are flagged.

#include <cstdint>
#include <optional>
#include <span>

#include "harness/statistics/paired.h"
#include "harness/statistics/policy.h"

namespace aqbench {

struct TauCalibration {
  std::size_t aa_runs = 0;
  std::optional<double>
      p99_abs_shift;         // nearest rank, so the largest one of fewer than 100; nullopt without runs
  double tau = 0;            // max(policy's tau, e^p99 - 1)
  bool above_delta = false;  // this case cannot be gated here: PairedVerdict::refused
};

// `aa_shifts` are the Hodges-Lehmann shifts, ln(u_b / u_a), of stored A/A runs of one case. Throws
// Error(input) naming aa_shifts if one is not finite, Error(usage) as check().
TauCalibration calibrate_tau(std::span<const double> aa_shifts, const PairedPolicy& policy);

struct BlockCheckRequest {
  std::size_t suites = 2000;  // one-case suites drawn
  std::size_t pairs_per_suite = 40;
  double injected_ratio = 1;  // u_b is multiplied by it: 1.05 asks for the power
  std::uint64_t seed = 42;
};

struct BlockCheck {
  std::size_t suites = 0;
  std::size_t regressed = 0, faster = 0, pass = 0, inconclusive = 0;
  std::size_t confirmed_regressed = 0;  // flagged again in another block, which shares no pair with the first
};

// Draws suites as blocks of neighbouring pairs, starts by chance, from pairs measured in this order, so that
// slow drifts and bursts stay in them as they were, and judges each as one case. Throws as compare_pairs(),
// and Error(input) naming pairs if there are not at least three blocks' worth.
BlockCheck check_blocks(const PairedSeries& measured, const BlockCheckRequest& request,
                        const PairedPolicy& policy);

}  // namespace aqbench
