#include "scenes/dataset/without_poses.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(WithoutPoses, OnlyNamesIntrinsicsAndIndicesStay) {
  const TemporaryDirectory dir;
  const Rig rig = make_rig("sparse4", {}, 42);
  write_calibration(dir / "calibration.json", rig, {"2026-01-01T00:00:00Z", "aqbench", "none"});
  withhold_poses(dir.path(), true);
  const Json json = read_strict_json(dir / "calibration.json");
  ASSERT_EQ(json["cameras"].size(), rig.cameras.size());
  for (const auto& [name, camera] : json["cameras"].items()) {
    EXPECT_EQ(camera.size(), 2U) << camera;
    EXPECT_EQ(camera["name"], name);
    EXPECT_EQ(camera["intrinsics"]["K"][0][0], rig.cameras[0].intrinsics.K(0, 0));
  }
  EXPECT_EQ(json["interface"], Json({{"n_air", 1.0}, {"n_water", 1.333}}));
  EXPECT_EQ(json.size(), 3U) << "version, cameras, interface";
  withhold_poses(dir.path(), false);
  EXPECT_FALSE(std::filesystem::exists(dir / "calibration.json"));
}

}  // namespace
}  // namespace aqbench
