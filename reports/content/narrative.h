#pragma once
// What a run showed, in sentences that are computed from the records.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"

namespace aqbench {

// Returns whether faults were put into a case with --inject, so that its result is no evidence of quality.
bool has_injected_faults(const Results& results);

// Returns plain sentences, the most important first: how many cases are ok, which method is the most accurate
// on each scene and by what factor, which stage takes most of the time. A sentence whose data are missing is
// left out.
std::vector<std::string> narrative_lines(const BundleContent& content);

}  // namespace aqbench
