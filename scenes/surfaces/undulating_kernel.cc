#include "scenes/surfaces/undulating_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/multiversion.h"
#include "scenes/surfaces/vector_math.h"

namespace aqbench {
namespace {

// The root of e + b sin e = u with a rising left side, in [0, u]; b >= 0, u in [0, pi].
double solve_phase(double b, double u) {
  // The left side is concave on [0, pi]: Newton from a point left of the root climbs to it and never passes
  // it.
  double e = u / (1 + b);
  for (int iteration = 0; iteration < 100; ++iteration) {
    const double short_of = u - e - b * std::sin(e);
    const double rise = 1 + b * std::cos(e);
    if (!(short_of > 0) || rise <= 0) break;
    const double next = std::min(e + short_of / rise, u);
    if (next - e <= 1e-16 * u) return next;
    e = next;
  }
  return e;
}

// A block is always full (the last is padded), so that no point runs through a loop's scalar remainder, whose
// rounding may differ.
constexpr std::size_t kLanes = 32;

// b of undulating_kernel.h is kept at least this; below it a point is near a focus of the surface.
constexpr double kLeastCurvature = 0.03;
// Longest step, in radians, after which the foot is right to 1e-12 m with the correction of step_block.
constexpr double kLastStep = 4e-4;

// One block, structure of arrays. u, e, w, gap as in undulating_kernel.h; s and c are sin(e) and cos(e).
struct Lanes {
  alignas(64) double px[kLanes], py[kLanes], pz[kLanes];
  alignas(64) double side[kLanes], toward_x[kLanes],
      toward_y[kLanes];  // +-1; sign of (foot - crest) per axis
  alignas(64) double ux[kLanes], uy[kLanes], gap[kLanes];
  alignas(64) double ex[kLanes], ey[kLanes];
  alignas(64) double sx[kLanes], sy[kLanes], w[kLanes];
  alignas(64) double open[kLanes];  // 1: not solved yet, as the last step was too long, or the foot is not a
                                    // minimum
};

struct Constants {
  double base, a, kx, ky;
  double inverse_kx, inverse_ky;
  double slope_x, slope_y;          // a k
  double curvature_x, curvature_y;  // a k^2

  explicit Constants(const UndulatingConstants& s)
      : base(s.base_depth_m),
        a(s.amplitude_m),
        kx(s.wave_x),
        ky(s.wave_y),
        inverse_kx(1 / s.wave_x),
        inverse_ky(1 / s.wave_y),
        slope_x(s.amplitude_m * s.wave_x),
        slope_y(s.amplitude_m * s.wave_y),
        curvature_x(slope_x * s.wave_x),
        curvature_y(slope_y * s.wave_y) {}
};

struct Phase {
  double s, c;  // sine and cosine
};

// For an angle in [0, pi].
AQBENCH_INLINE Phase phase_of(double e) {
  const vector_math::SinCos quarter = vector_math::sincos_half_turn(e - std::numbers::pi / 2);
  return {quarter.cosine, -quarter.sine};
}

// For a small change of angle, |d| < 2e-3: error d^4 / 24 < 1e-12.
AQBENCH_INLINE Phase turned(Phase p, double d) {
  const double cosine = 1 - 0.5 * d * d, sine = d * (1 - d * d * (1.0 / 6));
  return {p.s * cosine + p.c * sine, p.c * cosine - p.s * sine};
}

// The Newton step at (ex, ey): half the squared distance has, in metres along x and y, the gradient
// (e - u) / k + w v with v = a k sin e and the Hessian diag(b) + v v^T with b = 1 + w a k^2 cos e.
struct Newton {
  double w, bx, by;       // b before it is kept positive
  double hxx, hyy, hxy;   // Hessian times the inverse of its determinant
  double step_x, step_y;  // radians

  AQBENCH_INLINE Newton(const Constants& k, double gap, double ux, double uy, double ex, double ey, Phase x,
                        Phase y) {
    w = gap - k.a * (x.c + y.c);
    bx = 1 + w * k.curvature_x * x.c;
    by = 1 + w * k.curvature_y * y.c;
    const double safe_x = bx > kLeastCurvature ? bx : kLeastCurvature,
                 safe_y = by > kLeastCurvature ? by : kLeastCurvature;
    const double vx = k.slope_x * x.s, vy = k.slope_y * y.s;
    const double inverse = 1 / (safe_x * safe_y + safe_x * vy * vy + safe_y * vx * vx);
    hxx = (safe_x + vx * vx) * inverse;
    hyy = (safe_y + vy * vy) * inverse;
    hxy = vx * vy * inverse;
    set_step(k, ux, uy, ex, ey, vx, vy);
  }
  // The step by the gradient at another, near place, with this Hessian.
  AQBENCH_INLINE void set_step(const Constants& k, double ux, double uy, double ex, double ey, double vx,
                               double vy) {
    const double gx = (ex - ux) * k.inverse_kx + w * vx, gy = (ey - uy) * k.inverse_ky + w * vy;
    step_x = k.kx * (hxy * gy - hyy * gx);
    step_y = k.ky * (hxy * gx - hxx * gy);
  }
};

AQBENCH_INLINE double clamped(double x, double high) {
  const double not_below = x > 0 ? x : 0;
  return not_below < high ? not_below : high;
}

// Reduces the points to phases, finds each one's side and makes the first step.
AQBENCH_INLINE void start_block(const Constants& k, Lanes& n) {
  const double turns_x = k.kx / (2 * std::numbers::pi), turns_y = k.ky / (2 * std::numbers::pi);
  for (std::size_t i = 0; i < kLanes; ++i) {
    // The crests of the upper side (z smallest) lie a quarter turn before the zeros.
    const double tx = n.px[i] * turns_x + 0.25, ty = n.py[i] * turns_y + 0.25;
    const double fx = tx - vector_math::round_to_integer(tx), fy = ty - vector_math::round_to_integer(ty);
    double ux = 2 * std::numbers::pi * std::abs(fx), uy = 2 * std::numbers::pi * std::abs(fy);
    Phase x = phase_of(ux), y = phase_of(uy);
    const double above = k.base - k.a * (x.c + y.c) - n.pz[i];
    const double side = above >= 0 ? 1.0 : -1.0;
    ux = side > 0 ? ux : std::numbers::pi - ux;
    uy = side > 0 ? uy : std::numbers::pi - uy;
    x.c *= side;
    y.c *= side;
    n.side[i] = side;
    n.toward_x[i] = fx >= 0 ? side : -side;
    n.toward_y[i] = fy >= 0 ? side : -side;
    n.ux[i] = ux;
    n.uy[i] = uy;
    n.gap[i] = side * (k.base - n.pz[i]);
    // Near the surface from the point itself; further off from left of the root (see solve_phase).
    const Newton newton(k, n.gap[i], ux, uy, ux, uy, x, y);
    const double far_x = ux / (1 + newton.w * k.curvature_x), far_y = uy / (1 + newton.w * k.curvature_y);
    const bool near = newton.w * k.curvature_x < 0.4 && newton.w * k.curvature_y < 0.4;
    n.open[i] = 1.0;
    n.sx[i] = 0;
    n.sy[i] = 0;
    n.w[i] = 0;
    n.ex[i] = near ? clamped(ux + newton.step_x, ux) : far_x;
    n.ey[i] = near ? clamped(uy + newton.step_y, uy) : far_y;
  }
}

// One Newton step of every lane, and the foot after it by Taylor's formula with one more step at the same
// Hessian. Returns whether all are solved.
AQBENCH_INLINE bool step_block(const Constants& k, Lanes& n) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double ux = n.ux[i], uy = n.uy[i], gap = n.gap[i];
    Phase x = phase_of(n.ex[i]), y = phase_of(n.ey[i]);
    Newton newton(k, gap, ux, uy, n.ex[i], n.ey[i], x, y);
    const double first_x = newton.step_x, first_y = newton.step_y;
    double ex = n.ex[i] + first_x, ey = n.ey[i] + first_y;
    x = turned(x, first_x);
    y = turned(y, first_y);
    newton.w = gap - k.a * (x.c + y.c);
    newton.set_step(k, ux, uy, ex, ey, k.slope_x * x.s, k.slope_y * y.s);
    ex += newton.step_x;
    ey += newton.step_y;
    x = turned(x, newton.step_x);
    y = turned(y, newton.step_y);
    const double w = gap - k.a * (x.c + y.c);
    const bool solved = std::abs(first_x) < kLastStep && std::abs(first_y) < kLastStep &&
                        newton.bx > kLeastCurvature && newton.by > kLeastCurvature && w > -1e-12;
    // A solved lane stays as it is, whatever its neighbours still need.
    const bool open = n.open[i] != 0;
    const double next_x = solved ? ex : clamped(n.ex[i] + first_x, ux);
    const double next_y = solved ? ey : clamped(n.ey[i] + first_y, uy);
    n.ex[i] = open ? next_x : n.ex[i];
    n.ey[i] = open ? next_y : n.ey[i];
    n.sx[i] = open ? x.s : n.sx[i];
    n.sy[i] = open ? y.s : n.sy[i];
    n.w[i] = open ? w : n.w[i];
    n.open[i] = solved ? 0.0 : n.open[i];
  }
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kLanes; ++i) any |= std::bit_cast<std::uint64_t>(n.open[i]);
  return any == 0;
}

// Solves the few lanes near a focus of the surface, where Newton does not converge.
void solve_open_lanes(const Constants& k, Lanes& n) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (n.open[i] == 0) continue;
    const UndulatingFoot foot = solve_undulating_foot({k.a, k.kx, k.ky, n.gap[i], n.ux[i], n.uy[i]});
    n.ex[i] = foot.phase_x;
    n.ey[i] = foot.phase_y;
    n.sx[i] = std::sin(foot.phase_x);
    n.sy[i] = std::sin(foot.phase_y);
    n.w[i] = n.gap[i] - k.a * (std::cos(foot.phase_x) + std::cos(foot.phase_y));
  }
}

AQBENCH_INLINE void load_block(const Vec3* points, std::size_t count, Lanes& n) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const double* p = points[i < count ? i : count - 1].data();
    n.px[i] = p[0];
    n.py[i] = p[1];
    n.pz[i] = p[2];
  }
}

AQBENCH_INLINE void solve_block(const Constants& k, Lanes& n) {
  constexpr int kMaxSteps = 8;
  start_block(k, n);
  for (int step = 0; step < kMaxSteps; ++step)
    if (step_block(k, n)) return;
  solve_open_lanes(k, n);
}

AQBENCH_MULTIVERSION void distances(const Constants& k, const Vec3* points, std::size_t count, double* out) {
  Lanes n;
  alignas(64) double distance[kLanes];
  for (std::size_t begin = 0; begin < count; begin += kLanes) {
    const std::size_t size = std::min(kLanes, count - begin);
    load_block(points + begin, size, n);
    solve_block(k, n);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double dx = (n.ux[i] - n.ex[i]) * k.inverse_kx, dy = (n.uy[i] - n.ey[i]) * k.inverse_ky;
      distance[i] = n.side[i] * std::sqrt(dx * dx + dy * dy + n.w[i] * n.w[i]);
    }
    std::copy(distance, distance + size, out + begin);
  }
}

AQBENCH_MULTIVERSION void feet(const Constants& k, const Vec3* points, std::size_t count, ClosestPoint* out) {
  Lanes n;
  alignas(64) double foot_x[kLanes], foot_y[kLanes], foot_z[kLanes], distance[kLanes];
  alignas(64) double normal_x[kLanes], normal_y[kLanes], normal_z[kLanes];
  for (std::size_t begin = 0; begin < count; begin += kLanes) {
    const std::size_t size = std::min(kLanes, count - begin);
    load_block(points + begin, size, n);
    solve_block(k, n);
    for (std::size_t i = 0; i < kLanes; ++i) {
      const double dx = (n.ux[i] - n.ex[i]) * k.inverse_kx, dy = (n.uy[i] - n.ey[i]) * k.inverse_ky;
      const double fx = n.side[i] * n.toward_x[i] * k.slope_x * n.sx[i];
      const double fy = n.side[i] * n.toward_y[i] * k.slope_y * n.sy[i];
      const double inverse = 1 / std::sqrt(1 + fx * fx + fy * fy);
      foot_x[i] = n.px[i] - n.toward_x[i] * dx;
      foot_y[i] = n.py[i] - n.toward_y[i] * dy;
      foot_z[i] = n.pz[i] + n.side[i] * n.w[i];
      normal_x[i] = fx * inverse;
      normal_y[i] = fy * inverse;
      normal_z[i] = -inverse;
      distance[i] = n.side[i] * std::sqrt(dx * dx + dy * dy + n.w[i] * n.w[i]);
    }
    for (std::size_t i = 0; i < size; ++i)
      out[begin + i] = {
          {foot_x[i], foot_y[i], foot_z[i]}, {normal_x[i], normal_y[i], normal_z[i]}, distance[i]};
  }
}

AQBENCH_MULTIVERSION void slopes(const Constants& k, const double* __restrict x, const double* __restrict y,
                                 std::size_t count, double* __restrict z, double* __restrict fx,
                                 double* __restrict fy) {
  for (std::size_t i = 0; i < count; ++i) {
    const vector_math::SinCos px = vector_math::sincos(k.kx * x[i]), py = vector_math::sincos(k.ky * y[i]);
    z[i] = k.base + k.a * px.sine + k.a * py.sine;
    fx[i] = k.slope_x * px.cosine;
    fy[i] = k.slope_y * py.cosine;
  }
}

AQBENCH_INLINE void heights_of_block(const Constants& k, const double* x, const double* y, double* z,
                                     double* area_factor) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const vector_math::SinCos px = vector_math::sincos(k.kx * x[i]), py = vector_math::sincos(k.ky * y[i]);
    const double fx = k.slope_x * px.cosine, fy = k.slope_y * py.cosine;
    z[i] = k.base + k.a * (px.sine + py.sine);
    area_factor[i] = std::sqrt(1 + fx * fx + fy * fy);
  }
}

AQBENCH_MULTIVERSION void heights(const Constants& k, const double* x, const double* y, std::size_t count,
                                  double* z, double* area_factor) {
  const std::size_t full = count - count % kLanes, rest = count - full;
  for (std::size_t begin = 0; begin < full; begin += kLanes)
    heights_of_block(k, x + begin, y + begin, z + begin, area_factor + begin);
  if (rest == 0) return;
  alignas(64) double block[4][kLanes] = {};
  std::copy(x + full, x + count, block[0]);
  std::copy(y + full, y + count, block[1]);
  heights_of_block(k, block[0], block[1], block[2], block[3]);
  std::copy(block[2], block[2] + rest, z + full);
  std::copy(block[3], block[3] + rest, area_factor + full);
}

}  // namespace

UndulatingFoot solve_undulating_foot(const UndulatingQuery& q) {
  UndulatingFoot foot{};
  const double curvature_x = q.amplitude_m * q.wave_x * q.wave_x,
               curvature_y = q.amplitude_m * q.wave_y * q.wave_y;
  const double slope_x = q.amplitude_m * q.wave_x, slope_y = q.amplitude_m * q.wave_y;
  double low = std::max(0.0, q.gap_m - 2 * q.amplitude_m);
  double high = std::max(low, q.gap_m - q.amplitude_m * (std::cos(q.phase_x) + std::cos(q.phase_y)));
  double w = 0.5 * (low + high);
  for (int iteration = 0; iteration < 100; ++iteration) {
    foot.phase_x = solve_phase(w * curvature_x, q.phase_x);
    foot.phase_y = solve_phase(w * curvature_y, q.phase_y);
    const double cos_x = std::cos(foot.phase_x), cos_y = std::cos(foot.phase_y);
    // w minus the height that it leads to: increases with w, at a rate of 1 or more.
    const double excess = w - (q.gap_m - q.amplitude_m * (cos_x + cos_y));
    (excess > 0 ? high : low) = w;
    const double vx = slope_x * std::sin(foot.phase_x), vy = slope_y * std::sin(foot.phase_y);
    const double rate = 1 + vx * vx / (1 + w * curvature_x * cos_x) + vy * vy / (1 + w * curvature_y * cos_y);
    double next = w - excess / rate;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - w) <= 1e-16 * w || next <= low || next >= high) break;
    w = next;
  }
  return foot;
}

void undulating_closest_points(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                               std::span<ClosestPoint> out) {
  feet(Constants(surface), points_m.data(), points_m.size(), out.data());
}

void undulating_signed_distances(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                                 std::span<double> out_m) {
  distances(Constants(surface), points_m.data(), points_m.size(), out_m.data());
}

void undulating_slopes(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                       std::size_t count, double* z_m, double* fx, double* fy) {
  slopes(Constants(surface), x_m, y_m, count, z_m, fx, fy);
}

void undulating_heights(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                        std::size_t count, double* z_m, double* area_factor) {
  heights(Constants(surface), x_m, y_m, count, z_m, area_factor);
}

}  // namespace aqbench
