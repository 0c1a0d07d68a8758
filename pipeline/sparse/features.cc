#include "pipeline/sparse/features.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <tuple>

#include "core/parallel.h"

namespace aqbench::sparse {
namespace {

// OpenCV (4.6) doubles the image by cv::resize, which maps x to 2 x + 1/2, but maps positions back by x / 2.
constexpr float kOpenCvOffset_px = 0.25F;

constexpr double kLargestShare = 0.125;  // of a keypoint's diameter in the image's width, without water

bool stronger(const cv::KeyPoint& a, const cv::KeyPoint& b) {
  return std::tuple(-a.response, a.pt.y, a.pt.x, a.size, a.angle, a.octave) <
         std::tuple(-b.response, b.pt.y, b.pt.x, b.size, b.angle, b.octave);
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
  return view.camera.optics != &kStraightRays || keypoint.size <= kLargestShare * view.camera.width_px;
}

void append_root_descriptor(const float* histogram, std::vector<std::int16_t>& out) {
  double sum = 0;
  for (int i = 0; i < kDescriptorSize; ++i) sum += histogram[i];
  for (int i = 0; i < kDescriptorSize; ++i)
    out.push_back(static_cast<std::int16_t>(
        sum > 0 ? std::lround(kDescriptorNorm * std::sqrt(histogram[i] / sum)) : 0));
}

}  // namespace

Features detect_features(const DatasetView& view, const FeatureOptions& options) {
  const cv::Mat grey(view.camera.height_px, view.camera.width_px, CV_32F,
                     const_cast<float*>(view.grey.data()));
  cv::Mat bytes;
  grey.convertTo(bytes, CV_8U, 255);
  cv::setNumThreads(thread_count());
  constexpr int octave_layers = 3;
  const auto sift = cv::SIFT::create(options.keypoints, octave_layers, options.contrast_threshold,
                                     options.edge_threshold, 1.6);
  std::vector<cv::KeyPoint> keypoints;
  cv::Mat histograms;
  sift->detectAndCompute(bytes, cv::noArray(), keypoints, histograms);

  // OpenCV may return more keypoints than requested (all as strong as the weakest one), in no fixed order.
  std::vector<int> order;
  for (int i = 0; i < static_cast<int>(keypoints.size()); ++i)
    if (is_inside(view, keypoints[i]) && is_small(view, keypoints[i])) order.push_back(i);
  std::ranges::sort(order, [&](int a, int b) { return stronger(keypoints[a], keypoints[b]); });
  order.resize(std::min(order.size(), static_cast<std::size_t>(options.keypoints)));
  Features features;
  for (const int i : order) {
    features.pixels.emplace_back(keypoints[i].pt.x - kOpenCvOffset_px, keypoints[i].pt.y - kOpenCvOffset_px);
    append_root_descriptor(histograms.ptr<float>(i), features.descriptors);
  }
  return features;
}

}  // namespace aqbench::sparse
