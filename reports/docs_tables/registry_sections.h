#pragma once
// The generated sections of documents that list what the registries hold.

#include "reports/docs_tables/fill_docs.h"

namespace aqbench {

// Returns the sections scenes, methods, presets, metrics, suites, hotspots, and parameters OWNER, where OWNER
// is a scene or a method.
DocsSections registry_sections();

}  // namespace aqbench
