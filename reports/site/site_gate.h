#pragma once
// Gates the runs of a site on accepted values.

#include <optional>
#include <string>
#include <vector>

#include "reports/site/site_baselines.h"
#include "reports/site/site_run.h"

namespace aqbench {

// The text of a gate whose run or accepted values cannot be read.
inline constexpr const char* kGateNotKnown = "gate: not known";

// Returns what the gate says of a run against the accepted values in its own bundle, on which it was gated;
// nullopt where it has none. What cannot be read is a line in `problem`, and does not pass.
std::optional<SiteGate> own_gate_of(const SiteRun& run, std::string& problem);

// Returns the gate's verdict on a run that was not gated: against the one baseline of its suite that
// the site found. Returns nullopt where there is none, where the run itself was accepted, and where several
// baselines are of its suite. Problems as in own_gate_of().
std::optional<SiteGate> gate_of(const SiteRun& run, const std::vector<SiteBaseline>& baselines,
                                std::string& problem);

}  // namespace aqbench
