#pragma once
// The gate's verdicts as text.

#include <string>

#include "harness/gating/gate.h"

namespace aqbench {

// States what a gate decides on; part of every rendered report.
inline constexpr const char* kGatePolicy =
    "accuracy and tensor memory are gated; time is not: it is compared in pairs alone (aqbench ab)";

// Returns one line without the case:
// "accuracy_mean_mm is 0.83 mm, baseline 0.79, +5.06 %, allowed ± 5 %: regressed".
std::string gate_row_text(const GateRow& row);

// Returns tables of all rows except plain passes, worst first, and a last line with counts. `all` includes
// passes. At most 100 columns.
std::string render_gate(const GateReport& report, bool colours = false, bool all = false);

}  // namespace aqbench
