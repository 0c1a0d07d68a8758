// Boards and control points are read and checked with the cameras before a run.
#include "scenes/dataset/true_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

class TruePoints : public testing::Test {
 protected:
  TruePoints() {
    recording_.rig =
        make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
    recording_.images.resize(2);
  }
  std::string refused_board(const std::string& text, const char* name = "board.json") {
    RecordingTruth truth;
    truth.board_file = dir_.file(name, text).string();
    return error_of(ErrorKind::input, [&] { check_true_points(recording_, truth); });
  }
  RecordingTruth control(const std::string& text) {
    RecordingTruth truth;
    truth.control_file = dir_.file("points.json", text).string();
    return truth;
  }
  std::string refused_points(const std::string& text) {
    return error_of(ErrorKind::input, [&] { check_true_points(recording_, control(text)); });
  }
  TemporaryDirectory dir_;
  Recording recording_;
};

std::string board_with(const std::string& corner) {
  return R"({"unit": "mm", "squares_x": 4, "square_size": 20, "corners": [)" + corner + "]}";
}

TEST_F(TruePoints, ABoardIsHeldAgainstTheCameras) {
  RecordingTruth truth;
  truth.board_file =
      dir_.file("good.json", board_with(R"({"id": 0, "pixels": {"cam00": [15.5, -0.5]}})")).string();
  check_true_points(recording_, truth);
  EXPECT_THAT(refused_board("{"), HasSubstr("board.json:1:"));
  EXPECT_THAT(refused_board(R"({"unit": "ft"})"),
              HasSubstr("board.json: unit: 'ft' is not one of m, cm, mm, um"));
  EXPECT_THAT(refused_board(board_with(R"({"id": 7, "pixels": {"cam99": [1, 1]}})")),
              HasSubstr("board.json: corners: pixels of corner 7: cam99: unknown camera"));
  EXPECT_THAT(refused_board(board_with(R"({"id": 7, "pixels": {"cam00": [16, 1]}})")),
              HasSubstr("corner 7: cam00: [16, 1] is outside its image of 16 x 12 px"));
  // Of the second frame, too.
  dir_.file("b_000000.json", board_with(""));
  dir_.file("b_000001.json", board_with(R"({"id": 7, "pixels": {"unknown": [1, 1]}})"));
  truth.board_file = (dir_ / "b_{frame}.json").string();
  EXPECT_THAT(error_of(ErrorKind::input, [&] { check_true_points(recording_, truth); }),
              HasSubstr("b_000001.json: corners: pixels of corner 7"));
}

TEST_F(TruePoints, ControlPointsAreInMetresWithTheirDeviation) {
  const RecordingTruth truth = control(R"({"unit": "mm", "sigma": 0.5, "radius": 5, "points": [
      {"name": "A 1", "position": [0, 10, 1178]}, {"name": "B", "position": [0, 0, 1180], "sigma": 2}]})");
  check_true_points(recording_, truth);
  const ControlTruth read = true_control_points(truth, 0);
  ASSERT_EQ(read.points.size(), 2U);
  EXPECT_DOUBLE_EQ(read.radius_m, 0.005);
  EXPECT_EQ(read.points[0].name, "A 1");
  EXPECT_LT((read.points[0].position_m - Vec3(0, 0.01, 1.178)).norm(), 1e-12);
  EXPECT_DOUBLE_EQ(read.points[0].sigma_m, 0.0005);
  EXPECT_DOUBLE_EQ(read.points[1].sigma_m, 0.002);
}

TEST_F(TruePoints, ControlPointsThatCannotBeAreNamed) {
  const auto points = [](const std::string& list) { return R"({"unit": "mm", "points": [)" + list + "]}"; };
  EXPECT_THAT(refused_points(R"({"points": []})"), HasSubstr("points.json: 'unit' is missing"));
  EXPECT_THAT(refused_points(points("")), HasSubstr("points.json: points: is empty"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178]})")),
              HasSubstr("points[0]: sigma (standard deviation) is missing here and in the file"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178], "sigma": 0})")),
              HasSubstr("points[0].sigma: must be positive"));
  EXPECT_THAT(refused_points(points(R"({"name": "", "position": [0, 0, 1178], "sigma": 1})")),
              HasSubstr("points[0].name: must be one non-empty line"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 1178], "sigma": 1})")),
              HasSubstr("points[0].position: must be 3 numbers"));
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1178], "sigma": 1},
                                       {"name": "a", "position": [0, 1, 1178], "sigma": 1})")),
              HasSubstr("points[1].name: duplicate 'a'"));
  // Metres declared as millimetres lie above the water.
  EXPECT_THAT(refused_points(points(R"({"name": "a", "position": [0, 0, 1.178], "sigma": 1})")),
              HasSubstr("points.json: points: no camera sees any of them"));
}

}  // namespace
}  // namespace aqbench
