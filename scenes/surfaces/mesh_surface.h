#pragma once
// A triangle mesh as a true surface.

#include <memory>

#include "scenes/surfaces/bordered_surface.h"

namespace aqbench {

// Closest triangles come from Open3D's RaycastingScene, in float about the mesh's centre; position, distance
// and normal are then computed in double, on the nearest triangle there or beyond its edges. So results are
// exact but where two separate parts of the mesh are equally near within 1e-7 of its extent: there it is one
// of the two. A normal is that of the closest triangle, turned towards the cameras (z <= 0; vertical
// triangles keep that of their winding). A distance is positive on the side of that normal; on an edge or a
// corner the side is that of the angle-weighted mean normal (Baerentzen and Aanaes, "Signed distance
// computation using the angle weighted pseudonormal", TVCG 2005). An edge that
// one face alone has is an open border, and so are its ends. patch() is nullptr; mesh() returns the mesh
// itself at any pitch. For a point beyond 1e6 m from the centre the triangle is the one that is closest to
// where its direction crosses 1e6 m. Throws Error(input): no triangles, an index out of range, a vertex that
// is not finite, no area, a reach of more than 8192 m from the centre along an axis, where floats are a
// millimetre apart, or more triangles or vertices than 32 bits count.
std::shared_ptr<const BorderedSurface> make_mesh_surface(TriangleMesh mesh);

}  // namespace aqbench
