#pragma once
// On which side of a surface the points of a cloud lie: normals that look out of it, and the steps in which
// its coordinates are stored.

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Gives both states normals that look out of the object. Points must be at different places.
// A normal is that of the plane through the nearest points, of the fewest between 8 and 128 that lie in a
// plane. Neighbours follow each other through edges and thin rims (Konig and Gumhold, "Consistent propagation
// of normal orientations", VMV 2009): of all paths between two points the smoothest counts. If both states
// have normals, and those of neighbours agree, these stay. A surface that nearly closes looks out of what it
// encloses; another one looks towards `up`, or, where that is level, in both states to one side. One that
// lies behind an odd number of others has its outside on the other side: the lower face of a plate, or a
// cavity. Where the nearest points lie within two steps of coordinates there is no normal. Uses parallel_for;
// the result is the same for any thread count.
void find_sides(PointCloud& before, PointCloud& after, const Vec3& up, double step_m = 0);

// In which steps coordinates are stored, metres; 0 where none shows.
struct StepsOfCloud {
  Vec3 step_m = Vec3::Zero();
  bool is_float = false;  // they are those of numbers of 32 bits
};

// Returns the steps of numbers of 32 bits, if all coordinates are such. Coordinates are metres_per_unit times
// those of their file.
StepsOfCloud float_steps_of(const PointCloud& cloud, double metres_per_unit);

// Looks for larger steps of heights: at least three levels with equal distances, on which neighbours lie that
// no plane explains. Only points count whose normals (find_sides()) look up or down.
void add_steps_of_heights(const PointCloud& cloud, int up_axis, StepsOfCloud& steps);

}  // namespace aqbench
