#include "pipeline/dense_flow/pair_matching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include "core/parallel.h"
#include "pipeline/dense_flow/local_normalisation.h"
#include "pipeline/dense_flow/ray_rows.h"
#include "pipeline/views/cubic_sampling.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::dense_flow {
namespace {

constexpr float kNoMatch = std::numeric_limits<float>::quiet_NaN();

// 8 bits, the input type of OpenCV's dense inverse search.
cv::Mat to_bytes(const plane_sweep::GreyImage& image, int window_px) {
  const std::vector<float> normal = normalise_locally(image, window_px);
  cv::Mat bytes;
  cv::Mat(image.height_px, image.width_px, CV_32F, const_cast<float*>(normal.data()))
      .convertTo(bytes, CV_8U, 42, 128);
  return bytes;
}

cv::Ptr<cv::DISOpticalFlow> make_flow(const FlowOptions& options) {
  const cv::Ptr<cv::DISOpticalFlow> flow = cv::DISOpticalFlow::create(cv::DISOpticalFlow::PRESET_MEDIUM);
  flow->setFinestScale(options.finest_scale);
  flow->setVariationalRefinementIterations(options.variational_iterations);
  return flow;
}

// Bilinear; false where a neighbour has none or the place is outside.
bool sample_flow(const cv::Mat& flow, float x, float y, float& u, float& v) {
  if (!(x >= 0 && y >= 0 && x <= static_cast<float>(flow.cols - 1) && y <= static_cast<float>(flow.rows - 1)))
    return false;
  const int left = std::min(static_cast<int>(x), flow.cols - 2),
            top = std::min(static_cast<int>(y), flow.rows - 2);
  const float s = x - static_cast<float>(left), t = y - static_cast<float>(top);
  const auto* const upper = flow.ptr<cv::Vec2f>(top) + left;
  const auto* const lower = flow.ptr<cv::Vec2f>(top + 1) + left;
  const cv::Vec2f value =
      (1 - t) * ((1 - s) * upper[0] + s * upper[1]) + t * ((1 - s) * lower[0] + s * lower[1]);
  u = value[0];
  v = value[1];
  return true;
}

PairWarp match_by_flow(const plane_sweep::GreyImage& a, const plane_sweep::GreyImage& b,
                       const FlowOptions& options) {
  const cv::Mat first = to_bytes(a, options.normalisation_window_px);
  const cv::Mat second = to_bytes(b, options.normalisation_window_px);
  cv::Mat forward, backward;
  make_flow(options)->calc(first, second, forward);
  make_flow(options)->calc(second, first, backward);
  PairWarp warp;
  warp.x_px.assign(a.pixel_count(), kNoMatch);
  warp.y_px.assign(a.pixel_count(), kNoMatch);
  warp.confidence.assign(a.pixel_count(), 0.0F);
  const auto tolerance = static_cast<float>(options.forward_backward_tolerance_px);
  std::size_t at = 0;
  for (int row = 0; row < a.height_px; ++row)
    for (int column = 0; column < a.width_px; ++column, ++at) {
      const cv::Vec2f there = forward.at<cv::Vec2f>(row, column);
      const float x = static_cast<float>(column) + there[0], y = static_cast<float>(row) + there[1];
      float u = 0, v = 0;
      if (!sample_flow(backward, x, y, u, v)) continue;
      const float miss = std::hypot(there[0] + u, there[1] + v);
      if (!(miss <= tolerance)) continue;
      warp.x_px[at] = x;
      warp.y_px[at] = y;
      warp.confidence[at] = 1 - 0.5F * miss / tolerance;
    }
  return warp;
}

}  // namespace

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
  const auto right = static_cast<float>(source.camera.width_px - 1);
  const auto bottom = static_cast<float>(source.camera.height_px - 1);
  for_each_ray_row(camera, [&](std::size_t row, const RayRow& rays) {
    PointRow points(width);
    points.place(rays, depth_m.subspan(row * width, width));
    const std::span<float> u = std::span(aligned.x_px).subspan(row * width, width);
    const std::span<float> v = std::span(aligned.y_px).subspan(row * width, width);
    project_points(source.camera, {points.x_m, points.y_m, points.z_m}, {u, v, {}});
    for (std::size_t x = 0; x < width; ++x) {
      const std::size_t at = row * width + x;
      const bool inside = u[x] >= 0 && v[x] >= 0 && u[x] <= right && v[x] <= bottom;  // false for NaN
      aligned.seen[at] = inside && reference.inside[at] != 0 &&
                         source.inside[static_cast<std::size_t>(std::lround(v[x])) *
                                           static_cast<std::size_t>(source.camera.width_px) +
                                       static_cast<std::size_t>(std::lround(u[x]))] != 0;
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
