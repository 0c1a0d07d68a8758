#pragma once
// The protocols for clouds: the knobs, of which every protocol is a setting, so that one can be turned into
// another knob by knob; and the protocols by name, which of their numbers are published and how.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/mask_cull.h"
#include "metrics/protocols/mesh_points.h"

namespace aqbench {

// How a point of the cloud is compared with the truth.
enum class AccuracyRule {
  nearest,  // distance to the nearest point of the truth
  beam,     // distance to the nearest scan point whose laser beam passes through it; else wrong or unobserved
  surface,  // distance to the true surface
};

// What a share is averaged over.
enum class Averaging {
  points,  // all points alike
  voxels,  // the shares of voxels alike, over two grids of which one is shifted by half a voxel
};

// From which side goes what no camera sees.
enum class Cull { no, cloud, truth, both };

// A setting of all knobs. Lengths are metres.
struct CloudKnobs {
  MeshCloud mesh_cloud = MeshCloud::vertices;
  bool crop = true;                 // only points in the truth's crop volume count, of both clouds
  Cull cull = Cull::no;             // what no camera sees goes: out of every image, or behind the truth
  double cull_behind_m = 0.01;      // a point so far behind what a camera sees of the truth is hidden from it
  bool cull_in_all = false;         // what does not lie in every image's mask goes, too; else no image's
  MaskReach cull_dilate;            // how masks of images grow or shrink before `cull` looks at them
  bool cull_outside_stays = true;   // with cull_in_all: where an image does not reach, it takes out nothing
  bool cull_to_border = false;      // with cull_in_all: an image reaches half a pixel beyond its last ones
  bool cull_largest = false;        // with cull_in_all: of a mesh the largest part that hangs together stays
  double voxel_m = 0;               // both clouds become one mean point for each voxel of this size; 0: off
  double thinning_m = 0;            // points of the cloud within this distance of a kept one go; 0: off
  std::uint64_t thinning_seed = 1;  // of the order in which points are looked at
  bool mask = false;                // DTU's box, observation mask and plane apply
  double box_below_m = 0.060;       // the box reaches this far below its low corner,
  double box_above_m = 0.120;       // and this far above its high one
  AccuracyRule accuracy = AccuracyRule::nearest;
  double beam_radius_m = 0.001125;  // at the scanner
  double beam_halfangle_deg = 0.011;
  double drop_from_m = 0;                     // distances from here on are not counted; 0: all are
  std::vector<double> thresholds_m = {0.05};  // ascending
  bool strict = true;                         // a distance of exactly the threshold is beyond it
  Averaging averaging = Averaging::points;
  double averaging_voxel_m = 0.01;
  bool single_precision = false;  // coordinates, beams and voxels in 32 bits
};

using CloudKnob = Knob<CloudKnobs>;

// Returns all knobs, in the order in which they act.
std::span<const CloudKnob> cloud_knobs();

// Sets a knob by its name. Throws Error(usage) for an unknown name and for a value that does not fit.
void set_cloud_knob(CloudKnobs& knobs, std::string_view name, const std::string& text);

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const CloudKnobs& knobs);

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
  bool is_of_clouds = false;        // a mesh that is scored needs another knob mesh_cloud than vertices
  std::vector<PublishedNumber> published;
};

// Returns all protocols for clouds.
std::span<const CloudProtocol> cloud_protocols();

// Finds a protocol by name. Throws Error(usage) that names the near ones.
const CloudProtocol& find_cloud_protocol(std::string_view name);

// Returns why a protocol does not score an output, "is a mesh: ...": a mesh where it is of clouds and the
// knobs do not say what becomes of the faces, no mesh where it is of meshes. Empty: it does.
std::string unfit_output(const CloudProtocol& protocol, const CloudKnobs& knobs, bool has_mesh);

// Returns the protocol's knobs at these thresholds (metres; empty: its own), with what follows from them.
CloudKnobs knobs_at(const CloudProtocol& protocol, std::span<const double> thresholds_m = {});

// Returns how far apart points of a mesh are that stand for its surface under these knobs: half a voxel, or
// the distance to which the cloud is thinned, or a quarter of the voxels over which shares are averaged.
double mesh_spacing_m(const CloudKnobs& knobs);

}  // namespace aqbench
