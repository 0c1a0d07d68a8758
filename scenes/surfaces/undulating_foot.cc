#include "scenes/surfaces/undulating_foot.h"

#include <algorithm>
#include <cmath>

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

}  // namespace aqbench
