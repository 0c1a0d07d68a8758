#include "scenes/optics/projection_table.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench {
namespace {

constexpr std::array<int, 3> kTableNodes{12, 20, 32};  // tried in this order
constexpr int kTableDepthNodes = 10;
constexpr float kNowhere = 2;

struct Axis {  // from the unit interval of the polynomials to pixels or metres
  double middle, half;
  explicit Axis(double low, double high)
      : middle(0.5 * (low + high)), half(std::max(0.5 * (high - low), 1e-6)) {}
  double at(double t) const { return middle + half * t; }
  double unit(double value) const { return (value - middle) / half; }
};

// Exact positions on a grid of unit coordinates, [depth][y][x], grid_sample's units; empty if one is not
// defined.
struct Positions {
  std::vector<double> u, v;
};

Positions project_grid(const RefractiveCamera& reference, const RefractiveCamera& source,
                       const Axis& depth_axis, const std::vector<double>& at,
                       const std::vector<double>& depth_at) {
  const Axis x_axis(0, reference.width_px - 1), y_axis(0, reference.height_px - 1);
  PointBatch points;
  for (const double depth : depth_at)
    for (const double y : at)
      for (const double x : at) {
        WaterRay ray;
        if (!cast_ray_fast(reference, x_axis.at(x), y_axis.at(y), ray)) return {};
        const double depth_m = depth_axis.at(depth);
        points.x_m.push_back(ray.origin_m[0] + depth_m * ray.direction[0]);
        points.y_m.push_back(ray.origin_m[1] + depth_m * ray.direction[1]);
        points.z_m.push_back(ray.origin_m[2] + depth_m * ray.direction[2]);
      }
  points.resize(points.x_m.size());
  project_points(source, points);
  const Axis u_axis(0, source.width_px - 1), v_axis(0, source.height_px - 1);
  Positions positions;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (std::isnan(points.u_px[i])) return {};
    positions.u.push_back(u_axis.unit(points.u_px[i]));
    positions.v.push_back(v_axis.unit(points.v_px[i]));
  }
  return positions;
}

std::vector<double> chebyshev_points(int count) {
  std::vector<double> points;
  points.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) points.push_back(chebyshev_point(i, count));
  return points;
}

// Values [depth node][y][x] -> [depth][y][x], `plane` values a depth.
std::vector<double> at_depths(const std::vector<double>& values, std::size_t plane,
                              const std::vector<double>& depth_units) {
  std::vector<double> result;
  for (const double unit : depth_units) {
    const std::vector<double> weights = chebyshev_weights(kTableDepthNodes, unit);
    for (std::size_t i = 0; i < plane; ++i) {
      double sum = 0;
      for (int k = 0; k < kTableDepthNodes; ++k) sum += weights[k] * values[k * plane + i];
      result.push_back(sum);
    }
  }
  return result;
}

// Largest difference from exact positions at the midpoints (in angle) between nodes and at the ends, pixels.
double table_error_px(const Positions& nodes, int count, const RefractiveCamera& reference,
                      const RefractiveCamera& source, const Axis& depth_axis) {
  std::vector<double> at{-1, 1};
  for (int i = 1; i < count; i += 3) at.push_back(std::cos(std::numbers::pi * i / count));
  const std::vector<double> depth_at{-1, 0, 1};
  const Positions exact = project_grid(reference, source, depth_axis, at, depth_at);
  if (exact.u.empty()) return std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> weights;
  weights.reserve(at.size());
  for (const double t : at) weights.push_back(chebyshev_weights(count, t));
  double error = 0;
  const std::size_t plane = static_cast<std::size_t>(count) * count;
  for (const auto& [values, expected, size_px] :
       {std::tuple{&nodes.u, &exact.u, source.width_px}, std::tuple{&nodes.v, &exact.v, source.height_px}}) {
    const std::vector<double> planes = at_depths(*values, plane, depth_at);
    std::size_t index = 0;
    for (std::size_t d = 0; d < depth_at.size(); ++d)
      for (std::size_t y = 0; y < at.size(); ++y)
        for (std::size_t x = 0; x < at.size(); ++x) {
          double value = 0;
          for (int j = 0; j < count; ++j)
            for (int i = 0; i < count; ++i)
              value +=
                  weights[y][j] * weights[x][i] * planes[d * plane + static_cast<std::size_t>(j * count + i)];
          error = std::max(error, std::abs(value - (*expected)[index++]) * 0.5 * size_px);
        }
  }
  return error;
}

std::vector<float> weight_matrix(int count, int pixels) {
  const Axis axis(0, pixels - 1);
  std::vector<float> matrix;
  for (int i = 0; i < pixels; ++i)
    for (const double weight : chebyshev_weights(count, axis.unit(i)))
      matrix.push_back(static_cast<float>(weight));
  return matrix;
}

}  // namespace

ProjectionTable make_projection_table(const RefractiveCamera& reference, const RefractiveCamera& source,
                                      std::span<const float> depths_m) {
  const Axis depth_axis(depths_m.front(), depths_m.back());
  ProjectionTable table;
  for (const int count : kTableNodes) {
    const Positions nodes = project_grid(reference, source, depth_axis, chebyshev_points(count),
                                         chebyshev_points(kTableDepthNodes));
    if (nodes.u.empty()) break;
    table.error_px = table_error_px(nodes, count, reference, source, depth_axis);
    if (table.error_px > kTableTolerance_px) continue;
    table.nodes = count;
    table.column_weights = weight_matrix(count, reference.width_px);
    table.row_weights = weight_matrix(count, reference.height_px);
    std::vector<double> units;
    for (const float depth_m : depths_m) units.push_back(depth_axis.unit(depth_m));
    const std::size_t plane = static_cast<std::size_t>(count) * count;
    const std::vector<double> u = at_depths(nodes.u, plane, units), v = at_depths(nodes.v, plane, units);
    table.u.assign(u.begin(), u.end());
    table.v.assign(v.begin(), v.end());
    break;
  }
  return table;
}

void exact_positions(const RefractiveCamera& reference, const RefractiveCamera& source, float depth_m,
                     std::span<float> u, std::span<float> v) {
  const auto width = static_cast<std::size_t>(reference.width_px);
  const Axis u_axis(0, source.width_px - 1), v_axis(0, source.height_px - 1);
  parallel_for(static_cast<std::size_t>(reference.height_px), 1, [&](std::size_t begin, std::size_t end) {
    PointBatch points;
    points.resize(width);
    for (std::size_t y = begin; y < end; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        WaterRay ray;
        const bool valid = cast_ray_fast(reference, static_cast<double>(x), static_cast<double>(y), ray);
        const double depth = valid ? depth_m : std::numeric_limits<double>::quiet_NaN();
        points.x_m[x] = ray.origin_m[0] + depth * ray.direction[0];
        points.y_m[x] = ray.origin_m[1] + depth * ray.direction[1];
        points.z_m[x] = ray.origin_m[2] + depth * ray.direction[2];
      }
      project_points(source, points);
      for (std::size_t x = 0; x < width; ++x) {
        const bool valid = !std::isnan(points.u_px[x]);
        u[y * width + x] = valid ? static_cast<float>(u_axis.unit(points.u_px[x])) : kNowhere;
        v[y * width + x] = valid ? static_cast<float>(v_axis.unit(points.v_px[x])) : kNowhere;
      }
    }
  });
}

}  // namespace aqbench
