#include "pipeline/plane_sweep/kernels/tile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "scenes/optics/projection_table.h"

namespace aqbench::plane_sweep {
namespace {

constexpr std::array<double, 3> kCheckAt{-1, 0, 1};  // extrema of every Chebyshev polynomial of even degree
constexpr double kFitTolerance_px = 1e-4;            // the largest error of an accepted fit
constexpr int kNodes = kNodesX * kNodesY * kNodesDepth;
constexpr int kChecks = 27;

// power[a][i]: what the value at node i adds to the coefficient of t^a.
template <int N>
std::array<std::array<double, N>, N> powers_from_values() {
  std::array<std::array<double, N>, N> powers{};
  for (int i = 0; i < N; ++i) {
    std::array<double, N> lagrange{};  // product over j != i of (t - t_j) / (t_i - t_j)
    lagrange[0] = 1;
    int degree = 0;
    for (int j = 0; j < N; ++j) {
      if (j == i) continue;
      const double scale = 1 / (chebyshev_point(i, N) - chebyshev_point(j, N));
      ++degree;
      for (int a = degree; a >= 0; --a)
        lagrange[a] = ((a > 0 ? lagrange[a - 1] : 0) - chebyshev_point(j, N) * lagrange[a]) * scale;
    }
    for (int a = 0; a < N; ++a) powers[a][i] = lagrange[a];
  }
  return powers;
}

using Tensor = double[kNodesX][kNodesY][kNodesDepth];

// Values at the nodes -> coefficients of X^a Y^b T^c.
void to_powers(Tensor& tensor) {
  static const auto along_x = powers_from_values<kNodesX>();
  static const auto along_y = powers_from_values<kNodesY>();
  static const auto along_depth = powers_from_values<kNodesDepth>();
  Tensor next{};
  for (int a = 0; a < kNodesX; ++a)
    for (int i = 0; i < kNodesX; ++i)
      for (int j = 0; j < kNodesY; ++j)
        for (int k = 0; k < kNodesDepth; ++k) next[a][j][k] += along_x[a][i] * tensor[i][j][k];
  Tensor last{};
  for (int a = 0; a < kNodesX; ++a)
    for (int b = 0; b < kNodesY; ++b)
      for (int j = 0; j < kNodesY; ++j)
        for (int k = 0; k < kNodesDepth; ++k) last[a][b][k] += along_y[b][j] * next[a][j][k];
  for (int a = 0; a < kNodesX; ++a)
    for (int b = 0; b < kNodesY; ++b)
      for (int c = 0; c < kNodesDepth; ++c) {
        double sum = 0;
        for (int k = 0; k < kNodesDepth; ++k) sum += along_depth[c][k] * last[a][b][k];
        tensor[a][b][c] = sum;
      }
}

template <int N>
double horner(const double (&powers)[N], double t) {
  double value = powers[N - 1];
  for (int i = N - 2; i >= 0; --i) value = value * t + powers[i];
  return value;
}

// Largest difference from `values`, [y][x][depth] at kCheckAt, one variable fixed after the other.
double check_error(const Tensor& powers, const double* values) {
  double error = 0;
  for (std::size_t k = 0; k < kCheckAt.size(); ++k) {
    double at_depth[kNodesX][kNodesY];
    for (int a = 0; a < kNodesX; ++a)
      for (int b = 0; b < kNodesY; ++b) at_depth[a][b] = horner(powers[a][b], kCheckAt[k]);
    for (std::size_t j = 0; j < kCheckAt.size(); ++j) {
      double at_row[kNodesX];
      for (int a = 0; a < kNodesX; ++a) at_row[a] = horner(at_depth[a], kCheckAt[j]);
      for (std::size_t i = 0; i < kCheckAt.size(); ++i)
        error = std::max(error, std::abs(horner(at_row, kCheckAt[i]) -
                                         values[(j * kCheckAt.size() + i) * kCheckAt.size() + k]));
    }
  }
  return error;
}

// Fixes the depth: one polynomial in X and Y for each lane.
void to_lanes(const Tensor& powers, const std::array<double, kLanes>& t, Lanes (&lanes)[kNodesX][kNodesY]) {
  for (int a = 0; a < kNodesX; ++a)
    for (int b = 0; b < kNodesY; ++b) {
      std::array<double, kLanes> sum{};
      for (int c = kNodesDepth - 1; c >= 0; --c)
        for (int lane = 0; lane < kLanes; ++lane) sum[lane] = sum[lane] * t[lane] + powers[a][b][c];
      for (int lane = 0; lane < kLanes; ++lane) lanes[a][b][lane] = static_cast<float>(sum[lane]);
    }
}

// Nodes first, [x][y][depth], then the checks, [y][x][depth].
void project_nodes_and_checks(const BoxRays& rays, const DepthInterval& depths,
                              const RefractiveCamera& source, PointBatch& points) {
  points.resize(kNodes + kChecks);
  std::size_t index = 0;
  for (const WaterRay& ray : rays.nodes)
    for (int k = 0; k < kNodesDepth; ++k)
      points.set(index++, ray, depths.depth_m(chebyshev_point(k, kNodesDepth)));
  for (const WaterRay& ray : rays.checks)
    for (const double t : kCheckAt) points.set(index++, ray, depths.depth_m(t));
  project_points(source, points);
}

// The polynomials of a row of a box, in single precision.
struct RowPowers {
  float powers[kNodesX][kNodesDepth];
};

RowPowers fix_y(const Tensor& tensor, double y) {
  RowPowers row{};
  for (int a = 0; a < kNodesX; ++a)
    for (int c = 0; c < kNodesDepth; ++c) {
      double sum = 0;
      for (int b = kNodesY - 1; b >= 0; --b) sum = sum * y + tensor[a][b][c];
      row.powers[a][c] = static_cast<float>(sum);
    }
  return row;
}

// Sixteen pixels' samples at s = -1 to 1: value + s slope + s^2 bend.
struct Parabolas {
  Lanes value, slope, bend;

  AQBENCH_INLINE Lanes reach() const { return at_least(slope, -slope) + at_least(bend, -bend); }
  AQBENCH_INLINE void store(float* const (&powers)[3], int first) const {
    store_lanes(powers[0] + first, value);
    store_lanes(powers[1] + first, slope);
    store_lanes(powers[2] + first, bend);
  }
};

// Horner's scheme for a polynomial in T, its derivative and half of its second one.
AQBENCH_INLINE Parabolas expand(const RowPowers& row, Lanes x, Lanes t0, Lanes t1, Lanes t2) {
  Lanes value{}, first{}, second{};
  for (int c = kNodesDepth - 1; c >= 0; --c) {
    Lanes power = broadcast(row.powers[kNodesX - 1][c]);
    for (int a = kNodesX - 2; a >= 0; --a) power = power * x + row.powers[a][c];
    second = second * t0 + first;
    first = first * t0 + value;
    value = value * t0 + power;
  }
  return {value, first * t1, second * t1 * t1 + first * t2};
}

// The last whole pixel before all samples, but within the image.
int base_px(double min_px, int size_px) {
  return std::clamp(static_cast<int>(std::clamp(min_px - 1, 0.0, 1e6)), 0, size_px - 1);
}

}  // namespace

BoxRays cast_box_rays(const RefractiveCamera& reference, const PixelBox& box) {
  BoxRays rays{box, true, {}, {}};
  const double middle_x = 0.5 * (box.x_begin + box.x_end - 1), half_x = 0.5 * (box.x_end - 1 - box.x_begin);
  const double middle_y = 0.5 * (box.y_begin + box.y_end - 1), half_y = 0.5 * (box.y_end - 1 - box.y_begin);
  for (int i = 0; i < kNodesX; ++i)
    for (int j = 0; j < kNodesY; ++j)
      rays.valid &=
          cast_ray_fast(reference, middle_x + half_x * chebyshev_point(i, kNodesX),
                        middle_y + half_y * chebyshev_point(j, kNodesY), rays.nodes[i * kNodesY + j]);
  std::size_t index = 0;
  for (const double y : kCheckAt)
    for (const double x : kCheckAt)
      rays.valid &=
          cast_ray_fast(reference, middle_x + half_x * x, middle_y + half_y * y, rays.checks[index++]);
  return rays;
}

void fit_powers(const BoxRays& rays, const DepthInterval& depths, const RefractiveCamera& source,
                FitScratch& scratch, ProjectionPowers& powers) {
  powers.exact_enough = false;
  powers.error_px = std::numeric_limits<double>::infinity();
  if (!rays.valid) return;
  PointBatch& points = scratch.points;
  project_nodes_and_checks(rays, depths, source, points);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isnan(points.u_px[i]) || std::isnan(points.v_px[i])) return;
  const auto [u_min, u_max] = std::minmax_element(points.u_px.begin(), points.u_px.end());
  const auto [v_min, v_max] = std::minmax_element(points.v_px.begin(), points.v_px.end());
  powers.u_min_px = *u_min, powers.u_max_px = *u_max, powers.v_min_px = *v_min, powers.v_max_px = *v_max;
  std::copy_n(points.u_px.begin(), kNodes, &powers.u[0][0][0]);
  std::copy_n(points.v_px.begin(), kNodes, &powers.v[0][0][0]);
  to_powers(powers.u);
  to_powers(powers.v);
  powers.error_px =
      std::max(check_error(powers.u, &points.u_px[kNodes]), check_error(powers.v, &points.v_px[kNodes]));
  powers.exact_enough = powers.error_px <= kFitTolerance_px;
  powers.u_base_px = base_px(powers.u_min_px, source.width_px);
  powers.v_base_px = base_px(powers.v_min_px, source.height_px);
  powers.u[0][0][0] -= powers.u_base_px;
  powers.v[0][0][0] -= powers.v_base_px;
}

AQBENCH_MULTIVERSION
void project_guided_row(const ProjectionPowers& powers, double y, const GuidedDepths& depths,
                        float* const (&u)[3], float* const (&v)[3], Lanes (&bounds)[4]) {
  const RowPowers in_u = fix_y(powers.u, y), in_v = fix_y(powers.v, y);
  for (int i = 0; i < depths.count; i += kLanes) {
    const Lanes x = load_lanes(depths.x + i);
    const Lanes t0 = load_lanes(depths.t[0] + i), t1 = load_lanes(depths.t[1] + i),
                t2 = load_lanes(depths.t[2] + i);
    const Parabolas of_u = expand(in_u, x, t0, t1, t2), of_v = expand(in_v, x, t0, t1, t2);
    of_u.store(u, i);
    of_v.store(v, i);
    const Lanes reach_u = of_u.reach(), reach_v = of_v.reach();
    bounds[0] = at_most(of_u.value - reach_u, bounds[0]);  // NaN changes nothing
    bounds[1] = at_least(of_u.value + reach_u, bounds[1]);
    bounds[2] = at_most(of_v.value - reach_v, bounds[2]);
    bounds[3] = at_least(of_v.value + reach_v, bounds[3]);
  }
}

void fit_projection(const BoxRays& rays, std::span<const float, kLanes> depths_m,
                    const RefractiveCamera& source, FitScratch& scratch, ProjectionFit& fit) {
  const double middle_m = 0.5 * (static_cast<double>(depths_m.front()) + depths_m.back());
  // A block may hold a single depth.
  const double half_m = std::max(0.5 * (static_cast<double>(depths_m.back()) - depths_m.front()), 1e-6);
  ProjectionPowers powers;
  fit_powers(rays, {middle_m, half_m}, source, scratch, powers);
  static_cast<FitQuality&>(fit) = powers;
  if (!std::isfinite(fit.error_px)) return;
  std::array<double, kLanes> t;
  for (int lane = 0; lane < kLanes; ++lane) t[lane] = (depths_m[lane] - middle_m) / half_m;
  to_lanes(powers.u, t, fit.u);
  to_lanes(powers.v, t, fit.v);
}

}  // namespace aqbench::plane_sweep
