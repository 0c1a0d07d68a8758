#pragma once
// The charts of a report as files of their own.

#include <string>
#include <utility>
#include <vector>

#include "reports/content/bundle_content.h"

namespace aqbench {

// Returns name and text of SVG files that stand alone: accuracy, precision, completeness, baseline, stages,
// times; those that have something to show.
std::vector<std::pair<std::string, std::string>> report_figures(const BundleContent& content);

}  // namespace aqbench
