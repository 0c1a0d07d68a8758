#pragma once
// The shapes of the scenes: surfaces by formula (planes, sines, a step, a mound), and solids by formula as
// triangle meshes, an object to look at from all around and a room to stand in. Such a mesh itself is the
// truth: its facets are rendered and scored.

#include <memory>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// A plane: z = depth_m + slope_x x + slope_y y.
struct PlaneShape {
  double depth_m = 1.178;
  double slope_x = 0;  // metres per metre
  double slope_y = 0;
};

// An undulating surface: z = base_depth_m + amplitude_m (sin(2 pi x / wavelength_m) + sin(2 pi y /
// (wavelength_m wavelength_ratio)))
struct UndulatingShape {
  double base_depth_m = 1.178;
  double amplitude_m = 0.005;
  double wavelength_m = 0.05;
  double wavelength_ratio = 1.3;
};

// A smooth step across x: z = base_depth_m - height_m / 2 where x is small, base_depth_m + height_m / 2 where
// x is large, joined over width_m by the quintic whose first and second derivatives are continuous
// ("smootherstep": Perlin, "Improving noise", 2002).
struct StepShape {
  double base_depth_m = 1.178;  // half way down
  double height_m = 0.020;
  double width_m = 0.030;
  double position_m = 0;  // x of the middle
};

// A Gaussian rise towards the cameras: z = base_depth_m - height_m exp(-r^2 / (2 radius_m^2)), r the distance
// from the centre.
struct MoundShape {
  double base_depth_m = 1.178;
  double height_m = 0.030;
  double radius_m = 0.050;  // standard deviation
  double center_x_m = 0;
  double center_y_m = 0;
};

// Throw Error(usage) naming the field that is not finite, not positive where it must be, or makes the surface
// too steep.
void check(const PlaneShape& shape);
void check(const UndulatingShape& shape);
void check(const StepShape& shape);
void check(const MoundShape& shape);

// Make the surface with this patch. Throw Error(usage) as check() does.
std::shared_ptr<const HeightField> make_plane(const PlaneShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_undulating(const UndulatingShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_step(const StepShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_mound(const MoundShape& shape, const Patch& patch);

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
