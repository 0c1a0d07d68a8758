#include "pipeline/dense_flow/depth_prior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "pipeline/dense_flow/pair_matching.h"
#include "pipeline/dense_flow/plane_search.h"
#include "pipeline/dense_flow/ray_triangulation.h"
#include "pipeline/depth_maps/camera_depths.h"
#include "pipeline/sparse/depth_ranges.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::dense_flow {
namespace {

constexpr int kSweepDepths = 64;
constexpr float kSureConfidence = 0.3F;
constexpr double kSweepSmoothing_px = 1.5;

constexpr int kGridWidth = 128;
// Spreads of the points over the grid, coarse to fine, in cells; the last follows single points.
constexpr std::array<double, 5> kSpreads = {32, 12, 5, 2.5, 1.2};
constexpr float kCoarseWeight = 0.05F;  // of the coarser value, in points a cell

// Where a view sees a point.
struct SeenPoint {
  Vec2 pixel;
  double inverse_depth = 0;  // 1/m
};

// Values between the points, each finer spread where there are points for it. cv::Mat is [y][x].
cv::Mat spread_points(std::span<const SeenPoint> points, const RefractiveCamera& camera, int columns,
                      int rows) {
  cv::Mat weights = cv::Mat::zeros(rows, columns, CV_32F), sums = cv::Mat::zeros(rows, columns, CV_32F);
  double mean = 0;
  for (const SeenPoint& point : points) {
    const auto cell = [](double px, int size_px, int cells) {
      return std::clamp(static_cast<int>((px + 0.5) * cells / size_px), 0, cells - 1);
    };
    const int x = cell(point.pixel.x(), camera.width_px, columns),
              y = cell(point.pixel.y(), camera.height_px, rows);
    weights.at<float>(y, x) += 1;
    sums.at<float>(y, x) += static_cast<float>(point.inverse_depth);
    mean += point.inverse_depth / static_cast<double>(points.size());
  }
  cv::Mat value(rows, columns, CV_32F, cv::Scalar(mean));
  for (const double spread : kSpreads) {
    cv::Mat weight, sum;
    const int size = 2 * static_cast<int>(std::ceil(3 * spread)) + 1;
    cv::GaussianBlur(weights, weight, {size, size}, spread, spread, cv::BORDER_CONSTANT);
    cv::GaussianBlur(sums, sum, {size, size}, spread, spread, cv::BORDER_CONSTANT);
    value = (sum + kCoarseWeight * value).mul(1 / (weight + kCoarseWeight));
  }
  return value;
}

std::vector<float> prior_of(const RefractiveCamera& camera, std::span<const SeenPoint> points) {
  const int columns = std::min(kGridWidth, camera.width_px),
            rows = std::max(1, columns * camera.height_px / camera.width_px);
  cv::Mat inverse;
  cv::resize(spread_points(points, camera, columns, rows), inverse, {camera.width_px, camera.height_px}, 0, 0,
             cv::INTER_LINEAR);
  std::vector<float> depth_m;
  depth_m.reserve(inverse.total());
  for (int y = 0; y < inverse.rows; ++y)
    for (int x = 0; x < inverse.cols; ++x) depth_m.push_back(1 / inverse.at<float>(y, x));
  return depth_m;
}

// Where a coarse plane sweep is sure, takes its depths, smoothed: points alone are too few for relief.
void follow_images(std::span<const DatasetView> views,
                   const std::vector<std::optional<sparse::DepthRange>>& found,
                   std::vector<std::vector<float>>& priors_m) {
  sparse::DepthRange all{std::numeric_limits<double>::infinity(), 0};
  for (const auto& range : found)
    if (range) all = {std::min(all.min_m, range->min_m), std::max(all.max_m, range->max_m)};
  if (!(all.min_m < all.max_m)) return;
  std::vector<sparse::DepthRange> ranges;
  for (const auto& range : found) ranges.push_back(range.value_or(all));
  CameraDepthOptions options;
  options.sweep.depths = kSweepDepths;
  options.refinements = 0;
  std::size_t next = 0;
  for (DepthMap& map : estimate_depths(views, ranges, options)) {
    while (views[next].name != map.camera) ++next;
    DepthEstimate estimate{std::move(map.depth_along_ray_m), std::move(map.confidence)};
    for (float& confidence : estimate.confidence)
      if (!(confidence >= kSureConfidence)) confidence = 0;
    priors_m[next] = smooth_depths(estimate, map.width, map.height, kSweepSmoothing_px, priors_m[next]);
  }
}

std::vector<std::vector<float>> priors_of_points(std::span<const DatasetView> views) {
  const sparse::Options options;
  sparse::TrackCounts counts;
  const std::vector<sparse::SparsePoint> points = sparse::reconstruct(views, options, &counts);
  std::vector<std::vector<SeenPoint>> seen(views.size());
  for (const sparse::SparsePoint& point : points)
    for (const sparse::Sighting& sighting : point.sightings)
      if (const auto image = project(views[sighting.view].camera, point.point_m))
        seen[sighting.view].push_back({image->pixel, 1 / image->depth_along_ray_m});
  std::vector<std::vector<float>> priors_m(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_auxiliary) continue;
    if (seen[i].empty())  // what others saw, where it would be in this image
      for (const sparse::SparsePoint& point : points)
        if (const auto image = project(views[i].camera, point.point_m);
            image && is_in_image(views[i].camera, image->pixel.x(), image->pixel.y()))
          seen[i].push_back({image->pixel, 1 / image->depth_along_ray_m});
    if (seen[i].empty())
      throw method_error("depth_range: camera '{}' sees no sparse point ({})", views[i].name,
                         sparse::describe(counts, options));
    priors_m[i] = prior_of(views[i].camera, seen[i]);
  }
  follow_images(views, sparse::sighted_depth_ranges(points, views), priors_m);
  return priors_m;
}

}  // namespace

std::vector<std::vector<float>> depth_priors(std::span<const DatasetView> views) {
  if (std::ranges::any_of(views, [](const DatasetView& v) { return v.camera.optics == &kStraightRays; }))
    return priors_of_points(views);
  const PlaneSearch plane = find_mean_plane(views);
  std::vector<std::vector<float>> priors_m(views.size());
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) priors_m[i] = plane_depths(views[i].camera, plane.z_m);
  return priors_m;
}

}  // namespace aqbench::dense_flow
