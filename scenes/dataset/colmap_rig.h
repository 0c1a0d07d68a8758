#pragma once
// Makes a rig without water from a model of COLMAP.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/colmap_files.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// One camera for each image of the model.
struct ColmapRig {
  Rig rig;                          // in the model's frame, without an interface
  std::vector<std::string> images;  // of each camera
};

// Returns a camera for each image of the model, in its world and unit, with names as colmap_rig() makes them.
// Throws Error(input) naming the image for a lens that OpenCV's models cannot hold exactly: FOV, those of
// division, and with coefficients of thin prisms or more than four radial ones THIN_PRISM_FISHEYE and
// RAD_TAN_THIN_PRISM_FISHEYE.
std::vector<Camera> colmap_cameras(const ColmapModel& model);

// Gives a method's camera the focal lengths, the principal point, half a pixel taken off, the size and the
// lens of a camera; nothing for an unknown lens model, no lens for one that colmap_cameras() refuses.
void take_colmap_intrinsics(const ColmapCamera& camera, OwnCamera& to);

// Returns the cameras of a model in its own frame and unit, which is taken for the metre, with half a pixel
// taken off their principal points. A camera has the name of its image without the ending, with "_" for a
// slash, a backslash or a quotation mark; where all images have the same name in folders of their own, it has
// the name of the folder. Throws Error(input) as colmap_cameras() and check(Rig) do.
ColmapRig colmap_rig(const ColmapModel& model);

// Writes cameras.txt, images.txt and points3D.txt (empty) into a folder that exists: exact poses, one camera
// for each image, image names "CAMERA/FILE". COLMAP puts (0.5, 0.5) at the centre of the top left pixel, so
// its principal point is half a pixel larger. Format: https://colmap.github.io/format.html. Throws Error(io).
void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file);

// Writes the same for cameras with images of these names.
void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& cameras,
                        const std::vector<std::string>& image_names);

}  // namespace aqbench
