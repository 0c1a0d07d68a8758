#include "pipeline/dense_flow/local_normalisation.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>

namespace aqbench::dense_flow {

LocalMoments local_moments(const plane_sweep::GreyImage& image, int window_px) {
  std::vector<float> values(image.pixel_count());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = image.grey(i);
  LocalMoments moments{std::vector<float>(values.size()), std::vector<float>(values.size())};
  const cv::Mat grey(image.height_px, image.width_px, CV_32F, values.data());
  cv::Mat mean(grey.size(), CV_32F, moments.mean.data()),
      square(grey.size(), CV_32F, moments.deviation.data());
  const cv::Size window(window_px, window_px);
  cv::boxFilter(grey, mean, CV_32F, window, {-1, -1}, true, cv::BORDER_REFLECT_101);
  cv::sqrBoxFilter(grey, square, CV_32F, window, {-1, -1}, true, cv::BORDER_REFLECT_101);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float variance = moments.deviation[i] - moments.mean[i] * moments.mean[i];
    moments.deviation[i] = std::sqrt(std::max(variance, 0.0F) + kRoundingVariance);
  }
  return moments;
}

std::vector<float> normalise_locally(const plane_sweep::GreyImage& image, int window_px) {
  LocalMoments moments = local_moments(image, window_px);
  for (std::size_t i = 0; i < moments.mean.size(); ++i)
    moments.mean[i] = (image.grey(i) - moments.mean[i]) / moments.deviation[i];
  return std::move(moments.mean);
}

}  // namespace aqbench::dense_flow
