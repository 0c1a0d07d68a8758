#pragma once
// The scale of a calibration by a board of known squares that its cameras see.

#include <cstddef>
#include <optional>

#include "scenes/dataset/true_points.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// What a board says of the scale. This is no accuracy: it holds where the board was.
struct BoardScale {
  double factor = 0;                   // true side / side in the calibration: 1.02 where it is 2 % too small
  std::size_t corners = 0, sides = 0;  // corners that two cameras see, sides between them
};

// Triangulates the corners from their pixels, through water where there is some. Returns nullopt without a
// side. Throws Error(input) for a pixel of an unknown camera.
std::optional<BoardScale> scale_by_board(const BoardTruth& board, const Rig& rig);

}  // namespace aqbench
