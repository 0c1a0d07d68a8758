#pragma once
// A COLMAP model on disk, text or binary: its files, its rigs and frames, and the cameras made of it.
// Formats: https://colmap.github.io/format.html.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenes/cloud/colmap.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// A lens model: the number of its parameters, and where they stand: fx fy cx cy, then distortion in OpenCV's
// order. All coefficients but those taken must be 0, since OpenCV's lens has none of their kind.
struct ColmapLens {
  int id;
  std::string_view name;
  std::size_t parameters;
  bool is_held, one_focal_length = false, fisheye = false;  // is_held: by one of OpenCV's models
  std::vector<std::size_t> taken = {};                      // indices of coefficients behind fx fy cx cy
};

// Returns all lens models of COLMAP.
const std::vector<ColmapLens>& colmap_lenses();

// The intrinsics of a camera, in COLMAP's pixels: (0.5, 0.5) is the centre of the top left one.
struct ColmapCamera {
  std::string model;  // "OPENCV"
  std::uint64_t width_px = 0, height_px = 0;
  std::vector<double> parameters;  // as many as the model has
  std::optional<Port> port = {};   // of the refractive COLMAP
};

// A model. Lengths are in its own unit.
struct ColmapModel {
  std::filesystem::path dir;
  std::vector<std::filesystem::path> files;  // that were read
  std::map<std::uint32_t, ColmapCamera> cameras;
  std::vector<ColmapImage> images;  // sorted by name
};

// Returns the folder of a dataset that holds a model, cameras and images as .bin or .txt: the folder itself,
// sparse/0, sparse or colmap; empty if there is none.
std::filesystem::path find_colmap_model(const std::filesystem::path& dataset_dir);

// Reads cameras, images and, to check it, points3D, where there is one; binary where both forms are there.
// Throws Error(input) naming file, line or image for anything that is not of the format, another number of
// entries than the comments of a text say, an unknown lens model, or an image of a camera that is not in the
// model.
ColmapModel read_colmap_model(const std::filesystem::path& model_dir);

// Reads rigs and frames of the model's folder, binary where both forms are there, and adds them to its files;
// does nothing without them. COLMAP takes poses from there and does not read those of the images: throws
// Error(input) naming file and image where the two differ by more than 1e-6 (rotation, and translation
// relative to its length), for an image without frame, an unknown rig, sensor or image, one of two files
// alone, and anything that is not of the format.
void check_colmap_frames(ColmapModel& model);

// Returns a camera for each image of the model, in its world and unit, with half a pixel taken off its
// principal point. It has the name of its image without the ending, with "_" for a slash, a backslash or a
// quotation mark; where all images have the same name in folders of their own, it has the name of the folder.
// Throws Error(input) naming the image for a lens that OpenCV's models cannot hold exactly: FOV, those of
// division, and with coefficients of thin prisms or more than four radial ones THIN_PRISM_FISHEYE and
// RAD_TAN_THIN_PRISM_FISHEYE.
std::vector<Camera> colmap_cameras(const ColmapModel& model);

// Gives a method's camera the focal lengths, the principal point, half a pixel taken off, the size and the
// lens of a camera; nothing for an unknown lens model, no lens for one that colmap_cameras() refuses.
void take_colmap_intrinsics(const ColmapCamera& camera, OwnCamera& to);

// Writes cameras.txt, images.txt and points3D.txt (empty) into a folder that exists: exact poses, one camera
// for each image, image names "CAMERA/FILE". COLMAP puts (0.5, 0.5) at the centre of the top left pixel, so
// its principal point is half a pixel larger. Format: https://colmap.github.io/format.html. Ports and level
// water stand behind the lens as the refractive COLMAP (port_file.h) has them; COLMAP itself has none. Throws
// Error(input) naming the camera for level water that port_through() does not hold, Error(io).
void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file);

// Writes the same for cameras with images of these names.
void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& cameras,
                        const std::vector<std::string>& image_names);

}  // namespace aqbench
