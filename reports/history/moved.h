#pragma once
// Which values moved (changed) between two bundles, as a list of verdicts.

#include "harness/gating/verdicts.h"
#include "reports/content/case_names.h"
#include "reports/history/compare.h"

namespace aqbench {

// Returns short names of all cases that the report has rows of (reports/content/case_names.h).
ShortNames compared_names(const CompareReport& report);

// Returns the verdict on a value, which decides nothing.
VerdictRow verdict_on(const ComparedMetric& row);

// Returns the values that differ as a list of verdicts, which decides nothing.
Verdicts verdicts_of(const CompareReport& report);

}  // namespace aqbench
