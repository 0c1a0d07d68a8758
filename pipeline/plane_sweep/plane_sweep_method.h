#pragma once
// The method plane_sweep: depth maps of all cameras by plane-sweep stereo through the water surface, filtered
// by mutual confirmation, then fused to one cloud with one surface. Its parameters, presets and stages
// (plane_sweep_spec.cc) are part of the program.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Returns the side of the matching window, odd, 7 to 31 px, that covers as much of the scene in images of
// that width as `window_at_1600_px` does in images 1600 px wide. A window larger than the bends of a surface
// flattens them: in images 480 px wide, undulating has an rmse of 0.49 mm with 7 px, 1.08 mm with 11 px, and
// 2.3 mm with 15 px and five refinements.
int window_of_width(int window_at_1600_px, int width_px);

// Returns the number of refinement passes for images of that width: `refinements` up to 1600 px, beyond that
// in proportion. A pass smooths over 7 x 7 px, which is less of the scene in wider images.
int refinements_of_width(int refinements_at_1600, int width_px);

// Runs the method. depth_maps holds the depths after the consistency filter, unfiltered_depth_maps those
// before it, both in the order of the non-auxiliary cameras. Throws Error(input) for an unreadable dataset.
// Throws Error(method) with the reason if no depth range is found or hardly any depth is confirmed: then the
// images lack texture, or range or calibration are wrong, and a cloud would consist of chance matches.
Reconstruction run_plane_sweep(const Observation& observation, const MethodInput& input);

// The prefix of the parameters of the sparse cloud, which gives the depth ranges.
inline constexpr const char* kPlaneSweepSparsePrefix = "sparse_";

// Returns the parameters, with their units, ranges and defaults.
std::vector<ParameterSpec> plane_sweep_parameters();

// Returns balanced, fast and quality.
std::vector<Preset> plane_sweep_presets();

// Returns the names of the stages that a run opens, outermost first.
std::vector<std::string> plane_sweep_stages();

}  // namespace aqbench
