#include "scenes/surfaces/ripples/ripple_field.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/multiversion.h"
#include "scenes/surfaces/vector_math.h"

namespace aqbench {
namespace {

// Always full, as in undulating_kernel.cc: no point runs through a loop's scalar remainder.
constexpr std::size_t kRippleLanes = 32;
constexpr int kMaxRippleSteps = 8;
constexpr double kLongestStep_m = 0.01;  // of Newton; a longer one is cut
constexpr double kLastStep_m = 1e-5;     // after which one correction by the same Hessian is enough
constexpr double kLastCorrection_m = 1e-7;
constexpr double kLeastEigenvalue = 0.05;  // the Hessian is shifted to have no smaller one

// One block, structure of arrays.
struct RippleLanes {
  alignas(64) double px[kRippleLanes], py[kRippleLanes], pz[kRippleLanes];
  alignas(64) double x[kRippleLanes], y[kRippleLanes], side[kRippleLanes];  // side: +1 above, -1 below
  alignas(64) double z[kRippleLanes], fx[kRippleLanes], fy[kRippleLanes];
  alignas(64) double fxx[kRippleLanes], fxy[kRippleLanes], fyy[kRippleLanes];
  alignas(64) double kxx[kRippleLanes], kxy[kRippleLanes], kyy[kRippleLanes];  // K of the proof
  alignas(64) double ixx[kRippleLanes], ixy[kRippleLanes], iyy[kRippleLanes];  // inverse Hessian
  alignas(64) double distance[kRippleLanes];
  alignas(64) double open[kRippleLanes];  // 1: the last step was too long, or there is no proof
};

// amplitude sin(wave . (x, y) + phase) and the factors of its derivatives.
struct RippleTerm {
  double kx, ky, phase;
  double a, ax, ay, axx, axy, ayy;

  AQBENCH_INLINE explicit RippleTerm(const Ripple& r)
      : kx(r.wave_x),
        ky(r.wave_y),
        phase(r.phase),
        a(r.amplitude_m),
        ax(a * kx),
        ay(a * ky),
        axx(ax * kx),
        axy(ax * ky),
        ayy(ay * ky) {}
};

AQBENCH_INLINE void load_ripple_block(const Vec3* points, std::size_t count, RippleLanes& n) {
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    const double* p = points[i < count ? i : count - 1].data();
    n.px[i] = n.x[i] = p[0];
    n.py[i] = n.y[i] = p[1];
    n.pz[i] = p[2];
    n.open[i] = 1;
  }
}

// Height and derivatives at (x, y).
AQBENCH_INLINE void evaluate_block(const RippleFieldShape& shape, RippleLanes& n) {
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    n.z[i] = shape.base_depth_m;
    n.fx[i] = n.fy[i] = n.fxx[i] = n.fxy[i] = n.fyy[i] = 0;
  }
  for (const Ripple& ripple : shape.ripples) {
    const RippleTerm t(ripple);
    for (std::size_t i = 0; i < kRippleLanes; ++i) {
      const vector_math::SinCos p = vector_math::sincos(t.kx * n.x[i] + t.ky * n.y[i] + t.phase);
      n.z[i] += t.a * p.sine;
      n.fx[i] += t.ax * p.cosine;
      n.fy[i] += t.ay * p.cosine;
      n.fxx[i] -= t.axx * p.sine;
      n.fxy[i] -= t.axy * p.sine;
      n.fyy[i] -= t.ayy * p.sine;
    }
  }
}

// One Newton step of every open lane; a lane whose step is short is closed and keeps its inverse Hessian.
// Returns whether all are closed.
AQBENCH_INLINE bool newton_block(RippleLanes& n) {
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    const double w = n.z[i] - n.pz[i];
    const double gx = n.x[i] - n.px[i] + w * n.fx[i], gy = n.y[i] - n.py[i] + w * n.fy[i];
    double hxx = 1 + n.fx[i] * n.fx[i] + w * n.fxx[i], hyy = 1 + n.fy[i] * n.fy[i] + w * n.fyy[i];
    const double hxy = n.fx[i] * n.fy[i] + w * n.fxy[i];
    const double half_difference = 0.5 * (hxx - hyy);
    const double least = 0.5 * (hxx + hyy) - std::sqrt(half_difference * half_difference + hxy * hxy);
    const double shift = least < kLeastEigenvalue ? kLeastEigenvalue + std::abs(least) - least : 0.0;
    hxx += shift;
    hyy += shift;
    const double inverse = 1 / (hxx * hyy - hxy * hxy);
    const double ixx = hyy * inverse, iyy = hxx * inverse, ixy = -hxy * inverse;
    const double step_x = -(ixx * gx + ixy * gy), step_y = -(ixy * gx + iyy * gy);
    const double length = std::sqrt(step_x * step_x + step_y * step_y);
    const double part = length > kLongestStep_m ? kLongestStep_m / length : 1.0;
    const bool open = n.open[i] != 0;
    n.x[i] += open ? part * step_x : 0.0;
    n.y[i] += open ? part * step_y : 0.0;
    n.ixx[i] = open ? ixx : n.ixx[i];
    n.ixy[i] = open ? ixy : n.ixy[i];
    n.iyy[i] = open ? iyy : n.iyy[i];
    n.open[i] = length < kLastStep_m ? 0.0 : n.open[i];
  }
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kRippleLanes; ++i) any |= std::bit_cast<std::uint64_t>(n.open[i]);
  return any == 0;
}

// Height, derivatives and K at (x, y).
AQBENCH_INLINE void evaluate_proof(const RippleFieldShape& shape, RippleLanes& n) {
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    n.z[i] = shape.base_depth_m;
    n.fx[i] = n.fy[i] = n.fxx[i] = n.fxy[i] = n.fyy[i] = 0;
    n.kxx[i] = n.kxy[i] = n.kyy[i] = 0;
  }
  for (const Ripple& ripple : shape.ripples) {
    const RippleTerm t(ripple);
    for (std::size_t i = 0; i < kRippleLanes; ++i) {
      const vector_math::ReducedSinCos p =
          vector_math::reduced_sincos(t.kx * n.x[i] + t.ky * n.y[i] + t.phase);
      // Distance of the phase from the nearest maximum of side * sine; its sine is |cosine|.
      const double u = std::numbers::pi / 2 - n.side[i] * p.sign * p.rest;
      const double c = u > 1e-4 ? std::abs(p.cosine) / u : 1.0;
      n.z[i] += t.a * p.sine;
      n.fx[i] += t.ax * p.cosine;
      n.fy[i] += t.ay * p.cosine;
      n.fxx[i] -= t.axx * p.sine;
      n.fxy[i] -= t.axy * p.sine;
      n.fyy[i] -= t.ayy * p.sine;
      n.kxx[i] += t.axx * c;
      n.kxy[i] += t.axy * c;
      n.kyy[i] += t.ayy * c;
    }
  }
}

// The last correction, the proof (see ripple_field.h) and the results: normal in fx, fy, fxx.
AQBENCH_INLINE void finish_block(RippleLanes& n) {
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    const double w = n.z[i] - n.pz[i];
    const double gx = n.x[i] - n.px[i] + w * n.fx[i], gy = n.y[i] - n.py[i] + w * n.fy[i];
    const double dx = -(n.ixx[i] * gx + n.ixy[i] * gy), dy = -(n.ixy[i] * gx + n.iyy[i] * gy);
    n.x[i] += dx;
    n.y[i] += dy;
    n.z[i] += n.fx[i] * dx + n.fy[i] * dy;
    const double fx = n.fx[i] + n.fxx[i] * dx + n.fxy[i] * dy, fy = n.fy[i] + n.fxy[i] * dx + n.fyy[i] * dy;
    const double half_difference = 0.5 * (n.kxx[i] - n.kyy[i]);
    const double largest =
        0.5 * (n.kxx[i] + n.kyy[i]) + std::sqrt(half_difference * half_difference + n.kxy[i] * n.kxy[i]);
    const double depth = n.side[i] * (n.z[i] - n.pz[i]);
    // The margin covers rounding and the correction, by which K was not moved.
    const bool proven = depth > -1e-12 && depth * largest < 1 - 1e-5 && std::abs(dx) < kLastCorrection_m &&
                        std::abs(dy) < kLastCorrection_m;
    n.open[i] = proven ? n.open[i] : 1.0;
    const double inverse = 1 / std::sqrt(1 + fx * fx + fy * fy);
    n.fx[i] = fx * inverse;
    n.fy[i] = fy * inverse;
    n.fxx[i] = -inverse;
    const double ox = n.px[i] - n.x[i], oy = n.py[i] - n.y[i];
    n.distance[i] = n.side[i] * std::sqrt(ox * ox + oy * oy + depth * depth);
  }
}

AQBENCH_MULTIVERSION void ripple_feet(const RippleFieldShape& shape, const Vec3* points, std::size_t count,
                                      ClosestPoint* out, unsigned char* found) {
  RippleLanes n;
  for (std::size_t begin = 0; begin < count; begin += kRippleLanes) {
    const std::size_t size = std::min(kRippleLanes, count - begin);
    load_ripple_block(points + begin, size, n);
    evaluate_block(shape, n);
    for (std::size_t i = 0; i < kRippleLanes; ++i) n.side[i] = n.z[i] >= n.pz[i] ? 1.0 : -1.0;
    for (int step = 0; !newton_block(n) && step < kMaxRippleSteps; ++step) evaluate_block(shape, n);
    evaluate_proof(shape, n);
    finish_block(n);
    for (std::size_t i = 0; i < size; ++i) {
      out[begin + i] = {{n.x[i], n.y[i], n.z[i]}, {n.fx[i], n.fy[i], n.fxx[i]}, n.distance[i]};
      found[begin + i] = n.open[i] == 0 ? 1 : 0;
    }
  }
}

AQBENCH_INLINE void ripple_heights_of_block(const RippleFieldShape& shape, const double* x, const double* y,
                                            double* z, double* area_factor) {
  alignas(64) double height[kRippleLanes], fx[kRippleLanes] = {}, fy[kRippleLanes] = {};
  std::fill_n(height, kRippleLanes, shape.base_depth_m);
  for (const Ripple& ripple : shape.ripples) {
    const RippleTerm t(ripple);
    for (std::size_t i = 0; i < kRippleLanes; ++i) {
      const vector_math::SinCos p = vector_math::sincos(t.kx * x[i] + t.ky * y[i] + t.phase);
      height[i] += t.a * p.sine;
      fx[i] += t.ax * p.cosine;
      fy[i] += t.ay * p.cosine;
    }
  }
  for (std::size_t i = 0; i < kRippleLanes; ++i) {
    z[i] = height[i];
    area_factor[i] = std::sqrt(1 + fx[i] * fx[i] + fy[i] * fy[i]);
  }
}

AQBENCH_MULTIVERSION void ripple_heights_of(const RippleFieldShape& shape, const double* x, const double* y,
                                            std::size_t count, double* z, double* area_factor) {
  alignas(64) double block[4][kRippleLanes] = {};
  for (std::size_t begin = 0; begin < count; begin += kRippleLanes) {
    const std::size_t size = std::min(kRippleLanes, count - begin);
    std::copy(x + begin, x + begin + size, block[0]);
    std::copy(y + begin, y + begin + size, block[1]);
    ripple_heights_of_block(shape, block[0], block[1], block[2], block[3]);
    std::copy(block[2], block[2] + size, z + begin);
    std::copy(block[3], block[3] + size, area_factor + begin);
  }
}

constexpr std::size_t kTableStep = 8;

AQBENCH_MULTIVERSION HeightJet jet_of_table(const RippleTable& table, double x, double y) {
  alignas(64) double z[kTableStep] = {}, fx[kTableStep] = {}, fy[kTableStep] = {};
  alignas(64) double fxx[kTableStep] = {}, fxy[kTableStep] = {}, fyy[kTableStep] = {};
  for (std::size_t begin = 0; begin < table.phase.size(); begin += kTableStep) {
    const double* amplitude = table.amplitude_m.data() + begin;
    const double* wave_x = table.wave_x.data() + begin;
    const double* wave_y = table.wave_y.data() + begin;
    const double* phase = table.phase.data() + begin;
    for (std::size_t i = 0; i < kTableStep; ++i) {
      const vector_math::SinCos p = vector_math::sincos(wave_x[i] * x + wave_y[i] * y + phase[i]);
      const double s = amplitude[i] * p.sine, c = amplitude[i] * p.cosine;
      z[i] += s;
      fx[i] += c * wave_x[i];
      fy[i] += c * wave_y[i];
      fxx[i] -= s * (wave_x[i] * wave_x[i]);
      fxy[i] -= s * (wave_x[i] * wave_y[i]);
      fyy[i] -= s * (wave_y[i] * wave_y[i]);
    }
  }
  const auto sum = [](const double* v) {
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
  };
  return {table.base_depth_m + sum(z), sum(fx), sum(fy), sum(fxx), sum(fxy), sum(fyy)};
}

// The larger eigenvalue of K for phase changes within |k| reach.
AQBENCH_MULTIVERSION double largest_curvature(const RippleTable& table, double x, double y, double side,
                                              double reach) {
  alignas(64) double kxx[kTableStep] = {}, kxy[kTableStep] = {}, kyy[kTableStep] = {};
  for (std::size_t begin = 0; begin < table.phase.size(); begin += kTableStep) {
    const double* amplitude = table.amplitude_m.data() + begin;
    const double* wave_x = table.wave_x.data() + begin;
    const double* wave_y = table.wave_y.data() + begin;
    const double* phase = table.phase.data() + begin;
    for (std::size_t i = 0; i < kTableStep; ++i) {
      const vector_math::ReducedSinCos p =
          vector_math::reduced_sincos(wave_x[i] * x + wave_y[i] * y + phase[i]);
      const double u = std::numbers::pi / 2 - side * p.sign * p.rest;
      const double range = reach * std::sqrt(wave_x[i] * wave_x[i] + wave_y[i] * wave_y[i]);
      const double nearer = range < 2 * u ? range : 2 * u;
      const double e = nearer > 1e-3 ? nearer : 1e-3;  // a larger range is safe, a tiny one loses digits
      const vector_math::SinCos turned = vector_math::sincos_half_turn(0.5 * e - std::numbers::pi / 2);
      const double half_sine = turned.cosine, half_cosine = -turned.sine;
      const double c = 2 *
                       (side * p.sine * (2 * half_sine * half_sine) +
                        std::abs(p.cosine) * (e - 2 * half_sine * half_cosine)) /
                       (e * e);
      const double bound = amplitude[i] * c;
      kxx[i] += bound * (wave_x[i] * wave_x[i]);
      kxy[i] += bound * (wave_x[i] * wave_y[i]);
      kyy[i] += bound * (wave_y[i] * wave_y[i]);
    }
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < kTableStep; ++i) {
    xx += kxx[i];
    xy += kxy[i];
    yy += kyy[i];
  }
  const double half_difference = 0.5 * (xx - yy);
  return 0.5 * (xx + yy) + std::sqrt(half_difference * half_difference + xy * xy);
}

}  // namespace

RippleTable make_ripple_table(const RippleFieldShape& shape) {
  RippleTable table;
  table.base_depth_m = shape.base_depth_m;
  for (const Ripple& r : shape.ripples) {
    table.amplitude_m.push_back(r.amplitude_m);
    table.wave_x.push_back(r.wave_x);
    table.wave_y.push_back(r.wave_y);
    table.phase.push_back(r.phase);
  }
  const std::size_t filled = (shape.ripples.size() + kTableStep - 1) / kTableStep * kTableStep;
  for (auto* column : {&table.amplitude_m, &table.wave_x, &table.wave_y, &table.phase})
    column->resize(filled);
  return table;
}

HeightJet ripple_jet(const RippleTable& table, double x_m, double y_m) {
  return jet_of_table(table, x_m, y_m);
}

double ripple_basin_radius(const RippleTable& table, double x_m, double y_m, double side, double depth_m,
                           double reach_m) {
  if (depth_m < 0) return 0;
  // K grows with the range, so that a larger radius is never easier to prove than a smaller one.
  const auto proven = [&](double radius) {
    return depth_m * largest_curvature(table, x_m, y_m, side, radius) < 1 - 1e-5;
  };
  double radius = reach_m, too_large = 0;
  while (!proven(radius)) {
    too_large = radius;
    radius /= 2;
    if (radius < 1e-7) return 0;
  }
  for (int i = 0; i < 3 && too_large > 0; ++i) {
    const double middle = 0.5 * (radius + too_large);
    (proven(middle) ? radius : too_large) = middle;
  }
  return radius;
}

void ripple_closest_points(const RippleFieldShape& shape, std::span<const Vec3> points_m,
                           std::span<ClosestPoint> out, std::span<unsigned char> found) {
  ripple_feet(shape, points_m.data(), points_m.size(), out.data(), found.data());
}

void ripple_heights(const RippleFieldShape& shape, const double* x_m, const double* y_m, std::size_t count,
                    double* z_m, double* area_factor) {
  ripple_heights_of(shape, x_m, y_m, count, z_m, area_factor);
}

}  // namespace aqbench
