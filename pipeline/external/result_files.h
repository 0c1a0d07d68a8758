#pragma once
// Reads what a program wrote: a cloud or mesh, depth maps.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// What the depth maps of a program mean.
struct ResultDepths {
  bool along_z = false;         // else along the ray
  double metres_per_count = 0;  // of maps of integers; 0: not known
  // Cameras of the dataset; needed for depths along z and for numbered maps.
  std::vector<Camera> cameras = {};
  bool numbered = false;  // a file has the place of its camera as name, "00000003.pfm"
};

// Reads a cloud or mesh in any format of read_geometry_file(). `name` stands in the error of a missing file.
// Throws Error(method).
Reconstruction read_result(const std::filesystem::path& file, const std::string& name);

// Reads the depth maps of a folder, sorted by file name: CAMERA.npy (float32) with CAMERA_confidence.npy if
// it exists, and CAMERA with .pfm, .exr, .png, .tif, .tiff or .bin as read_depth_image() reads them; of
// COLMAP's CAMERA.png.geometric.bin the camera is CAMERA, and its photometric maps are read if there is no
// geometric one. Depths along z become depths along the ray: only for cameras without water. Values that are
// not positive and finite are no depth. Throws Error naming file and reason: no map at all, an unknown
// camera, a map of another size than its camera, counts without metres_per_count and the other way round.
std::vector<DepthMap> read_result_maps(const std::filesystem::path& folder, const ResultDepths& depths);

}  // namespace aqbench
