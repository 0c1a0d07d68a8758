#pragma once
// Signed distances between two states of a surface, along its normal, with the smallest change that their
// noise lets one detect: M3C2, Lague, Brodu and Leroux, "Accurate 3D comparison of complex topography with
// terrestrial laser scanner", ISPRS Journal of Photogrammetry and Remote Sensing 82, 2013.

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The scales of the method, metres.
struct M3c2Options {
  double normal_diameter_m = 0;    // of the sphere whose points give the normal
  double cylinder_diameter_m = 0;  // of the cylinder along it whose points are averaged
  double depth_m = 0;              // half the length of the cylinder: the largest distance found
  double registration_m = 0;       // standard error of the registration of one state to the other
  double confidence = 0.95;        // of the limit of detection
  Vec3 up = {0, 0, -1};            // a distance is positive towards this side
};

// Returns scales that fit two clouds: the cylinder holds about 30 points of the sparser one, the sphere has
// twice its diameter, the depth is five times it. Throws Error(input) for a cloud of less than 30 points.
M3c2Options m3c2_scales(std::span<const Vec3> before_m, std::span<const Vec3> after_m);

// The change at one core point.
struct M3c2Change {
  Vec3 core_m = Vec3::Zero(), normal = Vec3::Zero();  // normal: unit, towards `up`; zero where there is none
  double distance_m =
      0;               // from the mean of `before` to the mean of `after` in the cylinder, along the normal
  double limit_m = 0;  // of detection; both are NaN where a state has less than 4 points in the cylinder
  std::uint32_t points_before = 0, points_after = 0;  // in the cylinder

  // Returns whether the distance exceeds the limit; false where there is none.
  bool is_significant() const { return distance_m > limit_m || distance_m < -limit_m; }
};

// Measures the change at each core point. The normal is that of the points of `before` in the sphere. The
// limit of detection is t (sqrt(s1^2 / n1 + s2^2 / n2) + registration_m) with Student's t for the degrees of
// freedom of Welch (1947), which is the paper's 1.96 for many points. All points must be finite. Uses
// parallel_for; the result is the same for any thread count. Throws Error(usage) for a scale that is not
// positive.
std::vector<M3c2Change> measure_m3c2(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                                     std::span<const Vec3> cores_m, const M3c2Options& options);

}  // namespace aqbench
