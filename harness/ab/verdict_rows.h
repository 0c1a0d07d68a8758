#pragma once
// The verdicts of a comparison in the shape that all commands share (harness/gating/verdicts.h).

#include <string>
#include <vector>

#include "harness/ab/case_report.h"
#include "harness/gating/verdicts.h"

namespace aqbench {

// Returns the change of B against A: "+4.10 %", or "+0.123" for a difference.
std::string ab_change_text(const PairedComparison& comparison);

// Returns the interval of that change, its smaller end first: "+3.90 .. +4.30 %".
std::string ab_interval_text(const PairedComparison& comparison);

// Returns the change of a time in words: "5.9 % slower (5.3 to 6.6 %)", "19.3 x faster (18.9 to 19.7)".
std::string speed_words(const PairedComparison& comparison);

// Returns a row for each case, which decides, with the value that its verdict rests on; behind it, only
// shown, a row for each other value that was compared.
Verdicts verdicts_of(const std::vector<AbCaseReport>& cases);

}  // namespace aqbench
