#pragma once
// The flags of `aqbench ab` that are about metrics over seeds or runs.

#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/options.h"
#include "harness/ab/samples.h"

namespace aqbench::cli {

// The values of these flags.
struct AbMetricRequest {
  std::vector<std::string> names, margins;  // a margin is "5%", "0.1" or "NAME=5%"
  std::array<std::string, 2> methods;       // of A and B; "" where both run the same
  std::array<std::string, 2> bundles;       // finished sweeps in place of runs
  std::string paired_over = "seeds";        // or "runs"

  // Returns whether two finished bundles are compared.
  bool of_bundles() const { return !bundles[0].empty() || !bundles[1].empty(); }
};

// Returns the rows of the option table.
const std::vector<Flag<AbMetricRequest>>& ab_metric_flags();

// Returns the metrics with unit, direction and margin, 5 % where none is given. Throws Error(usage) for a
// metric that the registry does not have or that has no ideal, and for a margin that cannot be read, is not
// above 0, is of a metric that was not named, or is given in % for a metric that should be near its ideal.
std::vector<AbOutcome> metric_outcomes(const AbMetricRequest& request);

// Checks what the flags mean together; `given` are the names of all flags of the command line. Throws
// Error(usage) naming the flag.
void check_ab_metrics(const AbMetricRequest& request, const std::set<std::string>& given);

}  // namespace aqbench::cli
