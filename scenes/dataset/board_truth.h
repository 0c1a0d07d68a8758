#pragma once
// What an image of a calibration board shows, and where its corners truly are.

#include <string>

#include "scenes/optics/calibration_file.h"
#include "scenes/rendering/imaging.h"
#include "scenes/surfaces/board.h"

namespace aqbench {

// Returns the grey values of a board: the front's print, the white back. A texture's RMS contrast of 0.15,
// the default, stands for grey values of 0.1 and 0.9; others are as far about 0.5 in proportion, within 0
// and 1.
Paint board_paint(const PlacedBoard& board, double texture_contrast);

// Returns the board as calibration.json describes it. A chessboard has no dictionary and markers of 0 m.
CalibratedBoard calibrated_board(const BoardShape& shape);

// Returns the board's file of true corners as true_board() reads it: each corner's id, its position and, for
// each camera, the pixel in the image that the camera takes, lens included, or why the image does not show
// it. Throws Error(input) like refractive_camera().
std::string corners_json(const PlacedBoard& board, const Rig& rig);

}  // namespace aqbench
