#pragma once
// Calibrations that are wrong by a known amount: what a calibration error costs a method.

#include <filesystem>

#include "core/parameters.h"
#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// What is added to the true calibration. The images stay as they are.
struct CalibrationError {
  double water_z_m = 0;  // to the height of the water surface; positive: taken to be deeper
  double n_water = 0;    // to the refractive index of the water
  double tilt_deg = 0;   // of the water surface about the world's X axis, through (0, 0, water_z)
  double focal_pct = 0;  // of every focal length
};

const std::vector<ParameterSpec>& perturb_parameters();  // of owner "perturb"
CalibrationError calibration_error(const Parameters& parameters);
bool is_zero(const CalibrationError& error);

// calibration.json knows level water only. A believed tilt of the water is written as the opposite tilt of
// all cameras about (0, 0, water_z): the same geometry in a frame of its own, the water's. Throws
// Error(input) as check(Rig) does if nothing can be seen through such a calibration.
Rig perturbed(const Rig& rig, const CalibrationError& error);

// From the perturbed calibration's frame to the true world frame: brings what a method made of the tilted
// cameras back, so that only the tilt's effect on the refraction is left. The identity without a tilt.
Similarity world_from_perturbed(const Rig& rig, const CalibrationError& error);

// Rewrites a calibration.json, of a copy that a method is given. Throws Error(input) or Error(io) naming the
// file.
void perturb_calibration_file(const std::filesystem::path& file, const CalibrationError& error);

}  // namespace aqbench
