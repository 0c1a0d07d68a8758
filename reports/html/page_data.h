#pragma once
// What the scripts of report.html work on: the records of the bundle as one JSON document.

#include <string>
#include <vector>

#include "core/json.h"
#include "reports/content/bundle_content.h"
#include "reports/html/page_views.h"

namespace aqbench {

// Returns compact JSON: "metrics" (name, unit, better, definition), "cases" (name, label, status, reason,
// values in the order of the metrics, why undefined ones are, times, stages, options, command, counts of
// error codes), "gate" (case, metric, verdict, accepted value), "reproduce", "colours" of scales.
std::string page_data_json(const BundleContent& content, const std::vector<PageView>& views);

// Returns the colours of scales as "#rrggbb": "signed" (core/drawing/colour_map.h, diverging) and "size".
Json scale_colours_json();

}  // namespace aqbench
