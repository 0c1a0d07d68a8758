#pragma once
// What the scripts of report.html work on: the records of the bundle as one JSON document, and profiles of
// cases: the trace of a run, and where samples of the processor's time were.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "reports/content/bundle_content.h"
#include "reports/html/pictures.h"

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

// The most events of traces, and the most frames of stacks, in one page; its cases share them.
inline constexpr std::size_t kMaxPageTraceEvents = 20'000, kMaxFlameFrames = 20'000;

// Returns the complete events and the counter of a trace (harness/measuring/stage_recorder.h):
//   {"lanes": ["main", ...], "names": [...], "events": [[name, lane, level, start_us, duration_us], ...],
//    "memory": [[us, MB], ...], "left_out": 0}
// Events are in order of lane and start, the outer one first; level 0 is in no other. Of more than `most` the
// longest are kept and the rest is counted in "left_out"; of more memory values the extremes are kept.
// Throws Error(input) naming `source` for a text that is no trace.
Json trace_json(std::string_view trace, const std::string& source, std::size_t most);

// Returns folded stacks (harness/measuring/samplers.h) as a tree, each frame before those that it calls:
//   {"samples": 812, "least": 1, "names": [...], "frames": [[name, level, samples], ...]}
// with the samples of a frame and all that it calls. Of more than `most` frames those with fewer than "least"
// samples are left out. Null without samples. Throws Error(input) naming `source` for what is no such text.
Json stacks_json(std::string_view stacks, const std::string& source, std::size_t most);

// Returns {"trace": trace_json(), "stacks": stacks_json()} for each case with a profile, without what
// it does not have; the limits above are shared evenly. Throws as trace_json() and stacks_json().
std::map<std::string, JsonBox> page_profiles(const std::map<std::string, ReportProfile>& profiles);

// The HTML element in which scripts draw stages over time.
inline constexpr const char* kStageTree = "<div id=\"stage-tree\" class=\"scripted\"></div>\n";

// Returns the section in which scripts draw where the processor's time goes; it is hidden where scripts do
// not run. "" where no case has samples.
std::string flames_section(const std::map<std::string, ReportProfile>& profiles);

}  // namespace aqbench
