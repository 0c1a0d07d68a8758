#pragma once
// The input of real methods: undistorted cameras and grey images of a dataset (docs/dataset.md).

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pipeline/plane_sweep/kernels/input.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// How a dataset's images are prepared.
struct DatasetViewOptions {
  // Contrast-limited adaptive histogram equalisation of the undistorted image, in 8 bits (OpenCV's).
  bool clahe = false;
  double clahe_clip_limit = 2.0;  // of a histogram's bin, in multiples of its mean
  int clahe_tiles = 8;            // along each side of the image
};
// Throws Error(usage) naming the field.
void check(const DatasetViewOptions& options);

// One undistorted camera of a dataset and its image.
struct DatasetView {
  std::string name;           // of the camera
  bool is_auxiliary = false;  // a source for others; gets no depth map
  RefractiveCamera camera;    // undistorted: same K and size
  std::vector<float> grey;    // row-major, 0 (black) to 1; border values outside the camera's image
  // Row-major, 1 where the pixel lies in the camera's own image and, if that has one, in its mask.
  std::vector<std::uint8_t> inside;
  bool has_mask = false;

  // Returns the input of the plane sweep, which refers to `grey`.
  plane_sweep::View view() const;
};

// Reads calibration.json and images/<camera>/000000.png of every camera (8 or 16 bits, grey or colour),
// converts to grey = 0.114 B + 0.587 G + 0.299 R and undistorts by bicubic interpolation (a = -1/2) at the
// exact position: cv::remap rounds positions to 1/32 px. Pixels that masks/<camera>/000000.png, if it is
// there, has as 0 are not inside. Views are in the order of the file, the same bytes for any thread count.
// Opens the stages image_reading, undistortion and, with clahe, contrast_enhancement. Throws like
// read_calibration(), and Error(input) "FILE: ..." for an image that is missing, unreadable or not of the
// calibrated size.
std::vector<DatasetView> read_dataset_views(const std::filesystem::path& dataset_dir,
                                            const DatasetViewOptions& options = {});

// Returns the indices of the views to compare `reference` with: the `nearest` closest other non-auxiliary
// cameras (by distance of their centres; ties within 1e-9 m in view order), nearest first, then every
// auxiliary camera. Passes over cameras at the reference's own place, those whose axis is turned by more than
// 75 degrees from its own, and those that see no part of its view from a quarter to 64 baselines away. Fewer
// if there are fewer.
std::vector<std::size_t> select_sources(std::span<const DatasetView> views, std::size_t reference,
                                        std::size_t nearest = 4);

}  // namespace aqbench
