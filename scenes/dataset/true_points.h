#pragma once
// Known points of a recording: corners of a ChArUco board, and control points.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// A corner of a ChArUco board, detected in images.
struct BoardCorner {
  int id = 0;                          // row * (squares_x - 1) + column
  std::optional<Vec3> position_m;      // true, in the recording's world frame
  std::map<std::string, Vec2> pixels;  // where cameras see it, in their own (distorted) images
};

// A ChArUco board in a frame.
struct BoardTruth {
  int squares_x = 0;
  double square_m = 0;  // the square's side
  std::vector<BoardCorner> corners;
};

// A point on the true surface measured by other means.
struct ControlPoint {
  std::string name;
  Vec3 position_m;     // in the recording's world frame
  double sigma_m = 0;  // standard deviation of its position, positive
};

// The control points of a frame, and the radius around each in which reconstructed points are used.
struct ControlTruth {
  std::vector<ControlPoint> points;
  double radius_m = 0.01;
};

// Reads the board of a frame; the truth must have one. Throws Error(input) naming file and field.
BoardTruth true_board(const RecordingTruth& truth, std::size_t frame);

// Reads the control points of a frame; the truth must have some. Throws Error(input) naming file and field
// for an unknown unit, an empty or duplicate name, no points, and a point without a positive standard
// deviation.
ControlTruth true_control_points(const RecordingTruth& truth, std::size_t frame);

// Reads the boards and control points of all frames and checks them with the cameras. Throws Error(input)
// naming file and field like true_board() and true_control_points(), for a corner's pixel of an unknown
// camera or outside its image, and for control points that no camera sees.
void check_true_points(const Recording& recording, const RecordingTruth& truth);

}  // namespace aqbench
