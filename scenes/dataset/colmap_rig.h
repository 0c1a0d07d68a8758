#pragma once
// Makes a rig without water from a model of COLMAP.

#include <string>
#include <vector>

#include "scenes/cloud/transform.h"
#include "scenes/dataset/colmap_files.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// One camera for each image of the model.
struct ColmapRig {
  Rig rig;  // its water does not refract and lies just below the cameras: depths begin there
  std::vector<std::string> images;  // of each camera
  Similarity own_from_rig;          // from the rig's world frame to the model's: a rotation
};

// Returns a camera for each image of the model, in its world and unit, with names as colmap_rig() makes them.
// Throws Error(input) naming the image for a lens that OpenCV's models cannot hold exactly: FOV, those of
// division, and with coefficients of thin prisms or more than four radial ones THIN_PRISM_FISHEYE and
// RAD_TAN_THIN_PRISM_FISHEYE.
std::vector<Camera> colmap_cameras(const ColmapModel& model);

// Converts lenses (half a pixel is taken off the principal point) and poses. Where the cameras do not look
// down already, the world is turned so that their mean direction is +Z. A camera has the name of its image
// without the ending, with "_" for a slash, a backslash or a quotation mark; where all images have the same
// name in folders of their own, it has the name of the folder. The model's unit is taken for the metre.
// Throws Error(input) as colmap_cameras() does, naming the image for a camera of which a corner does not look
// down, and naming the model where more than 1 % of its points lie above a camera: then no level plane
// separates cameras and scene.
ColmapRig colmap_rig(const ColmapModel& model);

}  // namespace aqbench
