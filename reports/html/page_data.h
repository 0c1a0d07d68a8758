#pragma once
// What the scripts of report.html work on: the records of the bundle as one JSON document.

#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "reports/content/bundle_content.h"
#include "reports/html/page_views.h"

namespace aqbench {

// Returns compact JSON: "metrics" (name, unit, better, definition), "cases" (name, label, status, reason,
// values in the order of the metrics, why undefined ones are, times, stages, options, command, counts of
// error codes, trace and stacks of its profile), "gate" (case, metric, verdict, accepted value), "reproduce",
// "colours" of scales. `profiles` are those of page_profiles().
std::string page_data_json(const BundleContent& content, const std::vector<PageView>& views,
                           const std::map<std::string, JsonBox>& profiles);

// Returns the stages of a case: [name, parent, calls, inclusive ms, self ms, net bytes, peak bytes, growth of
// resident memory in bytes, whether it ran beside the main thread], medians over the repetitions, null for
// what was not measured.
Json stages_json(const Record& record);

// Returns the colours of scales as "#rrggbb": "signed" (core/drawing/colour_map.h, diverging) and "size".
Json scale_colours_json();

}  // namespace aqbench
