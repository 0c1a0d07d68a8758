#pragma once
// What a gate, an acceptance and a document may read their numbers from: bundles that verify.

#include <filesystem>

#include "harness/gating/accept.h"
#include "harness/records/results.h"

namespace aqbench {

// RESULTS of `aqbench gate`: a bundle, which is verified first, or a bare results.json, which is not.
struct GateInput {
  Results results;
  bool verified = false;
};
// Throws Error(verification) naming the first finding and how many more, Error(input), Error(not_comparable).
GateInput read_gate_input(const std::filesystem::path& results_path);

// Reads a bundle to be accepted. Throws as read_gate_input(), and Error(input) for anything but a folder.
AcceptedRun read_accepted_run(const std::filesystem::path& bundle);

}  // namespace aqbench
