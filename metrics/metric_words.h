#pragma once

#include <string>

namespace aqbench {

// Returns the words for a headline metric at any tolerance, "mean error" or "completeness at 1 mm"; for
// another metric its name.
std::string metric_words(const std::string& metric);

}  // namespace aqbench
