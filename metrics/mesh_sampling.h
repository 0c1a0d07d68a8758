#pragma once
// The part of a mesh over a patch, and area-uniform samples of it.

#include <cstdint>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Triangles on their own, each with its area.
struct TriangleSoup {
  std::vector<std::array<Vec3, 3>> triangles_m;
  std::vector<double> area_up_to_m2;  // of triangles 0 to i, inclusive

  double area_m2() const { return area_up_to_m2.empty() ? 0 : area_up_to_m2.back(); }
};

// The mesh cut exactly along the patch's sides (all of the mesh if patch is null); parts without area are
// left out.
TriangleSoup cut_to_patch(const TriangleMesh& mesh, const Patch* patch);

struct SoupSample {
  Vec3 position_m;
  Vec3 normal;  // unit, by the order of the corners
};

// `count` samples, one in each of `count` slices of equal area; a pure function of its arguments, for any
// thread count. The soup must have an area.
std::vector<SoupSample> sample_by_area(const TriangleSoup& soup, std::size_t count, std::uint64_t seed);

}  // namespace aqbench
