#pragma once
// Lens distortion as OpenCV 4 defines it, forwards and backwards. "Undistorted" coordinates are those of a
// pinhole with the same K; normalised ones are (x / z, y / z) in the camera frame.

#include <optional>
#include <span>
#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

// Returns the normalised coordinates of a pixel by K alone, without the lens.
Vec2 normalized_from_pixel(const Intrinsics& intrinsics, const Vec2& pixel);
// Returns the pixel of normalised coordinates by K alone, without the lens.
Vec2 pixel_from_normalized(const Intrinsics& intrinsics, const Vec2& normalized);

// Turns depths along z, row by row, into depths along each pixel's ray, by K alone.
void make_along_rays(const Intrinsics& intrinsics, std::span<float> depths_m);

// Returns where the lens images a point, in normalised coordinates. Defined for every point, also beyond the
// region where the model can be inverted.
Vec2 distort_normalized(const Intrinsics& intrinsics, const Vec2& undistorted);

// Returns the pixel of the camera itself for a pixel of the undistorted camera.
Vec2 distort_pixel(const Intrinsics& intrinsics, const Vec2& undistorted_px);

// The position of each pixel of the undistorted image in the camera's own image: the map of cv::remap.
struct UndistortionMap {
  int width_px = 0;
  int height_px = 0;
  std::vector<float> x_px;  // row-major, width * height; may lie outside the image
  std::vector<float> y_px;
};

// Computes distort_pixel() of every pixel. The undistorted camera has the same K and size, so this is
// cv::initUndistortRectifyMap with R = I and newCameraMatrix = K (cv::fisheye's for a fisheye lens). Uses
// parallel_for.
UndistortionMap undistortion_map(const Intrinsics& intrinsics);

// Inverts the distortion, by a safeguarded Newton iteration on the region around the axis where the lens
// model is one to one. The intrinsics must have passed check().
class Undistorter {
 public:
  explicit Undistorter(const Intrinsics& intrinsics);

  // Returns the undistorted point; nullopt if no point of that region maps to `distorted`.
  std::optional<Vec2> undistort_normalized(const Vec2& distorted) const;

  // Returns the pixel of the undistorted camera for a pixel of the camera; nullopt likewise. The residual is
  // below 1e-12 in normalised units.
  std::optional<Vec2> undistort_pixel(const Vec2& distorted_px) const;

  // Does the same for many pixels, several times faster. All four spans have one length; the outputs must not
  // overlap the inputs. NaN where undistort_pixel() gives nullopt.
  void undistort_pixels(std::span<const double> distorted_x_px, std::span<const double> distorted_y_px,
                        std::span<double> x_px, std::span<double> y_px) const;

  // Returns whether the image that the camera takes shows what the undistorted camera images at this pixel:
  // it lies in that region, and the lens images it inside the image (pixel centres from 0 to width - 1).
  bool takes(const Vec2& undistorted_px) const;

 private:
  Intrinsics intrinsics_;
  // The limit of the region: the largest undistorted normalised radius (brown_conrady), or the largest angle
  // from the axis in radians (fisheye, below pi / 2). Within it the map's Jacobian, which is symmetric, is
  // positive definite: the map is the gradient of a convex function, hence one to one.
  double invertible_limit_;
};

}  // namespace aqbench
