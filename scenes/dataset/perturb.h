#pragma once
// Calibrations as methods get them: with a known error, to measure its effect, or without poses, for methods
// that find those themselves.

#include <filesystem>
#include <vector>

#include "core/parameters.h"
#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The error added to the true calibration. The images do not change.
struct CalibrationError {
  double water_z_m = 0;  // of the height of the water surface; positive: too deep
  double n_water = 0;    // of the refractive index of the water, also outside of ports
  double tilt_deg = 0;   // of the water surface about the world's X axis, through (0, 0, water_z)
  double focal_pct = 0;  // of every focal length
  // Of every port: of a pane's distance or a dome's radius, of the glass, of a pane's normal about the
  // camera's Y axis, of a dome's centre.
  double port_dist_m = 0, port_thick_m = 0, n_glass = 0, port_tilt_deg = 0, dome_x_m = 0, dome_y_m = 0,
         dome_z_m = 0;
  // Of the size that the board of the calibration was taken to have: cameras, water and ports are that much
  // larger and farther from each other, about the middle of the cameras.
  double board_size_pct = 0;
  // Standard deviations of errors that each camera has of its own, drawn by the seed: of its position, per
  // world axis, its rotation about its centre, per camera axis, its focal length, its principal point, per
  // axis, and k1; of its port, a pane's normal about both of the camera's axes across it.
  double camera_position_m = 0, camera_rotation_deg = 0, camera_focal_pct = 0, camera_principal_px = 0,
         camera_k1 = 0;
  double camera_port_dist_m = 0, camera_port_thick_m = 0, camera_n_glass = 0, camera_port_tilt_deg = 0,
         camera_dome_x_m = 0, camera_dome_y_m = 0, camera_dome_z_m = 0;
  // The calibration with these errors as its best pinhole cameras at this distance (pinhole_fit.h); 0: as it
  // is.
  double as_pinhole_m = 0;
  std::uint64_t seed = 0;

  bool operator==(const CalibrationError&) const = default;
};

// The parameter with the file of a covariance, and its value without one.
inline constexpr const char* kCovarianceFile = "covariance";
inline constexpr const char* kNoCovariance = "none";

// Returns the parameters of owner "perturb".
const std::vector<ParameterSpec>& perturb_parameters();

// Returns the error set by the parameters of owner "perturb", with the draws of a seed: "sigma_NAME" is the
// standard deviation of an error NAME that all cameras share, added to it; "covariance" the file of several
// (covariance.h), "none" by default. Throws Error(input) as read_covariance() does.
CalibrationError calibration_error(const Parameters& parameters, std::uint64_t seed);

// Returns whether the calibration is unchanged.
bool is_zero(const CalibrationError& error);

// Returns the rig with the error. calibration.json can only describe level water, so a tilt of the water is
// written as the opposite tilt of all cameras about (0, 0, water_z): the same geometry in another world
// frame, in which the water is level. Throws Error(input) like check(Rig) if nothing is visible through such
// a calibration, and for an error of what no camera has.
Rig perturbed(const Rig& rig, const CalibrationError& error);

// Returns the transform from the world frame of the perturbed rig to the true one. It moves a result of
// tilted cameras back, so that only the effect of the tilt on the refraction remains. The identity without a
// tilt.
Similarity world_from_perturbed(const Rig& rig, const CalibrationError& error);

// Adds the error to the calibration.json of a method's copy of a dataset. Throws Error(input) or Error(io)
// naming the file.
void perturb_calibration_file(const std::filesystem::path& file, const CalibrationError& error);

// Takes the poses out of the calibration.json of a method's copy of a dataset: each camera keeps its name and
// intrinsics, the water its refractive indices; extrinsics, the height of the water and all else go. Without
// `keep_intrinsics` the file goes as a whole. Throws Error(input) or Error(io) naming the file.
void withhold_poses(const std::filesystem::path& observation_dir, bool keep_intrinsics);

// Returns the files in a recording's folder that give poses in any layout that aqbench reads, whether they
// exist or not: calibrations, models, transforms, trajectories.
std::vector<std::filesystem::path> pose_files_in(const std::filesystem::path& recording_dir);

}  // namespace aqbench
