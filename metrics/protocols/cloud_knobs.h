#pragma once
// The knobs of protocols for clouds. Every protocol is a setting of these, so that one can be turned into
// another knob by knob.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  bool crop = true;                 // only points in the truth's crop volume count, of both clouds
  Cull cull = Cull::no;             // what no camera sees goes: out of every image, or behind the truth
  double cull_behind_m = 0.01;      // a point so far behind what a camera sees of the truth is hidden from it
  int cull_erosion_px = 0;          // masks of images shrink by so many pixels before `cull` looks at them
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

// A knob by name: how its value is read from and written into a setting as text.
struct CloudKnob {
  const char* name;  // with its unit
  const char* help;
  std::string (*text)(const CloudKnobs& knobs);
  // Throws Error(usage) naming the knob for a text that is no value of it.
  void (*set)(CloudKnobs& knobs, const std::string& text);
  std::vector<std::string> usual;  // values seen in publications, which --which-protocol tries
  bool of_distances = true;        // it changes what is compared; else only how it is counted
};

// Returns all knobs, in the order in which they act.
std::span<const CloudKnob> cloud_knobs();

// Sets a knob by its name. Throws Error(usage) for an unknown name and for a value that does not fit.
void set_cloud_knob(CloudKnobs& knobs, std::string_view name, const std::string& text);

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const CloudKnobs& knobs);

}  // namespace aqbench
