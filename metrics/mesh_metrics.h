#pragma once
// A reconstructed mesh against the true surface, both ways.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/score_options.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/faces.h"
#include "scenes/triangles/joined_faces.h"

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

// How the triangles of a mesh are connected: by the places of their corners. Vertices at one place are one, a
// triangle that is there twice counts once, and one without area is left out, as join_faces() does it.
struct MeshTopology {
  FaceCounts faces;
  std::size_t components = 0;         // sets of triangles joined by shared vertices
  std::size_t nonmanifold_edges = 0;  // edges that three or more triangles share
  double boundary_m = 0;              // length of all edges that only one triangle has
};

// Returns the normals of a mesh at its vertices, by the areas of the faces about them: out of closed parts,
// of open parts towards `up` (a unit vector). Zero at a vertex without a face.
std::vector<Vec3> vertex_normals(const TriangleMesh& mesh, const Vec3& up);

// Throws Error(method) naming the first vertex that is not finite, or the first triangle that names a vertex
// that does not exist.
void check_mesh(const TriangleMesh& mesh);

// Scores of a mesh by area-uniform samples. Only the part of the mesh over the patch is measured, and of that
// what is scored of points (score_points()); the rest counts only in that a true sample may be nearest to it.
// Where a value is unset, `reason` says why.
struct MeshMetrics {
  std::optional<double> accuracy_mean_m;      // mean distance from the mesh to the true surface
  std::optional<double> completeness_mean_m;  // mean distance from the true patch to the mesh
  std::optional<double> normal_consistency;   // mean |cosine| between normals
  std::optional<double> area_ratio;           // area of the scored part of the mesh / of the truth
  std::string reason;
  MeshTopology topology;  // of the whole mesh
};

// Scores a mesh with the spacing, seed and part of the options: area / spacing^2 samples of each surface, at
// most 2 million of the mesh; of a mesh that is scored in part at least 250 thousand. Throws Error(method) as
// check_mesh does.
MeshMetrics measure_mesh(const TriangleMesh& mesh, const Surface& truth, const ScoreOptions& options);

}  // namespace aqbench
