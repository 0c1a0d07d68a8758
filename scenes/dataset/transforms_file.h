#pragma once
// Reads transforms.json, the layout of nerfstudio and instant-ngp.

#include <filesystem>
#include <optional>
#include <vector>

#include "core/json.h"
#include "scenes/dataset/layout.h"

namespace aqbench {

// Returns the file of a folder that holds its cameras: transforms.json, else transforms_train.json; empty if
// there is neither.
std::filesystem::path find_transforms_file(const std::filesystem::path& dir);

// Reads cameras and finds their images. "transform_matrix" is world_from_camera with x right, y up and z
// backwards (OpenGL); the world stays the file's. (0.5, 0.5) is the centre of the first pixel, as in COLMAP.
// Intrinsics stand in the frame, else at the top: fl_x and fl_y (default: fl_x), or camera_angle_x; cx and cy
// (default: the middle); w and h (default: the image's); camera_model or is_fisheye; k1 to k4, p1, p2. An
// image may be named without its ending. Other members are not read. Throws Error(input) naming file and
// field: no frames, a matrix that is not rigid within 1e-4, another camera model, a coefficient that the lens
// does not have, a missing image.
LayoutCameras read_transforms_file(const std::filesystem::path& file);

// Returns the coefficients of a frame's lens as Intrinsics::distortion has them, 4 of a fisheye lens; nullopt
// for a lens that read_transforms_file() refuses. Throws Error(input) for a coefficient that is no number.
std::optional<std::vector<double>> distortion_at(const JsonPlace& frame, const JsonPlace& root);

}  // namespace aqbench
