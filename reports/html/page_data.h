#pragma once
// What the scripts of report.html work on: the records of the bundle as one JSON document, and of profiles
// where samples of the processor's time were.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "reports/content/bundle_content.h"
#include "reports/html/page.h"
#include "reports/html/pictures.h"

namespace aqbench {

// Adds the photographs of cases to the blocks of a page, equal ones once, as "photograph-0" and so on.
// Returns
//   {CASE: {CAMERA: [number of the block, every_px], ...}, ...}
Json add_photographs(const std::map<std::string, std::vector<ReportPhotograph>>& photographs,
                     PageBlocks& blocks);

// Returns the bytes of blocks.
std::size_t block_bytes(const PageBlocks& blocks);

// Returns compact JSON: "metrics" (name, unit, better, definition), "cases" (name, label, status, reason,
// values in the order of the metrics, why undefined ones are, times, options, command, stacks of
// its profile), "gate" (case, metric, verdict, accepted value), "colours" of scales, "photographs". `stacks` are those of page_stacks(), `photographs` those of add_photographs().
std::string page_data_json(const BundleContent& content, const std::map<std::string, JsonBox>& stacks,
                           Json photographs);

// Returns the colours of scales as "#rrggbb": "signed" (core/drawing/colour_map.h, diverging) and "size".
Json scale_colours_json();

// Returns folded stacks (harness/measuring/samplers.h) as a tree, each frame before those that it calls:
//   {"samples": 812, "least": 1, "names": [...], "frames": [[name, level, samples], ...]}
// with the samples of a frame and all that it calls. Of more than `most` frames those with fewer than "least"
// samples are left out. Null without samples. Throws Error(input) naming `source` for what is no such text.
Json stacks_json(std::string_view stacks, const std::string& source, std::size_t most);

// Returns stacks_json() of each case that has samples. Throws as stacks_json().
std::map<std::string, JsonBox> page_stacks(const std::map<std::string, std::string>& stacks);

// Returns the section in which scripts draw where the processor's time goes; it is hidden where scripts do
// not run. "" where no case has samples.
std::string flames_section(const std::map<std::string, std::string>& stacks);

}  // namespace aqbench
