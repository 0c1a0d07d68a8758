#pragma once
// Boards for the calibration of cameras: a chessboard, or OpenCV's CharucoBoard (of 4.7 and later), which has
// an ArUco marker in each white square. Board frame: metres, origin at the outer corner of the first square,
// which is black, x along the rows of squares, y from row to row, z away from whoever looks at the front.

#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/parameters.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A board. Around its squares lies white paper, half a square wide; its back is white, too.
struct BoardShape {
  int squares_x = 8, squares_y = 6;
  double square_m = 0.030;
  double marker_m = 0;          // side of each marker, its black border included; 0: no markers
  std::string dictionary = {};  // of OpenCV: "DICT_5X5_100"; empty without markers
};

// Returns the names of the dictionaries.
std::vector<std::string> marker_dictionaries();

// Returns the bits of a marker of a dictionary of 4 x 4 to 7 x 7 bits, id below kMarkers: row by row, the
// first is the highest of side * side bits, 1 is white.
inline constexpr int kMarkers = 250;
std::uint64_t marker_bits(int side, int id);

// Throws Error(usage) "FIELD: ..." for fewer than 2 squares a side, a length that is not positive, markers as
// large as their squares, and more markers than the dictionary has.
void check(const BoardShape& shape);

// Returns the inner corners of the squares, board frame, in the order of their ids: row * (squares_x - 1) +
// column.
std::vector<Vec3> board_corners(const BoardShape& shape);

// What is printed on a board.
class BoardPattern {
 public:
  // Throws as check() does.
  explicit BoardPattern(const BoardShape& shape);

  // Returns whether a place of the front, board frame, is black.
  bool is_black(double x_m, double y_m) const;

 private:
  BoardShape shape_;
  int marker_side_ = 0;               // bits
  std::vector<std::uint64_t> marks_;  // of the squares, row by row; without markers none
};

// A board in the world.
struct PlacedBoard {
  BoardShape shape;
  Eigen::Isometry3d world_from_board;
};

// Returns the parameters of a scene with one board: `shape`, and the pose.
std::vector<ParameterSpec> board_parameters(const BoardShape& shape);

// Returns the board that these parameters place; nullopt if they are those of another scene. Throws as
// check() does.
std::optional<PlacedBoard> board_of(const Parameters& parameters);

// Returns the values of the parameters of a pose, as x_m, y_m, depth_m, rx_deg, ry_deg, rz_deg.
std::vector<std::pair<std::string, double>> pose_parameters(const BoardShape& shape,
                                                            const Eigen::Isometry3d& world_from_board);

// Returns the sheet of a board, with a vertex at each corner of a square.
TriangleMesh board_mesh(const PlacedBoard& board);

}  // namespace aqbench
