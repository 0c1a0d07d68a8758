#pragma once
// Cuts out the part of a mesh over a patch, and samples it evenly by area.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/faces.h"

namespace aqbench {

// Triangles without shared vertices, and their areas.
struct TriangleSoup {
  std::vector<std::array<Vec3, 3>> triangles_m;
  std::vector<double> area_up_to_m2;  // of triangles 0 to i, inclusive

  // Returns the area of all triangles.
  double area_m2() const { return area_up_to_m2.empty() ? 0 : area_up_to_m2.back(); }
};

// Cuts triangles exactly along the sides of the patch (all of them stay if patch is null). Parts without area
// are left out.
TriangleSoup cut_to_patch(std::span<const Vec3> vertices_m, std::span<const Triangle> triangles,
                          const Patch* patch);

// A point of a triangle.
struct SoupSample {
  Vec3 position_m;
  Vec3 normal;  // unit, by the order of the corners
};

// Returns `count` samples, one in each of `count` parts of equal area. The result depends on the arguments
// alone, not on the thread count. The soup must have an area.
std::vector<SoupSample> sample_by_area(const TriangleSoup& soup, std::size_t count, std::uint64_t seed);

}  // namespace aqbench
