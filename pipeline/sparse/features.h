#pragma once
// Detects keypoints of an image and computes their descriptors.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// The number and selection of keypoints.
struct FeatureOptions {
  int keypoints = 2048;              // per image, at most; the strongest
  double contrast_threshold = 0.01;  // of SIFT's extrema in OpenCV's scale; grey units
  double edge_threshold = 10;        // ratio of principal curvatures beyond which an extremum is an edge
};

// The length of a descriptor.
inline constexpr int kDescriptorSize = 128;

// The norm of every descriptor; scalar products then fit into 32 bits.
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

// Detects keypoints by SIFT (Lowe 2004, OpenCV) with square roots of the normalised histograms as descriptors
// (RootSIFT, Arandjelovic and Zisserman 2012). Removes the 1/4 px offset that OpenCV's SIFT gets from
// doubling the image. Drops keypoints outside the camera's own image
// and, without water, those wider than an eighth of it. OpenCV runs on thread_count() threads;
// the result is the same for any number.
Features detect_features(const DatasetView& view, const FeatureOptions& options);

}  // namespace aqbench::sparse
