#pragma once
// Points of interest of an image and what they look like.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

struct FeatureOptions {
  int keypoints = 2048;              // at most, of each image; the strongest
  double contrast_threshold = 0.01;  // of SIFT's extrema, as OpenCV counts it; grey units
  double edge_threshold = 10;        // ratio of principal curvatures beyond which an extremum is an edge
};

inline constexpr int kDescriptorSize = 128;
// The length of every descriptor: a sum of products of two fits 32 bits.
inline constexpr int kDescriptorNorm = 8192;

struct Features {
  std::vector<Vec2> pixels;               // of the undistorted image, strongest first
  std::vector<std::int16_t> descriptors;  // [keypoint][kDescriptorSize], of length kDescriptorNorm

  std::size_t size() const { return pixels.size(); }
  std::span<const std::int16_t> descriptor(std::size_t keypoint) const {
    return std::span(descriptors).subspan(keypoint * kDescriptorSize, kDescriptorSize);
  }
};

// SIFT (Lowe 2004, OpenCV) with the square roots of the normalised histograms as descriptor (RootSIFT,
// Arandjelovic and Zisserman 2012). Positions are without the offset of 1/4 px that OpenCV's SIFT has from
// doubling the image. Keypoints outside of the camera's own image are dropped. OpenCV runs on thread_count()
// threads; the result is the same for any number.
Features find_features(const DatasetView& view, const FeatureOptions& options);

}  // namespace aqbench::sparse
