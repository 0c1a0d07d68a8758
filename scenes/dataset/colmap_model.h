#pragma once
// Writes a rig without water as a COLMAP text model, for programs without refraction.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

// Writes cameras.txt, images.txt and points3D.txt (empty) into a folder that exists: exact poses, one camera
// for each image, image names "CAMERA/FILE". COLMAP puts (0.5, 0.5) at the centre of the top left pixel, so
// its principal point is half a pixel larger. Format: https://colmap.github.io/format.html. Throws Error(io).
void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file);

// Writes the same for cameras with images of these names.
void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& cameras,
                        const std::vector<std::string>& image_names);

}  // namespace aqbench
