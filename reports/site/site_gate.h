#pragma once
// Gates the newest run of a suite on accepted values.

#include <optional>
#include <string>
#include <vector>

#include "reports/site/site_baselines.h"
#include "reports/site/site_run.h"

namespace aqbench {

// Returns what the gate says of the run: against the values in its own bundle, on which it was gated, or else
// against the one baseline of its suite that the site found. Returns nullopt where there is neither, where
// the run itself was accepted, and where several baselines are of its suite. What cannot be read is a line in
// `problems`, and does not pass.
std::optional<SiteGate> gate_of(const SiteRun& run, const std::vector<SiteBaseline>& baselines,
                                std::vector<std::string>& problems);

}  // namespace aqbench
