#pragma once
// Cloud and truth of `aqbench eval --protocol`.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "core/json.h"
#include "metrics/protocols/cloud_knobs.h"
#include "metrics/protocols/cloud_truth.h"

namespace aqbench::cli {

// A cloud and its truth as protocols take them; `surface` keeps what the truth refers to.
struct ProtocolInput {
  PointCloud cloud;
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

}  // namespace aqbench::cli
