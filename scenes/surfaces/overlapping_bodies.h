#pragma once
// Closed bodies that reach into each other: what of space is solid.

#include <Eigen/Geometry>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// Makes a true surface of a mesh.
using SurfaceMaker = std::function<std::shared_ptr<const Surface>(TriangleMesh)>;

// The closed bodies of a mesh, one surface for each. Their union is solid, less what lies in cavities: a
// place is solid if it lies in more bodies than cavities.
class OverlappingBodies {
 public:
  // Without bodies unless any face is entangled. Faces and stands are those of find_stands().
  OverlappingBodies(const TriangleMesh& mesh, std::span<const Triangle> faces,
                    std::span<const FaceStand> stands, const SurfaceMaker& make);

  // Returns whether the sides of a face depend on other bodies than its own.
  bool concern(std::size_t face) const { return !stands_.empty() && stands_[face].is_entangled; }

  // Returns whether a place is solid.
  bool is_solid(const Vec3& place_m) const;

 private:
  struct Body {
    std::shared_ptr<const Surface> surface;  // positive outside
    Eigen::AlignedBox3d box_m;
    int winding = 1;  // -1: a cavity
  };

  std::vector<FaceStand> stands_;
  std::vector<Body> bodies_;
};

}  // namespace aqbench
