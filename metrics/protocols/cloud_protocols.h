#pragma once
// The protocols for clouds by name: their knobs, and which of their numbers are published and how.

#include <span>
#include <string_view>
#include <vector>

#include "metrics/protocols/cloud_knobs.h"

namespace aqbench {

// A number as it stands in publications.
struct PublishedNumber {
  const char* name;   // of the ProtocolValue: "precision"
  const char* label;  // what the publication calls it: "accuracy"
  double factor = 1;  // from the value's unit to the published one
  const char* unit = "";
};

// A protocol: a setting of knobs and what is published of its result.
struct CloudProtocol {
  const char* name;
  const char* summary;
  const char* source;  // paper, and the file of the reference program
  CloudKnobs knobs;
  double headline_threshold_m = 0;  // of the number that rankings use
  double voxel_of_threshold = 0;    // voxel_m follows the first threshold by this factor; 0: it does not
  bool takes_vertices = false;      // of a mesh, as its program does; else points all over its faces
  std::vector<PublishedNumber> published;
};

// Returns all protocols for clouds.
std::span<const CloudProtocol> cloud_protocols();

// Finds a protocol by name. Throws Error(usage) that names the near ones.
const CloudProtocol& find_cloud_protocol(std::string_view name);

// Returns the protocol's knobs at these thresholds (metres; empty: its own), with what follows from them.
CloudKnobs knobs_at(const CloudProtocol& protocol, std::span<const double> thresholds_m = {});

// Returns how far apart points of a mesh are that stand for its surface under these knobs: half a voxel, or
// the distance to which the cloud is thinned, or a quarter of the voxels over which shares are averaged.
double mesh_spacing_m(const CloudKnobs& knobs);

}  // namespace aqbench
