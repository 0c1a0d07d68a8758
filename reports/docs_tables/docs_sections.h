#pragma once
// The generated sections of documents (reports/docs_tables/docs.h).

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/docs_tables/docs.h"

namespace aqbench {

// A bundle and what documents call it: the name of its folder.
struct NamedBundle {
  std::string name;
  BundleContent content;
};

// Of bundles: accuracy, stages, batching, comparisons, times, baseline, environment, reproduce, narrative. A
// section's argument names the bundle; without one it is the first. Refers to `bundles`, which must not be
// empty. A section whose data its bundle does not have throws Error(input).
DocsSections bundle_sections(const std::vector<NamedBundle>& bundles);

// The same names, each throwing Error(usage): --bundle is missing.
DocsSections missing_bundle_sections();

// Of the registries: scenes, methods, presets, metrics, suites, stage-names, and parameters OWNER.
DocsSections registry_sections();

}  // namespace aqbench
