#pragma once
// A gate's verdict as GitHub Actions shows it: annotations ("workflow commands") and the step summary.

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/gating/gate.h"
#include "harness/records/results.h"

namespace aqbench {

inline constexpr std::size_t kMostAnnotations = 10;                         // GitHub drops further ones
inline constexpr std::size_t kMostStepSummaryBytes = std::size_t{1} << 20;  // GitHub drops longer ones

// "::error title=CASE::METRIC 0.83 mm, ..." lines for what does not pass, worst first, at most
// kMostAnnotations of them, then "N more" as a notice. Empty where the gate passes.
std::string github_annotations(const GateReport& report);

// Escapes of a workflow command: its message, and a property such as the title.
std::string github_escape_message(std::string_view text);
std::string github_escape_property(std::string_view text);

// Markdown, worst first, shorter than max_bytes; what does not fit is counted.
std::string github_step_summary(const GateReport& report, const Results& results,
                                std::size_t max_bytes = kMostStepSummaryBytes);

}  // namespace aqbench
