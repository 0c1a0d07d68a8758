#pragma once
// Where each pixel of the undistorted image lies in the camera's own image: what cv::remap is given.

#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

struct UndistortionMap {
  int width_px = 0;
  int height_px = 0;
  std::vector<float> x_px;  // row-major, width * height; may lie outside the image
  std::vector<float> y_px;
};

// The undistorted camera has the same K and size, so this is cv::initUndistortRectifyMap with R = I and
// newCameraMatrix = K (cv::fisheye's for a fisheye lens). Uses parallel_for.
UndistortionMap undistortion_map(const Intrinsics& intrinsics);

}  // namespace aqbench
