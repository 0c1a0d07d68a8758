#pragma once
// A gate's verdict as GitHub Actions shows it: annotations ("workflow commands") and the step summary.

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/gating/verdicts.h"
#include "harness/records/results.h"

namespace aqbench {

// GitHub's limits for one step: it drops further annotations and longer summaries.
inline constexpr std::size_t kMaxAnnotations = 10;
inline constexpr std::size_t kMaxStepSummaryBytes = std::size_t{1} << 20;

// Returns a line "::error title=CASE::METRIC 0.83 mm, ..." for each row that does not pass, worst first, at
// most kMaxAnnotations of them, then the number of the others as a notice. Empty where the gate passes.
std::string github_annotations(const Verdicts& report);

// Return the message, or a property such as the title, of a workflow command with its special characters
// escaped.
std::string github_escape_message(std::string_view text);
std::string github_escape_property(std::string_view text);

// Returns the step summary as Markdown, worst first, shorter than max_bytes; rows that do not fit are
// counted.
std::string github_step_summary(const Verdicts& report, const Results& results,
                                std::size_t max_bytes = kMaxStepSummaryBytes);

}  // namespace aqbench
