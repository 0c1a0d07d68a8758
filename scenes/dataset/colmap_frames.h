#pragma once
// Rigs and frames of a COLMAP model, which COLMAP writes since 3.12 beside the poses of the images. Format:
// https://colmap.github.io/format.html.

#include "scenes/dataset/colmap_files.h"

namespace aqbench {

// Reads rigs and frames of the model's folder, binary where both forms are there, and adds them to its files;
// does nothing without them. COLMAP takes poses from there and does not read those of the images: throws
// Error(input) naming file and image where the two differ by more than 1e-6 (rotation, and translation
// relative to its length), for an image without frame, an unknown rig, sensor or image, one of two files
// alone, and anything that is not of the format.
void check_colmap_frames(ColmapModel& model);

}  // namespace aqbench
