#pragma once
// Results for other tools: a gate's verdict as JUnit XML, in the form that Jenkins, GitLab and GitHub's
// reporters read (jenkins-junit.xsd), and as GitHub Actions shows it; benchmark.json, the samples in Google
// Benchmark's format, for its compare.py and other readers of it.

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/gating/verdicts.h"
#include "harness/records/results.h"

namespace aqbench {

// Returns the XML. A case has <failure> if it regressed, is missing or undefined; <error> if it failed,
// crashed, timed out or cannot be compared; <skipped> with the reason if it is not gated; and nothing if it
// passed. There is a failure or an error exactly when the gate does not pass. Characters that XML 1.0 cannot
// hold become "?".
std::string junit_text(const Verdicts& report, const Results& results);

// GitHub's limit for one step: it drops further annotations.
inline constexpr std::size_t kMaxAnnotations = 10;

// Returns a line "::error title=CASE::METRIC 0.83 mm, ..." for each row that does not pass, worst first, a
// warning where nothing can be said yet, at most kMaxAnnotations of them, then the number of the others as a
// notice. Empty where the gate passes.
std::string github_annotations(const Verdicts& report);

// Returns the message of a workflow command, or a property such as the title, with its special characters
// escaped.
std::string github_escaped(std::string_view text, bool is_property);

// Returns the step summary as Markdown, the 20 worst cases first; the others are counted.
std::string github_step_summary(const Verdicts& report, const Results& results);

// Returns the JSON text: for each case that gave a time an entry for each warm repetition, or for the cold
// call where there are none.
std::string benchmark_json_text(const Results& results);

}  // namespace aqbench
