#pragma once
// Reads cameras.json: the cameras of a flat folder of images, in a short hand-written form.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

// Cameras and the names of their images, one per frame.
struct NamedImages {
  Rig rig;
  std::vector<std::vector<std::string>> images;  // of each camera, relative to the folder of images
};

// Reads {"water": {"z_m": .., "n_air": 1, "n_water": 1.333}, "cameras": [{"name": .., "image": FILE or
// "images": [FILE, ..], "size": [w, h], "K": 3x3, "distortion": [..], "fisheye": false, "auxiliary": false,
// "R": 3x3, "t_m": [x, y, z]}]}. Without "water" rays are straight, and depths
// begin at the camera's centre instead of at `z_m`. The default name is that of the first image without its
// extension; the default distortion is none. Throws Error(input) "FILE: cameras[1].K: ..." for a field that
// is missing, unknown or wrong, and as check(Rig) does.
NamedImages read_cameras_file(const std::filesystem::path& file);

}  // namespace aqbench
