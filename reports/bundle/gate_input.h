#pragma once
// Reads the bundles that a gate, an acceptance or a document takes its numbers from. They must verify.

#include <filesystem>

#include "harness/gating/accept.h"
#include "harness/records/results.h"

namespace aqbench {

// The argument RESULTS of `aqbench gate`, read.
struct GateInput {
  Results results;
  bool verified = false;  // false for a bare results.json
};
// Reads a bundle, which is verified first, or a bare results.json, which cannot be. Throws
// Error(verification) naming the first finding and how many more there are, Error(input),
// Error(not_comparable).
GateInput read_gate_input(const std::filesystem::path& results_path);

// Reads a bundle to be accepted. Throws as read_gate_input(), and Error(input) for anything but a folder.
AcceptedRun read_accepted_run(const std::filesystem::path& bundle);

}  // namespace aqbench
