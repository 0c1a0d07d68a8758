#pragma once
// The gate's verdicts as text.

#include <string>

#include "harness/gating/gate.h"

namespace aqbench {

// The line that says what a gate decides on and what not; every rendering of a report has it.
inline constexpr const char* kGatePolicy =
    "accuracy and tensor memory are gated; time is not: it is compared in pairs alone (aqbench ab)";

// Returns one line without the case:
// "accuracy_mean_mm is 0.83 mm, baseline 0.79, +5.06 %, allowed ± 5 %: regressed".
std::string gate_row_text(const GateRow& row);

// Returns tables of all rows that did not simply pass, worst first, improvements too, and a last line with
// the counts. `all` adds the rows that passed. At most 100 columns.
std::string render_gate(const GateReport& report, bool colours = false, bool all = false);

}  // namespace aqbench
