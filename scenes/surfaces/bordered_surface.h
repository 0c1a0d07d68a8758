#pragma once
// True surfaces with open borders: meshes and scans.

#include <Eigen/Geometry>
#include <cstdint>
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

}  // namespace aqbench
