#pragma once
// Reads the layout of MVSNet: DTU as it is prepared for it, BlendedMVS, and what colmap2mvsnet.py writes.

#include <filesystem>

#include "scenes/dataset/layout.h"

namespace aqbench {

// Returns whether a folder holds cams/NUMBER_cam.txt.
bool is_mvsnet_folder(const std::filesystem::path& dir);

// Reads cams/NUMBER_cam.txt: "extrinsic", camera_from_world as 4 x 4, "intrinsic", K as 3 x 3, and the range
// of depths. (0, 0) is the centre of the first pixel, as MVSNet's own warping has it; there is no distortion.
// The image is images/NUMBER.* or blended_images/NUMBER.*, which gives the size. pair.txt, here or in cams/,
// must name these views. Truth:
// - rendered_depth_maps/NUMBER.pfm (BlendedMVS): depths along z, 0 where there is none.
// - Points/stl/stlNNN_total.ply of DTU for a folder scanN, in the folder, in "SampleSet/MVS Data/" or in one
//   of the two folders above: a scan in millimetres, as the cameras then are.
// Throws Error(input) naming file and line: a file of another form, a matrix that is not rigid within 1e-4, a
// principal point in the outer quarter of the image (cameras of another size), a missing image, a pair of a
// view without camera.
LayoutCameras read_mvsnet_folder(const std::filesystem::path& dir);

}  // namespace aqbench
