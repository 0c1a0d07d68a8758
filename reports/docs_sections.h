#pragma once
// The generated sections of documents (reports/docs.h).

#include "reports/bundle_content.h"
#include "reports/docs.h"

namespace aqbench {

// Of a bundle: accuracy, stages, batching, times, baseline, environment, reproduce, narrative. Refers to
// `content`. A section whose data the bundle does not have throws Error(input).
DocsSections bundle_sections(const BundleContent& content);

// The same names, each throwing Error(usage): --bundle is missing.
DocsSections missing_bundle_sections();

// Of the registries: scenes, methods, presets, metrics, suites, stage-names, and parameters OWNER.
DocsSections registry_sections();

}  // namespace aqbench
