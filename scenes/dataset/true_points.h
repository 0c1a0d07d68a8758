#pragma once
// Points of a recording that are known: corners of a ChArUco board, and control points.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// A corner of a ChArUco board, found in images.
struct BoardCorner {
  int id = 0;                          // row * (squares_x - 1) + column
  std::optional<Vec3> position_m;      // true, in the recording's world frame
  std::map<std::string, Vec2> pixels;  // where cameras see it, in their own (distorted) images
};

// A ChArUco board in a frame.
struct BoardTruth {
  int squares_x = 0;
  double square_m = 0;  // side
  std::vector<BoardCorner> corners;
};

// A point on the true surface that was measured by other means.
struct ControlPoint {
  std::string name;
  Vec3 position_m;     // in the recording's world frame
  double sigma_m = 0;  // standard deviation of its position, above 0
};

// The control points of a frame, and how far around each the reconstruction's points are taken.
struct ControlTruth {
  std::vector<ControlPoint> points;
  double radius_m = 0.01;
};

// Reads the board of a frame. The truth must have one. Throws Error(input) naming file and field.
BoardTruth true_board(const RecordingTruth& truth, std::size_t frame);

// Reads the control points of a frame. The truth must have some. Throws Error(input) naming file and field
// for an unknown unit, a name that is empty or stands twice, no point, and a point without a standard
// deviation above 0.
ControlTruth true_control_points(const RecordingTruth& truth, std::size_t frame);

// Reads the boards and control points of all frames and checks them with the cameras. Throws Error(input)
// naming file and field as true_board() and true_control_points() do, for a corner's pixel that is of an
// unknown camera or outside of its image, and for control points of which no camera sees any.
void check_true_points(const Recording& recording, const RecordingTruth& truth);

}  // namespace aqbench
