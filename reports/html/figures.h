#pragma once
// The charts of a report by themselves.

#include <string>
#include <utility>
#include <vector>

#include "core/drawing/drawing.h"
#include "reports/content/bundle_content.h"

namespace aqbench {

// Returns names and drawings: accuracy, precision, completeness, baseline, stages, times; those that have
// something to show.
std::vector<std::pair<std::string, Drawing>> report_figures(const BundleContent& content);

}  // namespace aqbench
