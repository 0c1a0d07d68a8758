#pragma once
// Snell's law at a flat surface, for one ray from a camera in air to a point in water. Plain arithmetic
// without Eigen, inlined into scalar, vectorised and device code alike.
//
// Seen from above, the ray stays in the vertical plane through camera and point. With t the tangent of the
// ray's angle from the vertical in the optically thinner of the two media (index n_thin, m = n_thin /
// n_dense), it covers the horizontal distance
//   rho(t) = h_thin t + h_dense m t / sqrt(1 + c t^2),   c = 1 - m^2.
// rho is concave and increasing for t >= 0 and has slope >= h_thin > 0, so Newton's iteration from below
// rises monotonically to the root, for grazing rays too; in the angle's sine or in the crossing point's
// radius it would not. Two lower bounds of the root start it: rho / rho'(0), and (rho - sup of the second
// term) / h_thin.
//
// The point is imaged where a pinhole camera would image the point moved vertically to the apparent height
//   h_air + h_water q,   q = m / sqrt(1 + c t^2) if air is the thinner medium, sqrt(1 + c t^2) / m if not,
// below the camera. That has no 0/0 on the axis.

#include <cmath>

#include "core/multiversion.h"

namespace aqbench {

// The two indices in the form that the formulas need; T is float or double.
template <class T>
struct SnellRatio {
  T m;                  // n_thin / n_dense, in (0, 1]
  T c;                  // 1 - m^2
  T saturation;         // m / sqrt(c), finite also for c = 0
  bool air_is_thinner;  // n_air <= n_water
};

// Returns the two indices of refraction in the form of SnellRatio.
template <class T>
SnellRatio<T> snell_ratio(double n_air, double n_water) {
  const bool air_is_thinner = n_air <= n_water;
  const double m = air_is_thinner ? n_air / n_water : n_water / n_air;
  const double c = (1 - m) * (1 + m);
  const double saturation = c > 0 ? m / std::sqrt(c) : 1e30;
  return {static_cast<T>(m), static_cast<T>(c), static_cast<T>(saturation), air_is_thinner};
}

// Returns a lower bound of the root t, close to it where the ray is steep or grazing. All lengths in one
// unit.
template <class T>
AQBENCH_INLINE T thin_tangent_start(const SnellRatio<T>& ratio, T rho, T h_thin, T h_dense) {
  const T paraxial = rho / (h_thin + h_dense * ratio.m);
  const T grazing = (rho - h_dense * ratio.saturation) / h_thin;
  return paraxial > grazing ? paraxial : grazing;
}

// Returns t after one Newton step, rearranged to one square root and one division. The result is at most the
// root.
template <class T>
AQBENCH_INLINE T thin_tangent_step(const SnellRatio<T>& ratio, T rho, T h_thin, T h_dense, T t) {
  const T w2 = 1 + ratio.c * t * t;
  const T w3 = w2 * std::sqrt(w2);
  const T q = h_dense * ratio.m;
  return (rho * w3 - q * ratio.c * t * t * t) / (h_thin * w3 + q);
}

// Where a pinhole sees the point, metres below the camera, and the tangent of the ray's angle in water.
template <class T>
struct ApparentPoint {
  T height;
  T water_tangent;
};

// Newton steps that a loop over many points takes. With air the thinner medium and water up to ten times as
// deep as the camera is high, 4 leave less than 3e-9 rad of the ray's angle, grazing or not, for ratios
// of 1.0001 to 2.4; in the other case, which has a sharp bend at the critical angle, 8 leave rounding.
template <bool air_is_thinner>
inline constexpr int kSnellSteps = air_is_thinner ? 4 : 8;

// Finds the apparent point in kSnellSteps steps. The medium is fixed at compile time, because only so the
// loop around is vectorised; it must be the ratio's. h_air, h_water > 0: heights of the camera above and of
// the point below the surface.
template <bool air_is_thinner, class T>
AQBENCH_INLINE ApparentPoint<T> apparent_point(const SnellRatio<T>& ratio, T rho, T h_air, T h_water) {
  const T h_thin = air_is_thinner ? h_air : h_water;
  const T h_dense = air_is_thinner ? h_water : h_air;
  T t = thin_tangent_start(ratio, rho, h_thin, h_dense);
  for (int i = 0; i < kSnellSteps<air_is_thinner>; ++i) t = thin_tangent_step(ratio, rho, h_thin, h_dense, t);
  const T w = std::sqrt(1 + ratio.c * t * t);
  const T q = air_is_thinner ? ratio.m / w : w / ratio.m;
  return {h_air + h_water * q, air_is_thinner ? q * t : t};
}

}  // namespace aqbench
