#pragma once
// Brings a cloud or mesh of a file to its truth: unit, given transforms, alignment. What was done is
// data: nothing is printed here.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/scoring/true_surface.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// What a method or a file gave.
struct Output {
  Reconstruction reconstruction = {};
  // The cloud where it stays on the disk; the reconstruction is empty then. Else null.
  std::shared_ptr<const CloudBlocks> blocks = nullptr;
};

// Returns use(const CloudBlocks&) of the cloud, wherever it is.
template <class Use>
auto with_cloud(const Output& output, const Use& use) {
  const PointCloud& cloud = output.reconstruction.cloud;
  const SpanBlocks in_memory(cloud.points_m, cloud.normals);
  return use(output.blocks ? *output.blocks : static_cast<const CloudBlocks&>(in_memory));
}

// What brings a cloud to its truth.
struct PlaceOptions {
  std::string transform_file;  // empty for none; applied after the unit
  // In this order: "icp", "sim3", "cameras", "tanks-and-temples", "file:NAME".
  std::vector<std::string> steps;
  std::string cameras_file, true_cameras_file;  // centres in the cloud's frame and unit, and in the truth's
  std::optional<double> tau_m;                  // of the registration; unset: that of its protocol
  Crop crop;                                    // of the registration
  double largest_coordinate_m = 0;              // as it was read
  ScorableHints hints;                          // the units; the name stands in errors
  std::function<void(const std::string&)> warn = [](const std::string&) {};  // gets what is doubtful
};

// What was done.
struct Placement {
  std::vector<std::string> notes;  // for people
  JsonBox transforms;              // by the name of the step
};

// Returns whether a step takes camera centres, and whether one searches for the truth, which needs the points
// in memory.
bool takes_cameras(const std::string& step);
bool searches_for_truth(const std::string& step);

// Scales, moves and aligns an output. Throws Error(input) for a cloud that is not worth scoring
// (check_scorable()), a mesh with a vertex that is not finite, an unreadable file, and an alignment that the
// data does not determine.
Placement place_cloud(Output& output, const Surface& truth, const PlaceOptions& options);

// Returns what a mesh taken as truth has for faces; nullptr for any other truth.
const FaceCounts* faces_of(const Surface& truth);

}  // namespace aqbench
