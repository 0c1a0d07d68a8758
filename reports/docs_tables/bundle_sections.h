#pragma once
// The generated sections of documents whose numbers come from bundles.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/docs_tables/fill_docs.h"

namespace aqbench {

// A bundle and its name in documents, which is that of its folder.
struct NamedBundle {
  std::string name;
  BundleContent content;
};

// Returns the sections accuracy, comparisons, stages, batching, times, baseline, environment, reproduce and
// narrative. A section's argument names the bundle; without one it is the first. The sections refer to
// `bundles`, which must not be empty. A section whose data its bundle does not have throws Error(input).
DocsSections bundle_sections(const std::vector<NamedBundle>& bundles);

// Returns the same sections for a call without --bundle; each throws Error(usage).
DocsSections missing_bundle_sections();

}  // namespace aqbench
