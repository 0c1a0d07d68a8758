#pragma once
// The input of real methods: undistorted cameras and grey images of a dataset (docs/dataset.md).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// How a dataset's images are prepared.
struct DatasetViewOptions {
  // Contrast-limited adaptive histogram equalisation of the undistorted image, in 8 bits (OpenCV's).
  bool clahe = false;
  double clahe_clip_limit = 2.0;  // of a histogram's bin, in multiples of its mean
  int clahe_tiles = 8;            // along each side of the image
};
// One undistorted camera of a dataset and its image.
struct DatasetView {
  std::string name;           // of the camera
  bool is_auxiliary = false;  // a source for others; gets no depth map
  RefractiveCamera camera;    // undistorted: same K and size
  std::vector<float> grey;    // row-major, 0 (black) to 1; border values outside the camera's image
  // Row-major, 1 where the pixel lies in the camera's own image and, if that has one, in its mask.
  std::vector<std::uint8_t> inside;
  bool has_mask = false;

  // Returns whether a position, in pixels, lies in the image and its nearest pixel is `inside`; false for
  // NaN.
  bool sees(float x_px, float y_px) const {
    const auto right = static_cast<float>(camera.width_px - 1),
               bottom = static_cast<float>(camera.height_px - 1);
    return x_px >= 0 && y_px >= 0 && x_px <= right && y_px <= bottom &&
           inside[static_cast<std::size_t>(std::lround(y_px)) * static_cast<std::size_t>(camera.width_px) +
                  static_cast<std::size_t>(std::lround(x_px))] != 0;
  }
  // Returns the input of the plane sweep, which refers to `grey`.
  plane_sweep::View view() const;
};

// Reads calibration.json and images/<camera>/000000.png of every camera (8 or 16 bits, grey or colour),
// converts to grey = 0.114 B + 0.587 G + 0.299 R and undistorts by bicubic interpolation (a = -1/2) at the
// exact position: cv::remap rounds positions to 1/32 px. Pixels that masks/<camera>/000000.png, if it is
// there, has as 0 are not inside. Views are in the order of the file, the same bytes for any thread count.
// From here on the process keeps freed memory (keep_freed_memory()): a method of images starts with this.
// Opens the stages image_reading, undistortion and, with clahe, contrast_enhancement. Throws like
// read_calibration(), and Error(input) "FILE: ..." for an image that is missing, unreadable or not of the
// calibrated size.
std::vector<DatasetView> read_dataset_views(const std::filesystem::path& dataset_dir,
                                            const DatasetViewOptions& options = {});

// Moves the world's origin near the cameras, by multiples of 100 m along its axes, and returns how far: zero
// for cameras within 50 m of it. Positions in single precision are then fine in national coordinates, too.
Vec3 move_origin_to(std::span<DatasetView> views);

// Returns the view with the mean of each factor x factor pixels as one pixel: the same camera, coarser. A
// pixel is inside where all of these are; rows and columns that are left over at the end are dropped.
DatasetView reduced(const DatasetView& view, int factor);

// Returns the views reduced so that each keeps at least 640 pixels in a row; none if no view has 1280.
std::vector<DatasetView> coarse_views(std::span<const DatasetView> views);

// Returns the indices of the views to compare `reference` with: the `nearest` closest other non-auxiliary
// cameras (by distance of their centres; ties within 1e-9 m in view order), nearest first, then every
// auxiliary camera. Passes over cameras at the reference's own place, those whose axis is turned by more than
// 75 degrees from its own, and those that see no part of its view from a quarter to 64 baselines away. Fewer
// if there are fewer.
std::vector<std::size_t> select_sources(std::span<const DatasetView> views, std::size_t reference,
                                        std::size_t nearest = 4);

// Four neighbours in a row.
using FourPixels = float __attribute__((vector_size(16)));

// Returns the weights of the pixels at -1, 0, 1 and 2 for the position t in [0, 1) (Catmull and Rom, 1974).
inline FourPixels cubic_weights(float t) {
  constexpr FourPixels kCubic{-0.5F, 1.5F, -1.5F, 0.5F}, kSquare{1, -2.5F, 2, -0.5F}, kLinear{-0.5F, 0, 0.5F},
      kConstant{0, 1};
  return ((kCubic * t + kSquare) * t + kLinear) * t + kConstant;
}

// Returns the value of a row-major image of values 0 to 1 at any finite position, in pixels; beyond the
// border, border values continue.
inline float sample_cubic(const float* image, int width, int height, float x, float y) {
  x = std::clamp(x, 0.0F, static_cast<float>(width - 1));
  y = std::clamp(y, 0.0F, static_cast<float>(height - 1));
  const int left = static_cast<int>(x), top = static_cast<int>(y);
  const FourPixels weights = cubic_weights(y - static_cast<float>(top));
  const bool inside = left >= 1 && left + 2 < width && top >= 1 && top + 2 < height;
  FourPixels columns{};  // sums over the rows
  for (int j = 0; j < 4; ++j) {
    const float* const row =
        image + static_cast<std::ptrdiff_t>(std::clamp(top - 1 + j, 0, height - 1)) * width;
    FourPixels pixels;
    if (inside)
      std::memcpy(&pixels, row + left - 1, sizeof pixels);
    else
      for (int i = 0; i < 4; ++i) pixels[i] = row[std::clamp(left - 1 + i, 0, width - 1)];
    columns += weights[j] * pixels;
  }
  columns *= cubic_weights(x - static_cast<float>(left));
  return std::clamp((columns[0] + columns[1]) + (columns[2] + columns[3]), 0.0F, 1.0F);
}

}  // namespace aqbench
