#include "pipeline/dense_flow/dense_flow.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>
#include <optional>

#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::dense_flow {
namespace {

constexpr float kRoundingVariance = 1.0F / (255.0F * 255.0F * 12.0F);
constexpr float kNoMatch = std::numeric_limits<float>::quiet_NaN();

// 8 bits, the input type of OpenCV's dense inverse search.
cv::Mat to_bytes(const plane_sweep::GreyImage& image, int window_px) {
  const std::vector<float> normal = normalise_locally(image, window_px);
  cv::Mat bytes;
  cv::Mat(image.height_px, image.width_px, CV_32F, const_cast<float*>(normal.data()))
      .convertTo(bytes, CV_8U, 42, 128);
  return bytes;
}

constexpr unsigned kFlowWidth_px = 640;

cv::Ptr<cv::DISOpticalFlow> make_flow(const FlowOptions& options, int width_px) {
  const cv::Ptr<cv::DISOpticalFlow> flow = cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM);
  const int halvings =
      options.is_refined ? std::bit_width(static_cast<unsigned>(width_px) / kFlowWidth_px) - 1 : 0;
  flow->setFinestScale(std::max(options.finest_scale, halvings));
  flow->setVariationalRefinementIterations(options.variational_iterations);
  return flow;
}

// Bilinear; none outside.
std::optional<cv::Vec2f> sample_flow(const cv::Mat& flow, float x, float y) {
  if (!(x >= 0 && y >= 0 && x <= static_cast<float>(flow.cols - 1) && y <= static_cast<float>(flow.rows - 1)))
    return std::nullopt;
  const int left = std::min(static_cast<int>(x), flow.cols - 2),
            top = std::min(static_cast<int>(y), flow.rows - 2);
  const float s = x - static_cast<float>(left), t = y - static_cast<float>(top);
  const auto* const upper = flow.ptr<cv::Vec2f>(top) + left;
  const auto* const lower = flow.ptr<cv::Vec2f>(top + 1) + left;
  return (1 - t) * ((1 - s) * upper[0] + s * upper[1]) + t * ((1 - s) * lower[0] + s * lower[1]);
}

PairWarp match_by_flow(const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b,
                       const FlowOptions& options) {
  const cv::Mat first = to_bytes(a, options.normalisation_window_px);
  const cv::Mat second = to_bytes(b, options.normalisation_window_px);
  cv::Mat forward, backward;
  make_flow(options, a.width_px)->calc(first, second, forward);
  make_flow(options, a.width_px)->calc(second, first, backward);
  const std::vector<float> none(a.pixel_count(), kNoMatch);
  PairWarp warp{none, none, std::vector<float>(none.size(), 0.0F)};
  const auto tolerance = static_cast<float>(options.forward_backward_tolerance_px);
  std::size_t at = 0;
  for (int row = 0; row < a.height_px; ++row)
    for (int column = 0; column < a.width_px; ++column, ++at) {
      const cv::Vec2f there = forward.at<cv::Vec2f>(row, column);
      const float x = static_cast<float>(column) + there[0], y = static_cast<float>(row) + there[1];
      const auto back = sample_flow(backward, x, y);
      if (!back) continue;
      const float miss = std::hypot(there[0] + (*back)[0], there[1] + (*back)[1]);
      if (!(miss <= tolerance)) continue;
      warp.x_px[at] = x;
      warp.y_px[at] = y;
      warp.confidence[at] = 1 - 0.5F * miss / tolerance;
    }
  return warp;
}

}  // namespace

LocalMoments local_moments(const plane_sweep::GreyImage& image, int window_px) {
  const std::size_t pixels = image.pixel_count();
  LocalMoments moments{std::vector<float>(pixels), std::vector<float>(pixels)};
  const cv::Mat grey(image.height_px, image.width_px, CV_32F, const_cast<float*>(image.grey));
  cv::Mat mean(grey.size(), CV_32F, moments.mean.data()),
      square(grey.size(), CV_32F, moments.deviation.data());
  const cv::Size window(window_px, window_px);
  cv::boxFilter(grey, mean, CV_32F, window, {-1, -1}, true, cv::BORDER_REFLECT_101);
  cv::sqrBoxFilter(grey, square, CV_32F, window, {-1, -1}, true, cv::BORDER_REFLECT_101);
  for (std::size_t i = 0; i < pixels; ++i) {
    const float variance = moments.deviation[i] - moments.mean[i] * moments.mean[i];
    moments.deviation[i] = std::sqrt(std::max(variance, 0.0F) + kRoundingVariance);
  }
  return moments;
}

std::vector<float> normalise_locally(const plane_sweep::GreyImage& image, int window_px) {
  LocalMoments moments = local_moments(image, window_px);
  for (std::size_t i = 0; i < moments.mean.size(); ++i)
    moments.mean[i] = (image.grey[i] - moments.mean[i]) / moments.deviation[i];
  return std::move(moments.mean);
}

void RayRow::cast(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px) {
  cast_rays(camera, u_px, v_px, {origin_x_m, origin_y_m, origin_z_m, direction_x, direction_y, direction_z});
}

void for_each_ray_row(const RefractiveCamera& camera,
                      const std::function<void(std::size_t row, const RayRow& rays)>& body) {
  const auto width = static_cast<std::size_t>(camera.width_px);
  parallel_for(static_cast<std::size_t>(camera.height_px), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> u(width), v(width);
    for (std::size_t x = 0; x < width; ++x) u[x] = static_cast<float>(x);
    RayRow rays(width);
    for (std::size_t row = begin; row < end; ++row) {
      std::ranges::fill(v, static_cast<float>(row));
      rays.cast(camera, u, v);
      body(row, rays);
    }
  });
}

PairMatcher flow_matcher(const FlowOptions& options) {
  return {[options](const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b) {
            return match_by_flow(a, b, options);
          },
          true};
}

std::vector<float> plane_depths(const RefractiveCamera& camera, double z_m) {
  const auto width = static_cast<std::size_t>(camera.width_px),
             height = static_cast<std::size_t>(camera.height_px);
  std::vector<float> depth_m(width * height);
  for_each_ray_row(camera, [&](std::size_t row, const RayRow& rays) {
    for (std::size_t x = 0; x < width; ++x)
      depth_m[row * width + x] = static_cast<float>(z_m - camera.water_z_m) / rays.direction_z[x];
  });
  return depth_m;
}

AlignedSource align_source(const DatasetView& reference, const DatasetView& source,
                           std::span<const float> depth_m) {
  const RefractiveCamera& camera = reference.camera;
  const auto width = static_cast<std::size_t>(camera.width_px);
  const std::size_t pixels = reference.grey.size();
  AlignedSource aligned{std::vector<float>(pixels), std::vector<float>(pixels), std::vector<float>(pixels),
                        std::vector<std::uint8_t>(pixels)};
  for_each_ray_row(camera, [&](std::size_t row, const RayRow& rays) {
    std::vector<float> x_m(width), y_m(width), z_m(width);
    for (std::size_t x = 0; x < width; ++x) {
      const float depth = depth_m[row * width + x];
      x_m[x] = rays.origin_x_m[x] + depth * rays.direction_x[x];
      y_m[x] = rays.origin_y_m[x] + depth * rays.direction_y[x];
      z_m[x] = rays.origin_z_m[x] + depth * rays.direction_z[x];
    }
    const std::span<float> u = std::span(aligned.x_px).subspan(row * width, width);
    const std::span<float> v = std::span(aligned.y_px).subspan(row * width, width);
    project_points(source.camera, {x_m, y_m, z_m}, {u, v, {}});
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = row * width + x;
      aligned.seen[at] = reference.inside[at] != 0 && source.sees(u[x], v[x]);
      aligned.grey[at] = aligned.seen[at] != 0 ? sample_cubic(source.grey.data(), source.camera.width_px,
                                                              source.camera.height_px, u[x], v[x])
                                               : reference.grey[at];
    }
  });
  return aligned;
}

void through_alignment(const AlignedSource& aligned, int width_px, int height_px, PairWarp& warp) {
  const auto width = static_cast<std::size_t>(width_px);
  parallel_for(warp.x_px.size(), 8 * width, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const float x = warp.x_px[i], y = warp.y_px[i];
      warp.x_px[i] = warp.y_px[i] = kNoMatch;
      if (aligned.seen[i] == 0) continue;
      if (!(x >= 0 && y >= 0 && x <= static_cast<float>(width_px - 1) &&
            y <= static_cast<float>(height_px - 1)))
        continue;
      const auto left = std::min(static_cast<std::size_t>(x), width - 2);
      const auto top = std::min(static_cast<std::size_t>(y), static_cast<std::size_t>(height_px) - 2);
      const std::size_t at = top * width + left;
      if (!(aligned.seen[at] && aligned.seen[at + 1] && aligned.seen[at + width] &&
            aligned.seen[at + width + 1]))
        continue;
      const float s = x - static_cast<float>(left), t = y - static_cast<float>(top);
      const auto blend = [&](const std::vector<float>& values) {
        return (1 - t) * ((1 - s) * values[at] + s * values[at + 1]) +
               t * ((1 - s) * values[at + width] + s * values[at + width + 1]);
      };
      warp.x_px[i] = blend(aligned.x_px);
      warp.y_px[i] = blend(aligned.y_px);
    }
  });
}

}  // namespace aqbench::dense_flow
