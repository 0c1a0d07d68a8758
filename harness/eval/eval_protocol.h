#pragma once
// Cloud and truth of `aqbench eval --protocol`, what it answers, and the knobs of depth maps and poses by
// name.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/eval/eval_request.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/depth_and_normals.h"
#include "metrics/protocols/explain.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// A cloud and its truth as protocols take them; `surface` keeps what the truth refers to.
struct ProtocolInput {
  PointCloud cloud;
  std::optional<TriangleMesh> mesh = {};  // the cloud is its vertices
  CloudTruth truth;
  std::shared_ptr<const Surface> surface;
  PointCloud scanned;                // points with normals of scans whose scanners are known
  PointCloud mesh_vertices;          // with normals, of a truth that is a mesh
  std::vector<std::string> notes;    // for people
  Json transforms = Json::object();  // what moved the cloud, by the name of the step
};

// Returns whether a number is asked for that is measured to the true surface itself.
bool asks_for_surface(const EvalProtocolRequest& request);

// Returns whether the knob `cull` is asked for, which needs cameras: --dataset, or --scene with --rig.
bool asks_for_cameras(const EvalProtocolRequest& request);

// Reads cloud and truth: a scene, a mesh, scans, or a MeshLab project (.mlp) of scans in the frames of their
// scanners; then crop, mask and plane. Throws Error(input) naming the file, Error(usage) naming the flag.
ProtocolInput load_protocol_input(const EvalProtocolRequest& request, const EvalCloudRequest& cloud);

// Returns what a protocol that computes in 32 bits costs at the coordinates of cloud and truth: how far
// rounding moves their points; empty where that is less than a hundredth of its first threshold.
std::string rounding_note(const std::string& protocol, const CloudKnobs& knobs, const ProtocolInput& input);

// Takes points of a truth that is a mesh: `spacing_m` apart all over its faces, or its vertices where that is
// unset. Leaves any other truth as it is.
void take_mesh_points(ProtocolInput& input, std::optional<double> spacing_m);

// One protocol as it is shown.
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

// Return tables, or JSON; `inputs` says in JSON what was read, in which unit, and how it was moved.
EvalAnswer answer_of(const std::vector<ShownProtocol>& protocols, const Json& inputs,
                     const std::vector<std::string>& notes, bool json);
EvalAnswer answer_of(const std::vector<Explanation>& explanations, const std::string& a, const std::string& b,
                     bool json);
EvalAnswer answer_of(const std::vector<WhichCandidate>& candidates, const std::string& number, bool json);

}  // namespace aqbench
