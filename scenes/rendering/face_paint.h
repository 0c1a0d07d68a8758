#pragma once
// Puts the texture on faces of any direction.

#include "scenes/cloud/reconstruction.h"
#include "scenes/rendering/texture.h"

namespace aqbench {

// Returns the grey value at a place of a face: the texture in world coordinates, seen along the axis that the
// normal is closest to, so that a face with a slope of up to 0.87 shows what a surface by formula does there,
// texture.at(x, y). Where two axes are about as close, their values are mixed and keep the contrast of each.
double paint_on_face(const Texture& texture, const Vec3& position_m, const Vec3& normal);

}  // namespace aqbench
