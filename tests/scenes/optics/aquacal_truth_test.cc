#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// AquaCal's own synthetic data (MIT licence): corners of a board below the water, without noise.
const std::filesystem::path kAquacal =
    std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/scenes/optics/aquacal_small";

Vec3 vector_of(const Json& json) {
  return {json[0].get<double>(), json[1].get<double>(), json[2].get<double>()};
}

TEST(AquacalTruth, ItsCornersAreImagedWhereItSays) {
  const Rig rig = read_aquacal_truth(kAquacal / "ground_truth.json");
  const Json truth = read_strict_json(kAquacal / "ground_truth.json"),
             detections = read_strict_json(kAquacal / "detections.json");
  const double square_m = truth["board_config"]["square_size"].get<double>();
  const int columns = truth["board_config"]["squares_x"].get<int>() - 1;
  std::size_t corners = 0;
  for (const auto& [number, frame] : detections["frames"].items()) {
    const Json& board = truth["board_poses"][frame["frame_idx"].get<std::size_t>()];
    const Vec3 turn = vector_of(board["rvec"]), at_m = vector_of(board["tvec"]);
    const Mat3 rotation = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    for (const auto& [name, seen] : frame["detections"].items())
      for (std::size_t i = 0; i < seen["corner_ids"].size(); ++i, ++corners) {
        const int id = seen["corner_ids"][i].get<int>();
        const Vec3 corner_m(square_m * (id % columns), square_m * (id / columns), 0);
        const auto pixel =
            project(refractive_camera(*find_camera(rig, name)), Vec3(rotation * corner_m + at_m));
        ASSERT_TRUE(pixel);
        const Json& given = seen["corners_2d"][i];
        EXPECT_LT((pixel->pixel - Vec2(given[0].get<double>(), given[1].get<double>())).norm(), 1e-9);
      }
  }
  EXPECT_EQ(corners, 85U);
}

TEST(AquacalTruth, OneHeightIsLevelWater) {
  const TemporaryDirectory dir;
  Json truth = read_strict_json(kAquacal / "ground_truth.json");
  const auto read = [&] {
    write_file(dir / "tank.json", truth.dump());
    return read_aquacal_truth(dir / "tank.json");
  };
  truth["water_zs"]["cam1"] = 0.15;
  truth["n_water"] = 1.34;
  EXPECT_EQ(level_water(read()).value(), (WaterInterface{0.15, 1, 1.34}));
  truth["water_zs"].erase("cam1");
  EXPECT_THAT(error_of(ErrorKind::input, read), testing::HasSubstr("tank.json: water_zs: 'cam1' is missing"));
  truth["water_zs"]["cam1"] = -1;
  EXPECT_THAT(error_of(ErrorKind::input, read), testing::HasSubstr("is not above the water"));
  truth["water_zs"]["cam1"] = "deep";
  EXPECT_THAT(error_of(ErrorKind::input, read), testing::HasSubstr("water_zs.cam1: expected a number"));
}

}  // namespace
}  // namespace aqbench
