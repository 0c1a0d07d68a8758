#include "pipeline/dense_flow/dense_flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "pipeline/depth_maps/depth_maps.h"
#include "pipeline/sparse/sparse.h"

namespace aqbench::dense_flow {
namespace {

constexpr int kSearchWidth_px = 160, kSearchWindow_px = 9;
constexpr double kNearest_m = 0.01, kFurthest_m = 2.0;
constexpr double kParallaxStep_px = 0.75;  // of the reduced images, between planes
constexpr std::size_t kReferences = 4, kSources = 2;
// The best plane's correlation must exceed the median's by this much.
constexpr double kLeastRise = 0.1;

// Mean over windows of the correlation of the reference with the source on the plane; weight: windows.
double plane_correlation(const DatasetView& reference, const DatasetView& source, double z_m,
                         double& windows) {
  const AlignedSource aligned = align_source(reference, source, plane_depths(reference.camera, z_m));
  const int width = reference.camera.width_px, height = reference.camera.height_px;
  const auto normal = [&](const std::vector<float>& grey) {
    return normalise_locally({width, height, grey.data()}, kSearchWindow_px);
  };
  const std::vector<float> a = normal(reference.grey), b = normal(aligned.grey);
  double sum = 0;
  windows = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (aligned.seen[i] == 0) continue;
    sum += a[i] * b[i];
    ++windows;
  }
  return sum;
}

std::vector<double> search_planes(const DatasetView& reference, const DatasetView& source) {
  const double water_z_m = reference.camera.water_z_m;
  const double baseline_m = (to_vec3(reference.camera.centre_m) - to_vec3(source.camera.centre_m)).norm();
  std::vector<double> planes_m;
  double z_m = water_z_m + kNearest_m;
  while (z_m <= water_z_m + kFurthest_m) {
    planes_m.push_back(z_m);
    // Parallax of a pinhole: f b / distance; the step that changes it by kParallaxStep_px.
    const double distance_m = z_m - reference.camera.centre_m[2];
    const double step_m =
        kParallaxStep_px * distance_m * distance_m / (reference.camera.fx_px * std::max(baseline_m, 1e-3));
    z_m += std::clamp(step_m, 0.002, 0.2);
  }
  return planes_m;
}

struct SearchPair {
  std::size_t reference, source;
};

std::vector<SearchPair> search_pairs(std::span<const DatasetView> views) {
  std::vector<std::size_t> ring;
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) ring.push_back(i);
  std::vector<SearchPair> pairs;
  const std::size_t count = std::min(kReferences, ring.size());
  for (std::size_t r = 0; r < count; ++r) {
    const std::size_t reference = ring[r * ring.size() / count];
    const std::vector<std::size_t> sources = select_sources(views, reference, kSources);
    for (std::size_t s = 0; s < std::min(kSources, sources.size()); ++s)
      pairs.push_back({reference, sources[s]});
  }
  return pairs;
}

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
  const std::vector<sparse::DepthRange> ranges = sparse::filled_ranges(found);
  if (ranges.empty()) return;
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

PlaneSearch find_mean_plane(std::span<const DatasetView> views) {
  std::vector<DatasetView> small;
  for (const DatasetView& view : views)
    small.push_back(reduced(view, std::max(1, view.camera.width_px / kSearchWidth_px)));
  const std::vector<SearchPair> pairs = search_pairs(small);
  if (pairs.empty()) throw method_error("depth_range: needs two cameras, at least one of them not auxiliary");
  const std::vector<double> planes_m = search_planes(small[pairs[0].reference], small[pairs[0].source]);
  std::vector<double> scores(planes_m.size());
  parallel_for(planes_m.size(), 1, [&](std::size_t p, std::size_t) {
    double sum = 0, windows = 0, of_pair = 0;
    for (const SearchPair& pair : pairs) {
      sum += plane_correlation(small[pair.reference], small[pair.source], planes_m[p], of_pair);
      windows += of_pair;
    }
    scores[p] = windows > 0 ? sum / windows : 0;
  });
  const auto best = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  PlaneSearch found{planes_m[best], scores[best], 0};
  std::vector<double> sorted = scores;
  found.second = upper_median_in_place<double>(sorted);
  if (!(found.score - found.second >= kLeastRise))
    throw method_error(
        "depth_range: the images agree on no plane below the water "
        "(best correlation {:.3f} at z = {:.3f} m, {:.3f} by chance)",
        found.score, found.z_m, found.second);
  if (best > 0 && best + 1 < planes_m.size()) {
    const double a = scores[best - 1], b = scores[best], c = scores[best + 1];
    const double offset = std::clamp(0.5 * (a - c) / (a - 2 * b + c), -0.5, 0.5);
    const double step_m =
        offset > 0 ? planes_m[best + 1] - planes_m[best] : planes_m[best] - planes_m[best - 1];
    if (std::isfinite(offset)) found.z_m += offset * step_m;
  }
  return found;
}

std::vector<std::vector<float>> depth_priors(std::span<const DatasetView> views) {
  if (std::ranges::any_of(views, [](const DatasetView& v) { return !looks_through_level_water(v.camera); }))
    return priors_of_points(views);
  const PlaneSearch plane = find_mean_plane(views);
  std::vector<std::vector<float>> priors_m(views.size());
  for (std::size_t i = 0; i < views.size(); ++i)
    if (!views[i].is_auxiliary) priors_m[i] = plane_depths(views[i].camera, plane.z_m);
  return priors_m;
}

}  // namespace aqbench::dense_flow
