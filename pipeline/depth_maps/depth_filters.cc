#include "pipeline/depth_maps/depth_maps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::plane_sweep {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
constexpr std::size_t kRowsAtOnce = 4;
constexpr float kMaxHoleWeight = 0.01F;  // share of a bilinear sample that may fall on pixels without a depth

// Bilinear over the neighbours that have a depth; NaN outside the image or where holes weigh too much.
float sample_depth(const DepthView& view, float u, float v) {
  const int width = view.camera.width_px, height = view.camera.height_px;
  if (!(u >= 0 && u <= static_cast<float>(width - 1) && v >= 0 && v <= static_cast<float>(height - 1)))
    return kNone;
  const int x0 = static_cast<int>(u), y0 = static_cast<int>(v);
  const int right = x0 + 1 < width ? 1 : 0, below = y0 + 1 < height ? width : 0;
  const float* const depth_m = view.depth_m.data() + static_cast<std::size_t>(y0) * width + x0;
  const float fx = u - static_cast<float>(x0), fy = v - static_cast<float>(y0);
  const float depths_m[] = {depth_m[0], depth_m[right], depth_m[below], depth_m[below + right]};
  const float shares[] = {(1 - fx) * (1 - fy), fx * (1 - fy), (1 - fx) * fy, fx * fy};
  const float all_m =
      shares[0] * depths_m[0] + shares[1] * depths_m[1] + shares[2] * depths_m[2] + shares[3] * depths_m[3];
  if (!std::isnan(all_m)) return all_m;
  float sum = 0, weight = 0;
  for (int k = 0; k < 4; ++k) {
    if (std::isnan(depths_m[k])) continue;
    sum += shares[k] * depths_m[k];
    weight += shares[k];
  }
  return weight >= 1 - kMaxHoleWeight ? sum / weight : kNone;
}

// Points of the world frame in metres, and where a camera sees them.
struct SeenPoints {
  std::vector<float> x_m, y_m, z_m, u_px, v_px, depth_m;

  void resize(std::size_t size) {
    for (std::vector<float>* values : {&x_m, &y_m, &z_m, &u_px, &v_px, &depth_m}) values->resize(size);
  }
  void move(std::size_t from, std::size_t to) {
    x_m[to] = x_m[from];
    y_m[to] = y_m[from];
    z_m[to] = z_m[from];
  }
  void project_into(const RefractiveCamera& camera) {
    project_points(camera, {x_m, y_m, z_m}, {u_px, v_px, depth_m});
  }
};

// Finds the points of some whole rows of the map; NaN for a pixel without a ray or a depth.
void points_of_rows(const DepthView& view, std::size_t begin, std::size_t end, SeenPoints& points) {
  const auto width = static_cast<std::size_t>(view.camera.width_px);
  std::vector<float> u_px(end - begin), v_px(end - begin), x(end - begin), y(end - begin), z(end - begin);
  for (std::size_t i = 0, row = begin / width; i < u_px.size(); i += width, ++row)
    for (std::size_t column = 0; column < width; ++column) {
      u_px[i + column] = static_cast<float>(column);
      v_px[i + column] = static_cast<float>(row);
    }
  points.resize(end - begin);
  cast_rays(view.camera, u_px, v_px, {points.x_m, points.y_m, points.z_m, x, y, z});
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float depth_m = view.depth_m[begin + i];
    points.x_m[i] += depth_m * x[i];
    points.y_m[i] += depth_m * y[i];
    points.z_m[i] += depth_m * z[i];
  }
}

// Keeps the points of the pixels that are wanted.
template <class Wanted>
void keep_points(std::vector<std::size_t>& pixels, SeenPoints& points, const Wanted& wanted) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    if (!wanted(pixels[i])) continue;
    pixels[kept] = pixels[i];
    points.move(i, kept++);
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
  SeenPoints points;
  points_of_rows(view, begin, end, points);
  std::vector<std::size_t> pixels(end - begin);
  std::iota(pixels.begin(), pixels.end(), begin);
  keep_points(pixels, points, [&](std::size_t pixel) {
    return view.confidence[pixel] >= options.min_confidence && std::isfinite(view.depth_m[pixel]);
  });
  const auto least_m = static_cast<float>(options.depth_tolerance_m);
  const auto per_m2 = static_cast<float>(options.tolerance_per_m2);
  auto later = static_cast<int>(views.size()) - 1;
  for (std::size_t other = 0; other < views.size() && !pixels.empty(); ++other) {
    if (other == reference) continue;
    points.project_into(views[other].camera);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const float seen_m = sample_depth(views[other], points.u_px[i], points.v_px[i]);
      const float depth_m = points.depth_m[i];
      if (std::abs(seen_m - depth_m) < std::max(least_m, per_m2 * depth_m * depth_m)) ++agreeing[pixels[i]];
    }
    --later;
    keep_points(pixels, points, [&](std::size_t pixel) {
      return agreeing[pixel] < options.min_views && agreeing[pixel] + later >= options.min_views;
    });
  }
}

constexpr float kNoGuide = std::numeric_limits<float>::quiet_NaN();
constexpr float kFarAway_m = 1e6F;  // stands for a missing depth: beyond every limit
constexpr std::size_t kGuideRows = 16;

// The map with a border of the radius; kFarAway_m where there is no usable depth.
struct PaddedDepths {
  std::ptrdiff_t stride = 0, radius = 0;
  std::vector<float> depth_m;
  float* row(std::ptrdiff_t y) { return depth_m.data() + (y + radius) * stride + radius; }
  const float* row(std::ptrdiff_t y) const { return depth_m.data() + (y + radius) * stride + radius; }
};

PaddedDepths pad(int width, int height, std::span<const float> depth_m, std::span<const float> confidence,
                 const GuideOptions& options) {
  PaddedDepths padded;
  padded.radius = options.radius_px;
  padded.stride = width + 2 * padded.radius;
  padded.depth_m.assign(static_cast<std::size_t>(padded.stride * (height + 2 * padded.radius)), kFarAway_m);
  parallel_for(static_cast<std::size_t>(height), kGuideRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin, i = begin * width; y < end; ++y) {
      float* const row = padded.row(static_cast<std::ptrdiff_t>(y));
      for (std::ptrdiff_t x = 0; x < width; ++x, ++i)
        if (confidence[i] >= options.min_confidence && std::isfinite(depth_m[i])) row[x] = depth_m[i];
    }
  });
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
