#pragma once
// What `aqbench eval --protocol` prints, and the knobs of depth maps and poses by name.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/json.h"
#include "metrics/protocols/cloud_distances.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/depth_protocol.h"
#include "metrics/protocols/explain.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/which_protocol.h"

namespace aqbench::cli {

// One protocol as it is printed.
struct ShownProtocol {
  std::string name, source;
  Json knobs, counts;  // null where there are none
  ProtocolResult result;
  std::vector<PublishedNumber> published;  // empty: all numbers, as they are
};

// Return the values of knobs and counts by name.
Json cloud_knobs_json(const CloudKnobs& knobs);
Json counts_json(const CloudCounts& counts);
Json depth_knobs_json(const DepthKnobs& knobs, int intervals);
Json pose_knobs_json(const PoseKnobs& knobs);

// Set a knob by its name, as *_knobs_json() names it. Throw Error(usage) for an unknown name or a value that
// does not fit.
void set_depth_knob(DepthKnobs& knobs, int& intervals, const std::string& name, const std::string& text);
void set_pose_knob(PoseKnobs& knobs, const std::string& name, const std::string& text);

// Print as tables, or as JSON; `inputs` says in JSON what was read, in which unit, and how it was moved.
void print_protocols(const std::vector<ShownProtocol>& protocols, const Json& inputs,
                     const std::vector<std::string>& notes, bool json);
void print_explanations(const std::vector<Explanation>& explanations, const std::string& a,
                        const std::string& b, bool json);
void print_candidates(const std::vector<WhichCandidate>& candidates, const std::string& number, bool json);

}  // namespace aqbench::cli
