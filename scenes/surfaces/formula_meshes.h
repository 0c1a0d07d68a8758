#pragma once
// Solids by formula as triangle meshes: an object to look at from all around, and a room to stand in. The
// mesh itself is the truth: its facets are rendered and scored.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A ball with bumps and hollows about the origin.
struct ObjectShape {
  double radius_m = 0.15;
  double relief = 0.06;  // of bumps and hollows, as a share of the radius
  int facets = 128;      // along each side of the six faces that cover it
};

// A box about the origin with gently curved walls, and three objects in it.
struct RoomShape {
  double length_m = 4, width_m = 3, height_m = 2.4;  // along x, y, z
  double relief_m = 0.04;                            // how far the walls come in
  int facets = 128;                                  // along each side of a wall
};

// Throw Error(usage) "field: problem".
void check(const ObjectShape& shape);
void check(const RoomShape& shape);

// Returns the mesh: closed, in metres, of 12 facets^2 triangles (the room: and its objects').
TriangleMesh object_mesh(const ObjectShape& shape);
TriangleMesh room_mesh(const RoomShape& shape);

}  // namespace aqbench
