#include "pipeline/external/own_intrinsics.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;

OwnCamera camera_of(const std::string& lens) {
  const TemporaryDirectory folder;
  const auto file = folder.file(
      "transforms.json",
      fmt::format(R"({{"w": 40, "h": 30, "fl_x": 50, {}, "frames": [{{"file_path": "a.png"}}]}})", lens));
  std::vector<OwnCamera> cameras = {{"a.png"}};
  read_own_intrinsics(file, cameras);
  return cameras.front();
}

// A lens that no camera here can hold fails no case: its focal length is compared all the same.
TEST(OwnIntrinsics, OfALensThatIsNotKnownAreWithoutIt) {
  for (const char* const lens :
       {R"("camera_model": "FISHEYE")", R"("k4": 0.1)", R"("camera_model": "OPENCV_FISHEYE", "p1": 0.1)"}) {
    const OwnCamera camera = camera_of(lens);
    ASSERT_TRUE(camera.intrinsics) << lens;
    EXPECT_EQ(camera.intrinsics->fx_px, 50);
    EXPECT_FALSE(camera.distortion) << lens;
  }
}

TEST(OwnIntrinsics, HaveTheCoefficientsOfTheLens) {
  EXPECT_THAT(*camera_of(R"("k1": 0.1, "p2": 0.2)").distortion, ElementsAre(0.1, 0, 0, 0.2, 0));
  EXPECT_THAT(*camera_of(R"("is_fisheye": true, "k4": 0.1)").distortion, ElementsAre(0, 0, 0, 0.1));
}

}  // namespace
}  // namespace aqbench
