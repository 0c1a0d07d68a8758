#include "scenes/surfaces/board.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kSmallestSide = 4, kLargestSide = 7;  // bits of a marker
constexpr std::array kSizes = {50, 100, 250, 1000};
constexpr double kRad = std::numbers::pi / 180;
constexpr std::array kTurns = {"rx_deg", "ry_deg", "rz_deg"}, kPlaces = {"x_m", "y_m", "depth_m"};

// The bits along a marker's side, and how many markers there are.
struct MarkerDictionary {
  int side = 0, markers = 0;
};

MarkerDictionary find_dictionary(const std::string& name) {
  for (int side = kSmallestSide; side <= kLargestSide; ++side)
    for (const int size : kSizes)
      if (name == fmt::format("DICT_{0}X{0}_{1}", side, size)) return {side, std::min(size, kMarkers)};
  throw Error(ErrorKind::usage,
              "dictionary: " + unknown_name_message("dictionary", name, marker_dictionaries()));
}

Vec3 middle_of(const BoardShape& shape) {
  return 0.5 * shape.square_m * Vec3(shape.squares_x, shape.squares_y, 0);
}

}  // namespace

std::vector<std::string> marker_dictionaries() {
  std::vector<std::string> names;
  for (int side = kSmallestSide; side <= kLargestSide; ++side)
    for (const int size : kSizes) names.push_back(fmt::format("DICT_{0}X{0}_{1}", side, size));
  return names;
}

void check(const BoardShape& shape) {
  if (shape.squares_x < 2) throw usage_error("squares_x: must be at least 2, got {}", shape.squares_x);
  if (shape.squares_y < 2) throw usage_error("squares_y: must be at least 2, got {}", shape.squares_y);
  if (!(shape.square_m > 0 && std::isfinite(shape.square_m)))
    throw usage_error("square_m: must be positive, got {}", shape.square_m);
  if (shape.dictionary.empty()) return;
  if (!(shape.marker_m > 0 && shape.marker_m < shape.square_m))
    throw usage_error("marker_m: must be positive and below square_m={}, got {}", shape.square_m,
                      shape.marker_m);
  const int markers = shape.squares_x * shape.squares_y / 2;
  if (const int most = find_dictionary(shape.dictionary).markers; markers > most)
    throw usage_error("dictionary: {} x {} squares need {} markers, of {} there are {}", shape.squares_x,
                      shape.squares_y, markers, shape.dictionary, most);
}

std::vector<Vec3> board_corners(const BoardShape& shape) {
  std::vector<Vec3> corners;
  for (int row = 1; row < shape.squares_y; ++row)
    for (int column = 1; column < shape.squares_x; ++column)
      corners.push_back(shape.square_m * Vec3(column, row, 0));
  return corners;
}

BoardPattern::BoardPattern(const BoardShape& shape) : shape_(shape) {
  check(shape);
  if (shape.dictionary.empty()) return;
  marker_side_ = find_dictionary(shape.dictionary).side;
  int next = 0;
  for (int row = 0; row < shape.squares_y; ++row)
    for (int column = 0; column < shape.squares_x; ++column)
      marks_.push_back((row + column) % 2 == 0 ? 0 : marker_bits(marker_side_, next++));
}

bool BoardPattern::is_black(double x_m, double y_m) const {
  const double column = std::floor(x_m / shape_.square_m), row = std::floor(y_m / shape_.square_m);
  if (!(column >= 0 && row >= 0 && column < shape_.squares_x && row < shape_.squares_y)) return false;
  const int c = static_cast<int>(column), r = static_cast<int>(row);
  if ((c + r) % 2 == 0) return true;
  if (marks_.empty()) return false;
  const double border_m = (shape_.square_m - shape_.marker_m) / 2;
  const double cells_per_m = (marker_side_ + 2) / shape_.marker_m;  // with one black cell on each side
  const double i = std::floor((x_m - column * shape_.square_m - border_m) * cells_per_m) - 1,
               j = std::floor((y_m - row * shape_.square_m - border_m) * cells_per_m) - 1;
  const auto lies_within = [&](int border) {
    return i >= -border && j >= -border && i < marker_side_ + border && j < marker_side_ + border;
  };
  if (!lies_within(1)) return false;
  if (!lies_within(0)) return true;
  const int bit =
      marker_side_ * marker_side_ - 1 - (static_cast<int>(j) * marker_side_ + static_cast<int>(i));
  return (marks_[static_cast<std::size_t>(r * shape_.squares_x + c)] >> bit & 1U) == 0;
}

std::vector<ParameterSpec> board_parameters(const BoardShape& shape) {
  const auto metres = [](const char* name, double value, double min, double max, const char* help) {
    return number_parameter(name, "m", value, min, max, help);
  };
  std::vector<ParameterSpec> all = {
      count_parameter("squares_x", "1", shape.squares_x, 2, 100, "squares along a row"),
      count_parameter("squares_y", "1", shape.squares_y, 2, 100, "rows of squares"),
      metres("square_m", shape.square_m, 0.0001, 10, "side of a square")};
  if (!shape.dictionary.empty()) {
    all.push_back(
        metres("marker_m", shape.marker_m, 0.0001, 10, "side of a marker, its black border included"));
    all.push_back(
        text_parameter("dictionary", shape.dictionary, "of the markers, OpenCV's", marker_dictionaries()));
  }
  all.push_back(metres("x_m", 0, -1000, 1000, "x of the board's middle"));
  all.push_back(metres("y_m", 0, -1000, 1000, "y of the board's middle"));
  all.push_back(metres("depth_m", 1.178, -1000, 1000, "z of the board's middle"));
  for (const char* const turn : kTurns)
    all.push_back(number_parameter(turn, "deg", 0, -360, 360,
                                   "of the rotation vector that turns the board about its middle"));
  return all;
}

std::optional<PlacedBoard> board_of(const Parameters& parameters) {
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(parameters.items(), [&](const auto& item) { return item.first == name; });
  };
  if (!has("squares_x")) return std::nullopt;
  PlacedBoard board{
      {static_cast<int>(parameters.integer("squares_x")), static_cast<int>(parameters.integer("squares_y")),
       parameters.number("square_m"), has("marker_m") ? parameters.number("marker_m") : 0,
       has("dictionary") ? parameters.text("dictionary") : ""},
      Eigen::Isometry3d::Identity()};
  check(board.shape);
  Vec3 turn_rad, middle_m;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    turn_rad[static_cast<int>(axis)] = kRad * parameters.number(kTurns[axis]);
    middle_m[static_cast<int>(axis)] = parameters.number(kPlaces[axis]);
  }
  board.world_from_board.translate(middle_m);
  if (const double angle_rad = turn_rad.norm(); angle_rad > 0)
    board.world_from_board.rotate(Eigen::AngleAxisd(angle_rad, turn_rad / angle_rad));
  board.world_from_board.translate(-middle_of(board.shape));
  return board;
}

std::vector<std::pair<std::string, double>> pose_parameters(const BoardShape& shape,
                                                            const Eigen::Isometry3d& world_from_board) {
  const Vec3 middle_m = world_from_board * middle_of(shape);
  const Eigen::AngleAxisd turn(world_from_board.rotation());
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int i = static_cast<int>(axis);
    values.emplace_back(kPlaces[axis], middle_m[i]);
    values.emplace_back(kTurns[axis], turn.angle() / kRad * turn.axis()[i]);
  }
  return values;
}

TriangleMesh board_mesh(const PlacedBoard& board) {
  const auto lines = [&](int squares) {
    std::vector<double> at_m = {-0.5 * board.shape.square_m};
    for (int i = 0; i <= squares; ++i) at_m.push_back(i * board.shape.square_m);
    at_m.push_back((squares + 0.5) * board.shape.square_m);
    return at_m;
  };
  const std::vector<double> xs_m = lines(board.shape.squares_x), ys_m = lines(board.shape.squares_y);
  TriangleMesh mesh;
  for (const double y_m : ys_m)
    for (const double x_m : xs_m) mesh.vertices_m.push_back(board.world_from_board * Vec3(x_m, y_m, 0));
  const auto across = static_cast<std::uint32_t>(xs_m.size());
  for (std::uint32_t row = 0; row + 1 < ys_m.size(); ++row)
    for (std::uint32_t column = 0; column + 1 < across; ++column) {
      const std::uint32_t a = row * across + column, b = a + 1, c = a + across, d = c + 1;
      mesh.triangles.push_back({a, c, b});
      mesh.triangles.push_back({b, c, d});
    }
  return mesh;
}

}  // namespace aqbench
