#pragma once
// Reads the bundles that a gate, an acceptance or a document takes its numbers from. They must verify.

#include <filesystem>

#include "harness/gating/accept.h"
#include "harness/records/results.h"

namespace aqbench {

// The argument RESULTS of `aqbench gate`, read.
struct GateInput {
  Results results;
  bool verified = false;      // false for a bare results.json
  bool of_benchmark = false;  // of another tool (harness/ab/benchmark_results.h): times alone, not in pairs
};
// Reads a bundle, which is verified first, or a bare results.json or a file of another benchmark tool, which
// cannot be; one that does not say where it was measured is of this machine if it was `measured_here`. Throws
// Error(verification) naming the first finding and how many more there are, Error(input),
// Error(not_comparable).
GateInput read_gate_input(const std::filesystem::path& results_path, bool measured_here = false);

// Reads a bundle to be accepted, or a file of another benchmark tool. Throws as read_gate_input(), and
// Error(input) for any other file.
AcceptedRun read_accepted_run(const std::filesystem::path& bundle, bool measured_here = false);

}  // namespace aqbench
