#pragma once
// Detects keypoints of an image and describes how their surroundings look.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// How many keypoints are kept, and which.
struct FeatureOptions {
  int keypoints = 2048;              // at most, of each image; the strongest
  double contrast_threshold = 0.01;  // of SIFT's extrema, as OpenCV counts it; grey units
  double edge_threshold = 10;        // ratio of principal curvatures beyond which an extremum is an edge
};

// The number of numbers in a descriptor.
inline constexpr int kDescriptorSize = 128;

// The length of every descriptor as a vector; with it a scalar product of two fits into 32 bits.
inline constexpr int kDescriptorNorm = 8192;

// The keypoints of one image with their descriptors.
struct Features {
  std::vector<Vec2> pixels;               // of the undistorted image, strongest first
  std::vector<std::int16_t> descriptors;  // [keypoint][kDescriptorSize], of length kDescriptorNorm

  std::size_t size() const { return pixels.size(); }
  std::span<const std::int16_t> descriptor(std::size_t keypoint) const {
    return std::span(descriptors).subspan(keypoint * kDescriptorSize, kDescriptorSize);
  }
};

// Detects keypoints by SIFT (Lowe 2004, OpenCV), described by the square roots of the normalised histograms
// (RootSIFT, Arandjelovic and Zisserman 2012). The offset of 1/4 px that OpenCV's SIFT has from doubling the
// image is removed. Keypoints outside of the camera's own image are dropped. OpenCV runs on thread_count()
// threads; the result is the same for any number.
Features detect_features(const DatasetView& view, const FeatureOptions& options);

}  // namespace aqbench::sparse
