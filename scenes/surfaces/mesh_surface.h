#pragma once
// A triangle mesh as a true surface.

#include <memory>
#include <span>

#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {

// The side of a closed mesh on which the cameras stand.
enum class MeshSide { outside, inside };

// Makes a true surface of a mesh. Faces are joined where their corners lie at one place; one that is there
// twice counts once (scenes/triangles/joined_faces.h). Closest triangles come from a tree of boxes
// (triangle_tree.h), all in double, so that results are exact to rounding: where two parts of the mesh are
// equally near within that, it is one of the two, whatever is asked before. A normal is that of the closest
// triangle. In a closed part it looks out of the solid (scenes/triangles/closed_parts.h); elsewhere as the
// cameras say there, or without any towards z = -infinity (that of a vertical triangle as its part does). A
// distance is positive on the side of that normal; on an edge or a corner the side is that of the
// angle-weighted mean normal (Baerentzen and Aanaes, "Signed distance computation using the angle weighted
// pseudonormal", TVCG 2005). An edge that one face alone has is an open border, and so are its ends. patch()
// is nullptr; mesh() returns the mesh itself at any pitch. Throws Error(input): no triangles, an index out of
// range, a vertex that is not finite, no area, or more triangles or vertices than 31 bits count.
// MeshSide::inside: cameras stand in the closed parts, which look the other way then.
std::shared_ptr<const BorderedSurface> make_mesh_surface(TriangleMesh mesh, MeshSide side = MeshSide::outside,
                                                         std::span<const Vec3> cameras_m = {});

}  // namespace aqbench
