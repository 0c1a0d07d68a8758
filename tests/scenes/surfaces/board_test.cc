#include "scenes/surfaces/board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/aruco.hpp>

#include "core/error.h"
#include "scenes/registry.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(Board, EveryMarkerHasOpenCvsBits) {
  const std::pair<int, cv::aruco::PREDEFINED_DICTIONARY_NAME> dictionaries[] = {
      {4, cv::aruco::DICT_4X4_1000}, {4, cv::aruco::DICT_4X4_50},  {5, cv::aruco::DICT_5X5_1000},
      {5, cv::aruco::DICT_5X5_100},  {6, cv::aruco::DICT_6X6_250}, {7, cv::aruco::DICT_7X7_1000},
      {7, cv::aruco::DICT_7X7_50}};
  for (const auto& [side, name] : dictionaries) {
    const cv::Mat bytes = cv::aruco::getPredefinedDictionary(name)->bytesList;
    for (int id = 0; id < std::min(bytes.rows, kMarkers); ++id) {
      const cv::Mat bits = cv::aruco::Dictionary::getBitsFromByteList(bytes.rowRange(id, id + 1), side);
      std::uint64_t expected = 0;
      for (int i = 0; i < side * side; ++i)
        expected = 2 * expected + bits.at<unsigned char>(i / side, i % side);
      EXPECT_EQ(marker_bits(side, id), expected) << side << " " << id;
    }
  }
}

// Squares of 7 mm with markers of 5 mm and 4 x 4 bits in cells of 5/6 mm.
TEST(Board, PrintsSquaresMarkersAndTheirBits) {
  const BoardPattern board({3, 2, 0.007, 0.005, "DICT_4X4_50"});
  EXPECT_TRUE(board.is_black(0.0035, 0.0035));
  EXPECT_FALSE(board.is_black(-0.0001, 0.0035));
  EXPECT_FALSE(board.is_black(0.0035, -0.0001));
  EXPECT_FALSE(board.is_black(0.0211, 0.0035));
  EXPECT_FALSE(board.is_black(0.0175, 0.0141));
  EXPECT_FALSE(board.is_black(0.0079, 0.0035)) << "paper about the first marker, in the second square";
  EXPECT_TRUE(board.is_black(0.0081, 0.0035)) << "its border";
  EXPECT_TRUE(board.is_black(0.0129, 0.0035));
  EXPECT_FALSE(board.is_black(0.0131, 0.0035));
  // DICT_4X4_50's first marker is b532: 1011, 0101, 0011, 0010.
  const std::string bits = "1011010100110010";
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      EXPECT_EQ(board.is_black(0.008 + (column + 1.5) * 0.005 / 6, 0.001 + (row + 1.5) * 0.005 / 6),
                bits[static_cast<std::size_t>(4 * row + column)] == '0')
          << row << " " << column;
  EXPECT_TRUE(board.is_black(0.0105, 0.0105)) << "second row, second square";
  const BoardPattern plain({.squares_x = 3, .squares_y = 2, .square_m = 0.007});
  EXPECT_FALSE(plain.is_black(0.0081, 0.0035));
  EXPECT_TRUE(plain.is_black(0.0105, 0.0105));
}

TEST(Board, CornersLieBetweenSquaresRowByRow) {
  const std::vector<Vec3> corners = board_corners({.squares_x = 4, .squares_y = 3, .square_m = 0.02});
  ASSERT_EQ(corners.size(), 6u);
  EXPECT_EQ(corners[0], Vec3(0.02, 0.02, 0));
  EXPECT_EQ(corners[2], Vec3(0.06, 0.02, 0));
  EXPECT_EQ(corners[3], Vec3(0.02, 0.04, 0));
}

TEST(Board, AScenePlacesItsMiddleAndTurnsItAboutThat) {
  const Scene scene = make_scene("charuco", {{"charuco", "squares_x", "8"},
                                             {"charuco", "squares_y", "5"},
                                             {"charuco", "square_m", "0.04"},
                                             {"charuco", "marker_m", "0.03"},
                                             {"charuco", "dictionary", "DICT_6X6_250"},
                                             {"charuco", "x_m", "0.1"},
                                             {"charuco", "depth_m", "1.3"},
                                             {"charuco", "rz_deg", "90"}});
  const PlacedBoard board = board_of(scene.parameters).value();
  EXPECT_EQ(board.shape.dictionary, "DICT_6X6_250");
  // The origin is 0.16 m before and 0.1 m above the middle; turned by a quarter, x goes to y and y to -x.
  EXPECT_LT((board.world_from_board * Vec3::Zero() - Vec3(0.1 + 0.1, -0.16, 1.3)).norm(), 1e-15);
  // With half a square of paper all around.
  EXPECT_NEAR(scene.truth.surface->area_m2(), 9 * 6 * 0.04 * 0.04, 1e-12);
  EXPECT_FALSE(board_of(make_scene("flat_plane", {}).parameters));

  Parameters again = scene.parameters;
  for (const auto& [name, value] : pose_parameters(board.shape, board.world_from_board))
    again.at(name) = value;
  EXPECT_LT((board_of(again)->world_from_board.matrix() - board.world_from_board.matrix()).norm(), 1e-14);
}

TEST(Board, WrongOnesAreNamed) {
  const auto refused = [](const char* scene, const char* parameter, const char* value) {
    return error_of(ErrorKind::usage, [&] { make_scene(scene, {{scene, parameter, value}}); });
  };
  EXPECT_THAT(refused("charuco", "marker_m", "0.03"),
              HasSubstr("charuco.marker_m: must be positive and below square_m=0.03, got 0.03"));
  EXPECT_THAT(
      refused("charuco", "squares_x", "40"),
      HasSubstr("charuco.dictionary: 40 x 6 squares need 120 markers, of DICT_5X5_100 there are 100"));
  EXPECT_THAT(refused("charuco", "dictionary", "DICT_8X8_50"), HasSubstr("DICT_8X8_50"));
  EXPECT_THAT(refused("checkerboard", "squares_y", "1"), HasSubstr("checkerboard.squares_y: 1 is outside 2"));
  EXPECT_THAT(refused("checkerboard", "marker_m", "0.01"), HasSubstr("marker_m"));
}

}  // namespace
}  // namespace aqbench
