#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <span>
#include <tuple>
#include <vector>

#include "core/parallel.h"
#include "pipeline/sparse/sparse.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::sparse {
namespace {

// OpenCV (4.6) doubles the image by cv::resize, which maps x to 2 x + 1/2, but maps positions back by x / 2.
constexpr float kOpenCvOffset_px = 0.25F;

constexpr double kLargestShare = 0.125;  // of a keypoint's diameter in the image's width, without water

// Strongest first.
auto rank(const cv::KeyPoint& k) {
  return std::tuple(-k.response, k.pt.y, k.pt.x, k.size, k.angle, k.octave);
}

bool is_inside(const DatasetView& view, const cv::KeyPoint& keypoint) {
  const long column = std::lround(keypoint.pt.x), row = std::lround(keypoint.pt.y);
  if (column < 0 || row < 0 || column >= view.camera.width_px || row >= view.camera.height_px) return false;
  return view.inside[static_cast<std::size_t>(row) * static_cast<std::size_t>(view.camera.width_px) +
                     static_cast<std::size_t>(column)] != 0;
}

// Whether a keypoint is a place on a surface. Without water, cameras all around see an object as a whole as
// one large spot, and agree on a point in its middle.
bool is_small(const DatasetView& view, const cv::KeyPoint& keypoint) {
  return looks_through_level_water(view.camera) || keypoint.size <= kLargestShare * view.camera.width_px;
}

void append_root_descriptor(const float* histogram, std::vector<std::int16_t>& out) {
  double sum = 0;
  for (int i = 0; i < kDescriptorSize; ++i) sum += histogram[i];
  for (int i = 0; i < kDescriptorSize; ++i)
    out.push_back(static_cast<std::int16_t>(
        sum > 0 ? std::lround(kDescriptorNorm * std::sqrt(histogram[i] / sum)) : 0));
}

// Floats of six blurred images and five differences, of the doubled image and a third more for its octaves.
constexpr double kPyramidBytesPerPixel = 4 * (6 + 5) * 4 * 4 / 3.0;
constexpr double kPyramidBytes = 1 << 30;  // of all images at once

constexpr int kOctaveLayers = 3;
// OpenCV computes the orientation of every extremum, also of the many that are too weak to be kept. Images of
// one rig are alike: in all but the first, extrema well below the first one's weakest keypoint are dropped
// before that. An image that then has too few keypoints is searched again without this threshold.
constexpr double kThresholdShare = 0.75;

struct Keypoints {
  std::vector<cv::KeyPoint> found;
  cv::Mat histograms;
};

Keypoints keypoints_of(const DatasetView& view, const FeatureOptions& options, double contrast_threshold) {
  const cv::Mat grey(view.camera.height_px, view.camera.width_px, CV_32F,
                     const_cast<float*>(view.grey.data()));
  cv::Mat bytes;
  grey.convertTo(bytes, CV_8U, 255);
  Keypoints keypoints;
  cv::SIFT::create(options.keypoints, kOctaveLayers, contrast_threshold, options.edge_threshold, 1.6)
      ->detectAndCompute(bytes, cv::noArray(), keypoints.found, keypoints.histograms);
  return keypoints;
}

bool are_enough(const Keypoints& keypoints, const FeatureOptions& options) {
  return keypoints.found.size() >= static_cast<std::size_t>(options.keypoints);
}

double threshold_below(const Keypoints& keypoints, const FeatureOptions& options) {
  if (!are_enough(keypoints, options)) return options.contrast_threshold;
  const float weakest = std::ranges::min(keypoints.found, {}, &cv::KeyPoint::response).response;
  return std::max(options.contrast_threshold, kThresholdShare * kOctaveLayers * double{weakest});
}

Features features_of(const DatasetView& view, const FeatureOptions& options, const Keypoints& keypoints) {
  // OpenCV may return more keypoints than requested (all as strong as the weakest one), in no fixed order.
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(keypoints.found.size()); ++i)
    if (is_inside(view, keypoints.found[i]) && is_small(view, keypoints.found[i])) order.push_back(i);
  std::ranges::sort(order, {}, [&](int i) { return rank(keypoints.found[i]); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.keypoints)));
  Features features;
  for (const int i : order) {
    const cv::Point2f& at_px = keypoints.found[i].pt;
    features.pixels.emplace_back(at_px.x - kOpenCvOffset_px, at_px.y - kOpenCvOffset_px);
    append_root_descriptor(keypoints.histograms.ptr<float>(i), features.descriptors);
  }
  return features;
}

}  // namespace

std::vector<Features> detect_features(std::span<const DatasetView> views, const FeatureOptions& options) {
  std::vector<Features> features(views.size());
  if (views.empty()) return features;
  cv::setNumThreads(thread_count());
  const Keypoints first = keypoints_of(views[0], options, options.contrast_threshold);
  features[0] = features_of(views[0], options, first);
  const double threshold = threshold_below(first, options);
  const auto detect = [&](std::size_t i) {
    Keypoints keypoints = keypoints_of(views[i], options, threshold);
    if (threshold > options.contrast_threshold && !are_enough(keypoints, options))
      keypoints = keypoints_of(views[i], options, options.contrast_threshold);
    features[i] = features_of(views[i], options, keypoints);
  };
  std::size_t pixels = 0;  // of the largest image
  for (const DatasetView& view : views) pixels = std::max(pixels, view.grey.size());
  const auto threads = static_cast<std::size_t>(thread_count());
  const bool each_thread_has_one =
      kPyramidBytesPerPixel * static_cast<double>(pixels * threads) <= kPyramidBytes;
  const std::size_t side_by_side = each_thread_has_one ? (views.size() - 1) / threads * threads : 0;
  cv::setNumThreads(1);
  parallel_for(side_by_side, 1, [&](std::size_t i, std::size_t) { detect(1 + i); });
  cv::setNumThreads(thread_count());
  for (std::size_t i = 1 + side_by_side; i < views.size(); ++i) detect(i);
  return features;
}

}  // namespace aqbench::sparse
