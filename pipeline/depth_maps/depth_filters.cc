#include "pipeline/depth_maps/depth_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::plane_sweep {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRowsAtOnce = 4;
constexpr double kMaxHoleWeight = 0.01;  // share of a bilinear sample that may fall on pixels without a depth

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

// Keeps the pixels of which later views, so many, can still decide whether enough agree.
void keep_undecided(const std::vector<int>& agreeing, int wanted, int later, std::vector<std::size_t>& pixels,
                    PointBatch& points) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const int count = agreeing[pixels[i]];
    if (count >= wanted || count + later < wanted) continue;
    pixels[kept] = pixels[i];
    points.x_m[kept] = points.x_m[i];
    points.y_m[kept] = points.y_m[i];
    points.z_m[kept] = points.z_m[i];
    ++kept;
  }
  pixels.resize(kept);
  points.resize(kept);
}

// Counts the views that agree with some rows of the reference's map, of each pixel until it is known whether
// they are enough.
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
  auto later = static_cast<int>(views.size()) - 1;
  for (std::size_t other = 0; other < views.size() && !pixels.empty(); ++other) {
    if (other == reference) continue;
    project_points(views[other].camera, points);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const double seen_m = sample_depth(views[other], points.u_px[i], points.v_px[i]);
      const double depth_m = points.ray_depth_m[i];
      const double tolerance_m =
          std::max(options.depth_tolerance_m, options.tolerance_per_m2 * depth_m * depth_m);
      if (std::abs(seen_m - depth_m) < tolerance_m) ++agreeing[pixels[i]];
    }
    keep_undecided(agreeing, options.min_views, --later, pixels, points);
  }
}

constexpr float kNoGuide = std::numeric_limits<float>::quiet_NaN();
constexpr float kFarAway_m = 1e6F;  // stands for a missing depth: beyond every limit
constexpr std::size_t kGuideRows = 16;

// The map with a border of the radius; kFarAway_m where there is no usable depth.
struct PaddedDepths {
  std::ptrdiff_t stride = 0, radius = 0;
  std::vector<float> depth_m;
  const float* row(std::ptrdiff_t y) const { return depth_m.data() + (y + radius) * stride + radius; }
};

PaddedDepths pad(int width, int height, std::span<const float> depth_m, std::span<const float> confidence,
                 const GuideOptions& options) {
  PaddedDepths padded;
  padded.radius = options.radius_px;
  padded.stride = width + 2 * padded.radius;
  padded.depth_m.assign(static_cast<std::size_t>(padded.stride * (height + 2 * padded.radius)), kFarAway_m);
  for (std::ptrdiff_t y = 0; y < height; ++y)
    for (std::ptrdiff_t x = 0; x < width; ++x) {
      const auto i = static_cast<std::size_t>(y * width + x);
      if (confidence[i] >= options.min_confidence && std::isfinite(depth_m[i]))
        padded.depth_m[(y + padded.radius) * padded.stride + padded.radius + x] = depth_m[i];
    }
  return padded;
}

// Adds one neighbour of every pixel of a row to the weighted sums of differences.
AQBENCH_MULTIVERSION
void add_neighbours(const float* __restrict centre, const float* __restrict neighbour, std::ptrdiff_t count,
                    float per_limit2, float* __restrict sum, float* __restrict weight) {
  for (std::ptrdiff_t x = 0; x < count; ++x) {
    const float difference = neighbour[x] - centre[x];
    const float left = 1.0F - difference * difference * per_limit2;
    const float share = left > 0.0F ? left * left : 0.0F;
    sum[x] += share * difference;
    weight[x] += share;
  }
}

float fill_hole(const PaddedDepths& padded, std::ptrdiff_t x, std::ptrdiff_t y) {
  double sum = 0;
  int count = 0;
  for (std::ptrdiff_t dy = -padded.radius; dy <= padded.radius; ++dy)
    for (std::ptrdiff_t dx = -padded.radius; dx <= padded.radius; ++dx) {
      const float depth_m = padded.row(y + dy)[x + dx];
      if (depth_m == kFarAway_m) continue;
      sum += depth_m;
      ++count;
    }
  const std::ptrdiff_t side = 2 * padded.radius + 1;
  return 4 * count >= side * side ? static_cast<float>(sum / count) : kNoGuide;
}

}  // namespace

FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options, std::vector<int> agreeing) {
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

std::vector<float> depth_guide(int width_px, int height_px, std::span<const float> depth_m,
                               std::span<const float> confidence, const GuideOptions& options) {
  const PaddedDepths padded = pad(width_px, height_px, depth_m, confidence, options);
  const auto width = static_cast<std::size_t>(width_px);
  const float per_limit2 = 1.0F / (options.depth_limit_m * options.depth_limit_m);
  std::vector<float> guide_m(depth_m.size(), kNoGuide);
  parallel_for(static_cast<std::size_t>(height_px), kGuideRows, [&](std::size_t begin, std::size_t end) {
    std::vector<float> sum(width), weight(width);
    for (std::size_t y = begin; y < end; ++y) {
      std::ranges::fill(sum, 0.0F);
      std::ranges::fill(weight, 0.0F);
      const float* const centre = padded.row(static_cast<std::ptrdiff_t>(y));
      for (std::ptrdiff_t dy = -padded.radius; dy <= padded.radius; ++dy)
        for (std::ptrdiff_t dx = -padded.radius; dx <= padded.radius; ++dx)
          add_neighbours(centre, padded.row(static_cast<std::ptrdiff_t>(y) + dy) + dx, width_px, per_limit2,
                         sum.data(), weight.data());
      for (std::size_t x = 0; x < width; ++x)
        guide_m[y * width + x] = centre[x] == kFarAway_m ? fill_hole(padded, static_cast<std::ptrdiff_t>(x),
                                                                     static_cast<std::ptrdiff_t>(y))
                                                         : centre[x] + sum[x] / weight[x];
    }
  });
  return guide_m;
}

}  // namespace aqbench::plane_sweep
