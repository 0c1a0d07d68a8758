#pragma once
// Reads a COLMAP model on disk, text or binary. Formats: https://colmap.github.io/format.html.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "scenes/cloud/colmap.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The intrinsics of a camera, in COLMAP's pixels: (0.5, 0.5) is the centre of the top left one.
struct ColmapCamera {
  std::string model;  // "OPENCV"
  std::uint64_t width_px = 0, height_px = 0;
  std::vector<double> parameters;  // as many as the model has
};

// A model. Lengths are in its own unit.
struct ColmapModel {
  std::filesystem::path dir;
  std::vector<std::filesystem::path> files;  // that were read
  std::map<std::uint32_t, ColmapCamera> cameras;
  std::vector<ColmapImage> images;  // sorted by name
  std::vector<Vec3> points;
};

// Returns the folder of a dataset that holds a model, cameras and images as .bin or .txt: the folder itself,
// sparse/0, sparse or colmap; empty if there is none.
std::filesystem::path find_colmap_model(const std::filesystem::path& dataset_dir);

// Reads cameras, images and, where there is one, points3D; binary where both forms are there. Throws
// Error(input) naming file, line or image for anything that is not of the format, another number of entries
// than the comments of a text say, an unknown lens model, or an image of a camera that is not in the model.
ColmapModel read_colmap_model(const std::filesystem::path& model_dir);

}  // namespace aqbench
