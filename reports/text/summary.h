#pragma once
// summary.md of a bundle.

#include <string>

#include "reports/content/bundle_content.h"

namespace aqbench {

// Returns summary.md: the verdict, the narrative, and all sections of the run's report
// (reports/content/run_sections.h). It depends on nothing but `content`, so that `aqbench verify` can render
// it again and compare the bytes.
std::string render_summary(const BundleContent& content);

}  // namespace aqbench
