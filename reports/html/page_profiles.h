#pragma once
// Profiles of cases as a page holds them: the trace of a run, and where samples of the processor's time were.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "core/json.h"
#include "reports/html/pictures.h"

namespace aqbench {

// The most events of traces, and the most frames of stacks, in one page; its cases share them.
inline constexpr std::size_t kMaxPageTraceEvents = 20'000, kMaxFlameFrames = 20'000;

// Returns the complete events and the counter of a trace (harness/measuring/trace.h):
//   {"lanes": ["main", ...], "names": [...], "events": [[name, lane, level, start_us, duration_us], ...],
//    "memory": [[us, MB], ...], "left_out": 0}
// Events are in order of lane and start, the outer one first; level 0 is in no other. Of more than `most` the
// longest are kept and the rest is counted in "left_out"; of more memory values the extremes are kept.
// Returns null for a text that is no trace: a page leaves it out, and `aqbench verify` refuses it.
Json trace_json(std::string_view trace, std::size_t most);

// Returns folded stacks (harness/measuring/folded.h) as a tree, each frame before those that it calls:
//   {"samples": 812, "least": 1, "names": [...], "frames": [[name, level, samples], ...]}
// with the samples of a frame and all that it calls. Of more than `most` frames those with fewer than "least"
// samples are left out. Null for what is no such text, or has no samples.
Json stacks_json(std::string_view stacks, std::size_t most);

// Returns {"trace": trace_json(), "stacks": stacks_json()} for each case with a profile, without members that
// are null; the limits above are shared evenly.
std::map<std::string, JsonBox> page_profiles(const std::map<std::string, ReportProfile>& profiles);

// The HTML element in which scripts draw stages over time.
inline constexpr const char* kStageTree = "<div id=\"stage-tree\" class=\"scripted\"></div>\n";

// Returns the section in which scripts draw where the processor's time goes; it is hidden where scripts do
// not run.
std::string flames_html();

}  // namespace aqbench
