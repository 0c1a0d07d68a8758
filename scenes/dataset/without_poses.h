#pragma once
// What a method sees that finds its camera poses itself.

#include <filesystem>
#include <vector>

namespace aqbench {

// Takes the poses out of the calibration.json of a method's copy of a dataset: each camera keeps its name and
// intrinsics, the water its refractive indices; extrinsics, the height of the water and all else go. Without
// `keep_intrinsics` the file goes as a whole. Throws Error(input) or Error(io) naming the file.
void withhold_poses(const std::filesystem::path& observation_dir, bool keep_intrinsics);

// Returns the files in a recording's folder that give poses in any layout that aqbench reads, whether they
// exist or not: calibrations, models, transforms, trajectories.
std::vector<std::filesystem::path> pose_files_in(const std::filesystem::path& recording_dir);

}  // namespace aqbench
