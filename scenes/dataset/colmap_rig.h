#pragma once
// Makes a rig without water from a model of COLMAP.

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

// Converts lenses (half a pixel is taken off the principal point) and poses. A camera has the name of its
// image without the ending, with "_" for a slash, a backslash or a quotation mark; where all images have the
// same name in folders of their own, it has the name of the folder. The model's unit is taken for the metre.
// Throws Error(input) naming the image for a lens that OpenCV's models cannot hold (FOV, THIN_PRISM_FISHEYE).
ColmapRig colmap_rig(const ColmapModel& model);

}  // namespace aqbench
