#pragma once
// True surfaces with open borders: meshes and scans.

#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <ranges>
#include <span>

#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// A surface without a patch, which may have open borders.
class BorderedSurface : public Surface {
 public:
  // Like closest_points(), and returns for each query whether the surface ends there: whether its closest
  // point lies on an open border, so that the query lies beyond it. The spans have one size.
  virtual void closest_points_and_borders(std::span<const Vec3> points_m, std::span<ClosestPoint> out,
                                          std::span<std::uint8_t> beyond_border) const = 0;

  // Returns the box of the surface.
  virtual Eigen::AlignedBox3d bounds_m() const = 0;

  // Returns what a mesh has for faces; nullptr for a scan.
  virtual const FaceCounts* face_counts() const { return nullptr; }

  const Patch* patch() const final { return nullptr; }
};

// Returns the direction from a position towards the nearest of some cameras; (0, 0, -1) if there is none.
inline Vec3 towards_nearest(const Vec3& position_m, std::span<const Vec3> cameras_m) {
  const auto nearest = std::ranges::min_element(
      cameras_m, {}, [&](const Vec3& camera) { return (camera - position_m).squaredNorm(); });
  return nearest == cameras_m.end() ? Vec3(0, 0, -1) : Vec3(*nearest - position_m);
}

}  // namespace aqbench
