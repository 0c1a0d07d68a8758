#pragma once
// calibration.json in AquaCal's format 1.0, which AquaMVS reads too, or in 1.1, where a camera may lack the
// height of the water and then looks through none (docs/dataset.md).

#include <filesystem>
#include <string>
#include <string_view>

#include "scenes/optics/camera.h"

namespace aqbench {

// The "board" of the file, the one by which the cameras were calibrated; its squares and markers in metres.
struct CalibratedBoard {
  int squares_x = 8, squares_y = 5;
  double square_m = 0.04, marker_m = 0.03;
  std::string dictionary = "DICT_6X6_250";
};

// The "metadata" of the file, and its board, which do not affect the cameras.
struct CalibrationMetadata {
  std::string calibration_date;  // ISO 8601; the caller's choice, so that equal input gives equal bytes
  std::string software_version;
  std::string config_hash;
  CalibratedBoard board = {};
};

// Returns the file's text: version 1.0 if every camera looks through the water, 1.1 if not. Numbers read back
// to the last bit. Throws Error(input) as check(Rig) does.
std::string calibration_json(const Rig& rig, const CalibrationMetadata& metadata);

// Reads a calibration from text; cameras keep the file's order. `where` stands before each message, usually
// the file's name. Throws Error(input) "WHERE: cameras.cam00.extrinsics.R[1]: must be 3 numbers" for text
// that is not JSON, an unknown version, a missing field, a wrong type or shape, a number that is not finite,
// a K, R or water that check(Rig) refuses, an interface normal other than (0, 0, -1), cameras that disagree
// on water_z. Unknown fields are passed over. `interface_distance` stands in for `water_z` (older files).
Rig parse_calibration(std::string_view text, const std::string& where);

// Writes a calibration file. Throws Error(input) or Error(io) naming the file.
void write_calibration(const std::filesystem::path& path, const Rig& rig,
                       const CalibrationMetadata& metadata);
// Reads a calibration file. Throws Error(input) or Error(io) naming the file.
Rig read_calibration(const std::filesystem::path& path);

// Reads the cameras of the ground truth of AquaCal's synthetic data: {"intrinsics": {"cam0": ..},
// "extrinsics": .., "water_zs": {"cam0": 0.15}}; n_air and n_water, where the file has them. Cameras whose
// heights of the water differ get a pane each (port_through()). Throws as read_calibration() does.
Rig read_aquacal_truth(const std::filesystem::path& path);

}  // namespace aqbench
