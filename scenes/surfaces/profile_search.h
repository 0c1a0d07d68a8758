#pragma once
// The closest point of a curve z = f(t): branch and bound over t, exact.

#include <algorithm>
#include <array>
#include <cmath>

#include "scenes/surfaces/height_field.h"

namespace aqbench {

struct ProfileJet {
  double z, slope, curve;  // f, f', f''
};

// t that minimises (t - u)^2 + (f(t) - z)^2 over the whole line; `profile(t)` gives a ProfileJet and `bounds`
// hold for it everywhere. The squared distance is the minimum but for search_tolerance.
//
// With w = f - z, half the squared distance has derivatives G = (t - u) + w f' and H = 1 + f'^2 + w f'', and
// |H'| <= 3 |f'| |f''| + |w| |f'''|. An interval on which H > 0 has one minimum, found by bracketed Newton;
// one whose lower bound is not below the best found is dropped; any other is halved.
template <class Profile>
double closest_abscissa(const Profile& profile, const HeightBounds& bounds, double u, double z) {
  struct Interval {
    double centre, half;
  };
  const double below = profile(u).z - z;
  double best_t = u, best = below * below;
  const double band_gap = std::max({0.0, bounds.z_min_m - z, z - bounds.z_max_m});
  const double floor = band_gap * band_gap, kept = 1 - search_tolerance(band_gap);
  const auto offer = [&](double t, double squared) {
    if (squared < best) {
      best = squared;
      best_t = t;
    }
  };
  // The smallest squared distance on a convex interval.
  const auto minimise = [&](Interval cell, double t, double gradient, double hessian) {
    double low = cell.centre - cell.half, high = cell.centre + cell.half;
    for (int iteration = 0; iteration < 60; ++iteration) {
      (gradient > 0 ? high : low) = t;
      const double newton = t - gradient / hessian;
      // Outside the bracket: try its end, where the minimum then is, or halve when already there.
      double next = std::clamp(newton, low, high);
      if (next == t) next = newton == t ? t : 0.5 * (low + high);
      const bool done = std::abs(next - t) <= 1e-15 * (std::abs(t) + 1e-3);
      t = next;
      const ProfileJet jet = profile(t);
      const double w = jet.z - z;
      offer(t, (t - u) * (t - u) + w * w);
      gradient = (t - u) + w * jet.slope;
      hessian = std::max(1 + jet.slope * jet.slope + w * jet.curve, 1e-12);
      if (done || high - low <= 1e-15) return;
    }
  };
  std::array<Interval, 128> stack;  // halving once more adds one, and 60 halvings exhaust a double
  std::size_t depth = 0;
  stack[depth++] = {u, std::sqrt(std::max(best - floor, 0.0))};
  while (depth > 0) {
    const Interval cell = stack[--depth];
    const double enough = best * kept;
    const double lateral = std::max(std::abs(cell.centre - u) - cell.half, 0.0);
    if (lateral * lateral + floor >= enough) continue;
    const ProfileJet jet = profile(cell.centre);
    const double w = jet.z - z, offset = cell.centre - u, r = cell.half;
    const double squared = offset * offset + w * w;
    offer(cell.centre, squared);
    const double gradient = offset + w * jet.slope;
    const double hessian = 1 + jet.slope * jet.slope + w * jet.curve;
    const double hessian_change =
        3 * bounds.slope * bounds.curvature + (std::abs(w) + bounds.slope * r) * bounds.third;
    const double least_hessian = hessian - hessian_change * r;
    const double rise = std::min(std::abs(jet.slope) * r + 0.5 * bounds.curvature * r * r, bounds.slope * r);
    const double vertical = std::max(std::abs(w) - rise, 0.0);
    const double step = least_hessian > 0 ? std::min(std::abs(gradient) / least_hessian, r) : r;
    const double tangent = squared - 2 * std::abs(gradient) * step + least_hessian * step * step;
    if (std::max(lateral * lateral + vertical * vertical, tangent) >= enough) continue;
    if (least_hessian > 0) {
      minimise(cell, cell.centre, gradient, hessian);
    } else if (r > 1e-12 && depth + 2 <= stack.size()) {
      stack[depth++] = {cell.centre - r / 2, r / 2};
      stack[depth++] = {cell.centre + r / 2, r / 2};
    }
  }
  // Distances tell places apart only to about 1e-9 m; the gradient does better.
  for (int i = 0; i < 2; ++i) {
    const ProfileJet jet = profile(best_t);
    const double w = jet.z - z;
    const double step = ((best_t - u) + w * jet.slope) / (1 + jet.slope * jet.slope + w * jet.curve);
    if (std::abs(step) < 1e-7) best_t -= step;
  }
  return best_t;
}

}  // namespace aqbench
