#pragma once
// Measures without truth: how well a reconstruction agrees with itself, and whether the images agree on what
// its points look like. This is no accuracy: depths that are wrong in the same way everywhere agree, and
// images may agree on a wrong calibration, too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/images/images.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Returns the bilinear depth at a place between four pixels, which must all have one (finite, above 0).
std::optional<double> interpolated_depth_m(const DepthMap& map, const Vec2& pixel);

// Returns reprojection_*: a pixel's point by its camera's depth is projected into another camera, whose own
// depth there gives a point that is projected back; the error is how far from the first pixel that is. Over
// every eighth pixel in each direction of each camera's undistorted image and every other camera that sees
// the point and has depths around it. Undefined with a reason where no pair of depths meets. The same for any
// thread count. Throws Error(method) for a map of an unknown camera or of another size than its image.
MetricSet measure_consistency(std::span<const DepthMap> maps, const Rig& rig);

// Returns the zero-mean normalised cross-correlation of two windows of one size, -1 to 1, or NaN where one of
// them has no texture: a standard deviation below 1 / 255 of white.
double window_likeness(std::span<const float> a, std::span<const float> b);

// Gives the grey image of a camera, by its number in the rig; it is asked for one after the other.
using ImageOfCamera = std::function<GreyImage(std::size_t camera)>;

// Returns photometric_* (metrics/registry.h) of a cloud in the rig's world frame. Its coverage is over all
// images, of at most 200 000 points. For their likeness, of at most 2000 points,
// evenly through the cloud, a window (a square of 7 x 7 places) is put on the point's tangent plane (across
// the mean of the rays that see it where the cloud has no normals), one pixel of the coarsest image apart.
// Each image that shows all of it is sampled there through refraction and lens; the image that looks at it
// most straightly is compared with each other one, and the median of these likenesses is the point's
// (Furukawa and Ponce, Accurate, Dense, and Robust Multiview Stereopsis, 2010, with the median in place of
// the mean: nothing says what is hidden behind what). Undefined with a reason where no two images show a
// point with texture. The same for any thread count.
MetricSet measure_photometric(const PointCloud& cloud, const Rig& rig, const ImageOfCamera& image_of);

// Returns how alike images show each of these points of the cloud, as measure_photometric() measures it; NaN
// where no two images show it with texture.
std::vector<double> point_likenesses(const PointCloud& cloud, std::span<const std::uint32_t> index,
                                     const Rig& rig, const ImageOfCamera& image_of);

// Returns in how many images of the rig each of these points lies, whatever is in front of it.
std::vector<int> images_showing(const PointCloud& cloud, std::span<const std::uint32_t> index,
                                const Rig& rig);

}  // namespace aqbench
