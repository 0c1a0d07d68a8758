#pragma once
// The picture of `aqbench change`.

#include <string>
#include <vector>

#include "metrics/change/change.h"

namespace aqbench::cli {

// Which coordinate is up, and on which side.
struct UpAxis {
  int axis = 2;
  double sign = -1;

  Vec3 vector() const { return sign * Vec3::Unit(axis); }
  // Returns a point as two coordinates of the ground and its height.
  Vec3 raised(const Vec3& point) const {
    return {point[(axis + 1) % 3], point[(axis + 2) % 3], sign * point[axis]};
  }
};

// Draws the ground in squares, seen from above, as SVG: the mean distance where most core points changed
// significantly, grey elsewhere.
std::string change_picture(const std::vector<M3c2Change>& changes, const UpAxis& up,
                           const std::string& title);

}  // namespace aqbench::cli
