#pragma once
// The closest point of a curve z = f(t): branch and bound over t, exact.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/multiversion.h"
#include "scenes/surfaces/height_field.h"

namespace aqbench {

// A curve's height and derivatives at one t: f, f', f''.
struct CurveJet {
  double z, slope, second;
};

// An interval of t.
struct CurveInterval {
  double centre, half;
};

// The best place found so far. The query point lies at t = u, z = z.
struct CurveBest {
  double u, z;
  double t, squared;  // squared distance from the point

  // Takes a place if it is nearer.
  AQBENCH_INLINE void offer(double at, double at_squared) {
    if (at_squared < squared) {
      squared = at_squared;
      t = at;
    }
  }
};

// Finds the smallest squared distance on a convex interval by bracketed Newton, from its centre, where half
// the squared distance has these derivatives.
template <class Curve>
AQBENCH_INLINE void minimise_on_convex(const Curve& curve, const CurveInterval& cell, double gradient,
                                       double hessian, CurveBest& best) {
  double t = cell.centre;
  double low = cell.centre - cell.half, high = cell.centre + cell.half;
  for (int iteration = 0; iteration < 60; ++iteration) {
    (gradient > 0 ? high : low) = t;
    const double newton = t - gradient / hessian;
    // Outside the bracket: try its end, where the minimum then is, or halve when already there.
    double next = std::clamp(newton, low, high);
    if (next == t) next = newton == t ? t : 0.5 * (low + high);
    const bool done = std::abs(next - t) <= 1e-15 * (std::abs(t) + 1e-3);
    t = next;
    const CurveJet jet = curve(t);
    const double w = jet.z - best.z;
    best.offer(t, (t - best.u) * (t - best.u) + w * w);
    gradient = (t - best.u) + w * jet.slope;
    hessian = std::max(1 + jet.slope * jet.slope + w * jet.second, 1e-12);
    if (done || high - low <= 1e-15) return;
  }
}

// Returns the best t after two Newton steps: distances tell places apart only to about 1e-9 m, the gradient
// does better.
template <class Curve>
AQBENCH_INLINE double polished_abscissa(const Curve& curve, CurveBest best) {
  for (int i = 0; i < 2; ++i) {
    const CurveJet jet = curve(best.t);
    const double w = jet.z - best.z;
    const double step = ((best.t - best.u) + w * jet.slope) / (1 + jet.slope * jet.slope + w * jet.second);
    if (std::abs(step) < 1e-7) best.t -= step;
  }
  return best.t;
}

// Returns the t that minimises (t - u)^2 + (f(t) - z)^2 over the whole line. `curve(t)` gives a CurveJet,
// and `bounds` hold for it everywhere. The squared distance is the minimum within search_tolerance.
//
// With w = f - z, half the squared distance has derivatives G = (t - u) + w f' and H = 1 + f'^2 + w f'', and
// |H'| <= 3 |f'| |f''| + |w| |f'''|. An interval on which H > 0 has one minimum, found by bracketed Newton;
// one whose lower bound is not below the best found is dropped; any other is halved.
template <class Curve>
double closest_abscissa(const Curve& curve, const HeightBounds& bounds, double u, double z) {
  const double below = curve(u).z - z;
  CurveBest best{u, z, u, below * below};
  const double band_gap = std::max({0.0, bounds.z_min_m - z, z - bounds.z_max_m});
  const double floor = band_gap * band_gap, kept = 1 - search_tolerance(band_gap);
  std::array<CurveInterval, 128> stack;  // halving once more adds one, and 60 halvings exhaust a double
  std::size_t depth = 0;
  stack[depth++] = {u, std::sqrt(std::max(best.squared - floor, 0.0))};
  while (depth > 0) {
    const CurveInterval cell = stack[--depth];
    const double enough = best.squared * kept;
    const double lateral = std::max(std::abs(cell.centre - u) - cell.half, 0.0);
    if (lateral * lateral + floor >= enough) continue;
    const CurveJet jet = curve(cell.centre);
    const double w = jet.z - z, offset = cell.centre - u, r = cell.half;
    const double squared = offset * offset + w * w;
    best.offer(cell.centre, squared);
    const double gradient = offset + w * jet.slope;
    const double hessian = 1 + jet.slope * jet.slope + w * jet.second;
    const double hessian_change =
        3 * bounds.slope * bounds.curvature + (std::abs(w) + bounds.slope * r) * bounds.third;
    const double least_hessian = hessian - hessian_change * r;
    const double rise = std::min(std::abs(jet.slope) * r + 0.5 * bounds.curvature * r * r, bounds.slope * r);
    const double vertical = std::max(std::abs(w) - rise, 0.0);
    const double step = least_hessian > 0 ? std::min(std::abs(gradient) / least_hessian, r) : r;
    const double tangent = squared - 2 * std::abs(gradient) * step + least_hessian * step * step;
    if (std::max(lateral * lateral + vertical * vertical, tangent) >= enough) continue;
    if (least_hessian > 0) {
      minimise_on_convex(curve, cell, gradient, hessian, best);
    } else if (r > 1e-12 && depth + 2 <= stack.size()) {
      stack[depth++] = {cell.centre - r / 2, r / 2};
      stack[depth++] = {cell.centre + r / 2, r / 2};
    }
  }
  return polished_abscissa(curve, best);
}

}  // namespace aqbench
