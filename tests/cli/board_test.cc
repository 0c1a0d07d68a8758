// Calibration boards, as a user renders them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Boards : public Folder {};

TEST_F(Boards, ASceneOfOneHasItsCornersBesideTheImages) {
  succeeded(
      run("render charuco --rig sparse4 --width 160 --set charuco.squares_x=5 --set charuco.squares_y=4 "
          "--no-cache --out one"));
  const json truth = json_file(dir_ / "one/truth/corners.json");
  ASSERT_EQ(truth.at("corners").size(), 12u);
  EXPECT_EQ(truth.at("unit"), "m");
  EXPECT_EQ(truth.at("corners").at(5).at("id"), 5);
  EXPECT_EQ(truth.at("corners").at(5).at("pixels").size(), 4u);
  EXPECT_EQ(json_file(dir_ / "one/calibration.json").at("board").at("squares_x"), 5);
  EXPECT_EQ(json_file(dir_ / "one/calibration.json").at("board").at("dictionary"), "DICT_5X5_100");
  const auto scored = run("eval --charuco one/truth/board.ply --board one/truth/board.ply --json");
  EXPECT_THAT(succeeded(scored).out, HasSubstr("\"rmse_mm\": 0.0"));
  // The truth counts as that of a recording with a board.
  EXPECT_THAT(run("check sparse --dataset one").out,
              HasSubstr("scale by the board (17 sides between 12 corners): 1 x"));
}

// Level water at z = 5 m of the file's world, where the default place of the board is in air; two poses
// below.
TEST_F(Boards, PosesAreInTheWorldOfTheRigsFile) {
  write("rig.json",
        R"({"water": {"z_m": 5, "n_water": 1.34}, "cameras": [)"
        R"({"image": "a.png", "size": [320, 240], "K": [[300, 0, 159.5], [0, 300, 119.5], [0, 0, 1]],)"
        R"( "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_m": [0, 0, -4]}]})");
  write("poses.json", R"([{"rotation": [0, 0, 0], "translation": [-0.12, -0.09, 5.4]},)"
                      R"( {"rotation": [0, 3.141592653589793, 0], "translation": [0.12, -0.09, 5.4]},)"
                      R"( {"rotation": [0, 0, 0], "translation": [30, 0, 5.4]}])");
  const auto rendered = run("render charuco --rig rig.json --poses poses.json --out stills --json");
  const json told = json::parse(succeeded(rendered).out);
  EXPECT_EQ(told.at("stills"), 3);
  EXPECT_EQ(told.at("poses_that_no_camera_sees"), json::array({2}));
  const auto corner = [&](const char* still) {
    return json_file(dir_ / "stills/truth/corners" / still).at("corners").at(17);
  };
  // Corner 17 lies in the middle of 7 x 5, at (0, 0): on the camera's axis.
  EXPECT_NEAR(corner("000000.json").at("pixels").at("a").at(0).get<double>(), 159.5, 1e-9);
  EXPECT_NEAR(corner("000000.json").at("pixels").at("a").at(1).get<double>(), 119.5, 1e-9);
  EXPECT_EQ(corner("000001.json").at("not_visible").at("a"), "the camera sees the board's back");
  EXPECT_EQ(corner("000002.json").at("not_visible").at("a"), "outside the image");
  EXPECT_TRUE(path_exists(dir_ / "stills/images/a/000002.png"));
  EXPECT_THAT(exits(run("render step --poses poses.json --out no"), 2).err,
              HasSubstr("--poses: the scene step is not a board"));
}

}  // namespace
}  // namespace aqbench::testing
