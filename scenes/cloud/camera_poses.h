#pragma once
// Reads camera poses and positions from files of other programs.

#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns images.bin or images.txt of a COLMAP model in a folder: itself, or in sparse/0, sparse or colmap.
// Throws Error(input) naming the folder if there is none.
std::filesystem::path colmap_images_file(const std::filesystem::path& dir);

// Reads the poses of a COLMAP file of images (scenes/cloud/colmap.h); the centre is -R^T t. Throws as
// read_colmap_images() does, and Error(input) naming the image for a quaternion of zero.
std::vector<OwnCamera> read_colmap_poses(const std::filesystem::path& file);

// Reads the name ("file_path") and pose ("transform_matrix": world_from_camera 4x4 or 3x4 with OpenGL's axes,
// x right, y up, z backwards) of a frame of transforms.json. Throws Error(input) naming the place, also for a
// matrix that is not rigid within 1e-4.
OwnCamera pose_of_frame(const JsonPlace& frame);

// Reads poses, by the content of the file:
// - a folder with a COLMAP model (colmap_images_file()), images.bin or images.txt.
// - transforms.json of nerfstudio and instant-ngp: "frames" with "file_path" and "transform_matrix",
//   world_from_camera 4x4 with OpenGL's axes (x right, y up, z backwards). A rotation within 1e-4.
// - TUM's "NAME TX TY TZ QX QY QZ QW", separated by blanks; lines that begin with # are comments.
// Poses are in the frame and unit of the file; the name of a camera is that of its image as the file has it.
// Throws Error(input) with file and place for anything else, for a number that is not finite, a camera that
// comes twice and a file without any.
std::vector<OwnCamera> read_camera_poses(const std::filesystem::path& path);

// The position of one camera.
struct CameraCentre {
  std::string name;
  Vec3 centre;  // in the file's frame and unit
};

// Reads the centres of cameras from a folder that holds images.bin or images.txt of COLMAP (itself, or in
// sparse/0, sparse or colmap), from images.bin, or from a text, by its content:
// - COLMAP's images.txt (scenes/cloud/colmap.h); the centre is -R^T t.
// - a .log trajectory of Tanks and Temples and Open3D: a line of three whole numbers, then a 4x4 matrix
//   world_from_camera; the name is the first number. A camera whose second number is -1 was not registered
//   and is left out.
// - "TIME TX TY TZ QX QY QZ QW" (TUM), separated by blanks or commas.
// - "NAME X Y Z", separated by blanks or commas. A name may hold them, too, in quotation marks where it would
//   end in a number.
// Throws Error(input) with file and line for anything else, for a camera that comes twice and for a file
// without any.
std::vector<CameraCentre> read_camera_centres(const std::filesystem::path& path);

}  // namespace aqbench
