#pragma once
// Compares the metrics of finished sweeps: two bundles with the same seeds stand for A and B.

#include "cli/ab/options.h"
#include "harness/ab/document.h"

namespace aqbench::cli {

// Reads both bundles and pairs their cases by seed, in the order of A's cases. Times of sweeps were not
// measured in pairs and are not judged. Throws as read_gate_input(), Error(not_comparable) where B has no
// case of A's, other seeds, or a case with other options than those of its method, Error(usage) for the same
// bundle twice.
AbDocument document_of_bundles(const AbRequest& request);

// Puts the values of the wanted metrics into the unit as its outcomes, and removes its metrics.
void take_metrics(const std::vector<AbOutcome>& outcomes, Record& unit);

}  // namespace aqbench::cli
