#include "scenes/undulating_foot.h"

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
  // w minus the height that it leads to: strictly increasing in w.
  const auto excess = [&](double w) {
    foot.phase_x = solve_phase(w * q.amplitude_m * q.wave_x * q.wave_x, q.phase_x);
    foot.phase_y = solve_phase(w * q.amplitude_m * q.wave_y * q.wave_y, q.phase_y);
    return w - (q.gap_m - q.amplitude_m * (std::cos(foot.phase_x) + std::cos(foot.phase_y)));
  };
  double low = std::max(0.0, q.gap_m - 2 * q.amplitude_m);
  double high = std::max(low, q.gap_m - q.amplitude_m * (std::cos(q.phase_x) + std::cos(q.phase_y)));
  for (int iteration = 0; iteration < 200 && high - low > 1e-16 * high; ++iteration) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (excess(middle) > 0 ? high : low) = middle;
  }
  excess(0.5 * (low + high));
  return foot;
}

}  // namespace aqbench
