#pragma once
// Stills of a calibration board in many poses, as programs that calibrate rigs take them.

#include <Eigen/Geometry>
#include <filesystem>
#include <vector>

#include "scenes/dataset/dataset.h"

namespace aqbench {

// Reads the poses of a board: a list of {"rotation": a rotation vector in radians or a 3 x 3 matrix,
// "translation": 3 numbers in metres}, world_from_board; also {"poses": that list} and AquaCal's
// ground_truth.json, whose "board_poses" have "rvec" and "tvec". Throws Error(input) naming file and field.
std::vector<Eigen::Isometry3d> read_board_poses(const std::filesystem::path& file);

// Plans a still of each pose; the scene must be a board. The rig of a file stays in its world, which is that
// of the poses. Throws as plan_dataset() and read_board_poses() do, naming the pose, and Error(usage) for
// another scene and a parameter of the scene that is a pose.
std::vector<DatasetPlan> plan_board_stills(const DatasetRequest& request, const std::filesystem::path& poses);

// Writes images/<camera>/000000.png and so on, one of each pose, calibration.json, and apart the truth:
// corners and what was rendered. Throws as write_dataset() does.
void write_board_stills(const std::vector<DatasetPlan>& stills, const std::filesystem::path& dir,
                        const RenderProgress& progress = {});

}  // namespace aqbench
