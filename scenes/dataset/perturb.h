#pragma once
// Calibrations that are wrong by a known amount, to measure what a calibration error costs a method.

#include <filesystem>

#include "core/parameters.h"
#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// What is added to the true calibration. The images do not change.
struct CalibrationError {
  double water_z_m = 0;  // to the height of the water surface; positive: taken to be deeper
  double n_water = 0;    // to the refractive index of the water
  double tilt_deg = 0;   // of the water surface about the world's X axis, through (0, 0, water_z)
  double focal_pct = 0;  // of every focal length
};

// Returns the parameters of owner "perturb".
const std::vector<ParameterSpec>& perturb_parameters();

// Returns the error that the parameters of owner "perturb" set.
CalibrationError calibration_error(const Parameters& parameters);

// Returns whether the calibration stays as it is.
bool is_zero(const CalibrationError& error);

// Returns the rig with the error. calibration.json can only describe level water. So a tilt of the water is
// written as the opposite tilt of all cameras about (0, 0, water_z): the same geometry in another world
// frame, in which the water is level. Throws Error(input) as check(Rig) does if nothing can be seen through
// such a calibration.
Rig perturbed(const Rig& rig, const CalibrationError& error);

// Returns the transform from the world frame of the perturbed rig to the true one. It takes a result of
// tilted cameras back, so that only the effect of the tilt on the refraction remains. The identity without a
// tilt.
Similarity world_from_perturbed(const Rig& rig, const CalibrationError& error);

// Rewrites, with the error, the calibration.json of a copy that a method is given. Throws Error(input) or
// Error(io) naming the file.
void perturb_calibration_file(const std::filesystem::path& file, const CalibrationError& error);

}  // namespace aqbench
