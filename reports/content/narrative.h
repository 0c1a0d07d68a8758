#pragma once
// What a run showed, in sentences: each computed from the records, none typed.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"

namespace aqbench {

// Plain text, one sentence each, most important first: how many cases are ok, what the gate found, per scene
// which method is the most accurate and by what factor, cold against warm, which stage takes most of the
// time, what batching changes. Sentences whose data are missing are left out.
std::vector<std::string> narrative_lines(const BundleContent& content);

}  // namespace aqbench
