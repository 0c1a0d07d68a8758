#include "pipeline/depth_maps/consistency.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::plane_sweep {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRowsAtOnce = 4;
constexpr double kMaxHoleWeight = 0.01;  // share of a bilinear sample that may fall on pixels without a depth

void check_size(const RefractiveCamera& camera, std::size_t size, const std::string& where) {
  if (size != static_cast<std::size_t>(camera.width_px) * static_cast<std::size_t>(camera.height_px))
    throw Error(ErrorKind::input, where + ": its size differs from its camera's");
}

// Bilinear over the neighbours that have a depth; NaN outside the image or where holes weigh too much.
double sample_depth(const DepthView& view, double u, double v) {
  const int width = view.camera.width_px, height = view.camera.height_px;
  if (!(u >= 0 && u <= width - 1 && v >= 0 && v <= height - 1)) return kNone;
  const int x0 = static_cast<int>(u), y0 = static_cast<int>(v);
  const double fx = u - x0, fy = v - y0;
  double sum = 0, weight = 0;
  for (int k = 0; k < 4; ++k) {
    const int x = std::min(x0 + (k & 1), width - 1), y = std::min(y0 + (k >> 1), height - 1);
    const double share = ((k & 1) != 0 ? fx : 1 - fx) * ((k >> 1) != 0 ? fy : 1 - fy);
    const float depth_m = view.depth_m[static_cast<std::size_t>(y) * width + x];
    if (std::isnan(depth_m)) continue;
    sum += share * depth_m;
    weight += share;
  }
  return weight >= 1 - kMaxHoleWeight ? sum / weight : kNone;
}

bool point_at(const RefractiveCamera& camera, int x, int y, float depth_m, std::array<double, 3>& point_m) {
  WaterRay ray;
  if (!std::isfinite(depth_m) || !cast_ray_fast(camera, x, y, ray)) return false;
  for (int k = 0; k < 3; ++k) point_m[k] = ray.origin_m[k] + static_cast<double>(depth_m) * ray.direction[k];
  return true;
}

// Counts the views that agree with some rows of the reference's map.
void count_agreeing_views(std::span<const DepthView> views, std::size_t reference,
                          const ConsistencyOptions& options, std::size_t begin, std::size_t end,
                          std::vector<int>& agreeing) {
  const DepthView& view = views[reference];
  const auto width = static_cast<std::size_t>(view.camera.width_px);
  std::vector<std::size_t> pixels;
  PointBatch points;
  for (std::size_t i = begin; i < end; ++i) {
    std::array<double, 3> point_m;
    if (!(view.confidence[i] >= options.min_confidence) ||
        !point_at(view.camera, static_cast<int>(i % width), static_cast<int>(i / width), view.depth_m[i],
                  point_m))
      continue;
    pixels.push_back(i);
    points.x_m.push_back(point_m[0]);
    points.y_m.push_back(point_m[1]);
    points.z_m.push_back(point_m[2]);
  }
  points.resize(pixels.size());
  for (std::size_t other = 0; other < views.size(); ++other) {
    if (other == reference) continue;
    project_points(views[other].camera, points);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const double seen_m = sample_depth(views[other], points.u_px[i], points.v_px[i]);
      const double depth_m = points.ray_depth_m[i];
      const double tolerance_m =
          std::max(options.depth_tolerance_m, options.tolerance_per_m2 * depth_m * depth_m);
      if (std::abs(seen_m - depth_m) < tolerance_m) ++agreeing[pixels[i]];
    }
  }
}

}  // namespace

void check(const ConsistencyOptions& options) {
  if (!(options.min_confidence >= 0 && options.min_confidence <= 1))
    throw Error(ErrorKind::usage,
                "min_confidence: must be from 0 to 1, got " + std::to_string(options.min_confidence));
  if (!(options.depth_tolerance_m > 0) || !std::isfinite(options.depth_tolerance_m))
    throw Error(ErrorKind::usage,
                "depth_tolerance_m: must be positive, got " + std::to_string(options.depth_tolerance_m));
  if (options.min_views < 0)
    throw Error(ErrorKind::usage,
                "min_views: must not be negative, got " + std::to_string(options.min_views));
}

FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options, std::vector<int> agreeing) {
  check(options);
  if (reference >= views.size())
    throw Error(ErrorKind::input, "filter_by_consistency: view index out of range");
  for (std::size_t i = 0; i < views.size(); ++i) {
    check_size(views[i].camera, views[i].depth_m.size(), "views[" + std::to_string(i) + "].depth_m");
    check_size(views[i].camera, views[i].confidence.size(), "views[" + std::to_string(i) + "].confidence");
  }
  const DepthView& view = views[reference];
  const std::size_t pixels = view.depth_m.size(), width = static_cast<std::size_t>(view.camera.width_px);
  FilteredDepth filtered{std::vector<float>(pixels, kNone), std::vector<float>(pixels, 0.0F),
                         std::move(agreeing)};
  const bool counted = !filtered.views.empty();
  filtered.views.resize(pixels);
  parallel_for(pixels, kRowsAtOnce * width, [&](std::size_t begin, std::size_t end) {
    if (!counted) count_agreeing_views(views, reference, options, begin, end, filtered.views);
    for (std::size_t i = begin; i < end; ++i) {
      if (!(view.confidence[i] >= options.min_confidence) || std::isnan(view.depth_m[i])) continue;
      if (filtered.views[i] < options.min_views) continue;
      filtered.depth_m[i] = view.depth_m[i];
      filtered.confidence[i] = view.confidence[i];
    }
  });
  return filtered;
}

}  // namespace aqbench::plane_sweep
