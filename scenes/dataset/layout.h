#pragma once
// What the layouts of other programs have in common: cameras with one image each, and the truth beside them.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The truth that comes with a layout. Methods do not see it.
struct LayoutTruth {
  std::vector<std::filesystem::path> surface;  // a mesh, scans, or a MeshLab project of scans; empty: none
  std::string unit = "m";                      // of the surface and the crops
  std::vector<std::filesystem::path> crops;    // files that limit what is scored (scenes/cloud/crop.h)
  bool depths_are_surface = false;             // the true depth maps are the scans of the surface
  std::vector<std::filesystem::path> files;    // all files of the truth, those above included
  std::vector<std::filesystem::path> unread;   // folders that hold more of it, which is not read
};

// The cameras of a layout. A dry world in metres: that of the truth where there is one.
struct LayoutCameras {
  std::vector<std::filesystem::path> files;  // that describe the cameras
  std::vector<Camera> cameras;
  std::vector<std::filesystem::path> images;  // of each camera
  std::vector<std::filesystem::path> masks;   // that a file names, of each camera; empty: none
  LayoutTruth truth;
};

// Returns a file of the folder that `name` names, relative to images/ or to the folder itself. Throws
// Error(input) naming folder and camera for a file that is not there or lies outside of the folder.
std::filesystem::path named_image(const std::filesystem::path& dir, const std::string& name,
                                  const std::string& camera);

// Returns the name of a camera from the name of its image: without the ending, with "_" for a slash, a
// backslash or a quotation mark.
std::string camera_name_of(const std::filesystem::path& image);

// Sets width and height to those of an image file. Throws Error(input) as inspect_image() does.
void take_size(const std::filesystem::path& image, Intrinsics& intrinsics);

// Moves cameras into another world: x_new = new_from_old x_old. Lengths in their frames change by its scale,
// pixels do not.
void move_cameras(const Similarity& new_from_old, std::vector<Camera>& cameras);

// Returns the rotation nearest to a matrix of rounded numbers. Throws Error(input) "WHERE: ..." unless it is
// one within `tolerance` per entry.
Mat3 rotation_near(const Mat3& rounded, double tolerance, const std::string& where);

// Returns the files of a folder, sorted by name; none if there is no such folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

}  // namespace aqbench
