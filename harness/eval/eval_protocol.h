#pragma once
// Cloud, depth maps and truth of `aqbench eval --protocol`, and what it answers.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/eval/eval_request.h"
#include "harness/eval/file_family.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/depth_protocols.h"
#include "metrics/protocols/explain.h"
#include "metrics/protocols/knobs.h"
#include "metrics/protocols/point_maps.h"
#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/pose_sets.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/view_images.h"

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
  std::vector<PublishedNumber> published;   // empty: all numbers, as they are
  std::optional<AskedProtocol> asked = {};  // of clouds: what their metrics are made of
};

// A file, or a case of a pattern, with all that protocols say of it.
struct ScoredFile {
  std::string scene, file;
  GivenCase of_case;
  std::vector<ShownProtocol> protocols;
};

// Returns the counts by name.
Json counts_json(const CloudCounts& counts);

// Takes the knobs of --knob.
template <class Knobs>
void take_knobs(const EvalProtocolRequest& request, std::span<const Knob<Knobs>> table, Knobs& knobs) {
  for (const std::string& knob : request.knobs) {
    const std::size_t equals = knob.find('=');
    if (equals == std::string::npos) throw usage_error("--knob '{}': expected NAME=VALUE", knob);
    set_knob(table, knobs, knob.substr(0, equals), knob.substr(equals + 1));
  }
}

// Returns the values of knobs by name, as text.
template <class Knobs>
Json knobs_json(std::span<const Knob<Knobs>> table, const Knobs& knobs) {
  Json json = Json::object();
  for (const auto& [name, text] : knob_texts(table, knobs)) json[name] = text;
  return json;
}

// Predicted files and the truths of the same names.
struct PairedFiles {
  FilesByName predicted, truth;
};

// Pairs CLOUD and --truth: two files, or two folders by names; adds to `notes` how many truths have no
// prediction. Throws Error(usage) for a folder and a file, Error(input) for a prediction without truth.
PairedFiles pair_files(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       std::vector<std::string>& notes);

// Returns a record for each file: a metric for each number.
Results protocol_results(const std::vector<ScoredFile>& files, const EvalRequest& asked,
                         const Arguments& arguments, const std::vector<std::string>& notes);

// Returns tables, or results.json and beside its records all numbers with their thresholds; `inputs` says
// what was read, in which unit, and how it was moved.
EvalAnswer answer_of(const std::vector<ScoredFile>& files, const Json& inputs, const EvalRequest& asked,
                     const Arguments& arguments, const std::vector<std::string>& notes);

// Return tables, or JSON.
EvalAnswer answer_of(const std::vector<Explanation>& explanations, const std::string& a, const std::string& b,
                     bool json);
EvalAnswer answer_of(const std::vector<WhichCandidate>& candidates, const std::string& number, bool json);

}  // namespace aqbench
