#include "scenes/dataset/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "scenes/dataset/recording.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Recording fixture(const std::string& folder) {
  return read_recording(fs::path(AQBENCH_SOURCE_DIR) / "conformance" / "layouts" / folder);
}

// The largest difference of two cameras' matrices and coefficients.
double difference(const Camera& a, const Camera& b) {
  EXPECT_EQ(a.intrinsics.lens, b.intrinsics.lens);
  EXPECT_EQ(a.intrinsics.width_px, b.intrinsics.width_px);
  double largest = std::max({(a.intrinsics.K - b.intrinsics.K).cwiseAbs().maxCoeff(),
                             (a.camera_from_world.rotation - b.camera_from_world.rotation).norm(),
                             (a.camera_from_world.translation_m - b.camera_from_world.translation_m).norm()});
  for (std::size_t i = 0; i < 5 && i < a.intrinsics.distortion.size(); ++i)
    largest = std::max(largest, std::abs(a.intrinsics.distortion[i] - b.intrinsics.distortion.at(i)));
  return largest;
}

std::vector<CameraFiles> files_of(const Recording& recording) {
  std::vector<CameraFiles> files;
  for (std::size_t i = 0; i < recording.images[0].size(); ++i)
    files.push_back(
        {recording.images[0][i], recording.masks.empty() ? fs::path() : recording.masks[0].at(i)});
  return files;
}

// What is written is read back as the same cameras (conformance/check_layouts.py reads it apart from this).
TEST(LayoutWriter, CamerasComeBackFromEachLayout) {
  for (const auto& [layout, folder] : {std::pair("colmap", "colmap-text"),
                                       {"colmap", "colmap-binary"},
                                       {"transforms", "nerfstudio"},
                                       {"transforms", "instant-ngp"},
                                       {"mvsnet", "eth3d"},
                                       {"mvsnet", "tanks"}}) {
    SCOPED_TRACE(std::string(layout) + " of " + folder);
    const TemporaryDirectory directory;
    const fs::path to = directory.path() / "written";
    const Recording given = fixture(folder);
    write_layout(to, {layout, 0.5, 2}, given.rig.cameras, files_of(given));
    const Recording back = read_recording(to);
    EXPECT_EQ(to_string(back.layout), std::string(layout));
    inspect_recording(back);
    ASSERT_EQ(back.rig.cameras.size(), given.rig.cameras.size());
    const auto has_mask = [](const CameraFiles& files) { return !files.mask.empty(); };
    EXPECT_TRUE(std::ranges::equal(files_of(back), files_of(given), {}, has_mask, has_mask));
    for (std::size_t i = 0; i < given.rig.cameras.size(); ++i)
      EXPECT_LT(difference(given.rig.cameras[i], back.rig.cameras[i]), 1e-12) << i;
  }
}

TEST(LayoutWriter, WhatALayoutCannotHoldIsNamed) {
  const TemporaryDirectory directory;
  const auto refusal = [&](const char* layout, const Recording& given) {
    return error_of(ErrorKind::input, [&] {
      write_layout(directory.path() / layout, {layout, 0.5, 2}, given.rig.cameras, files_of(given));
    });
  };
  EXPECT_EQ(
      refusal("mvsnet", fixture("nerfstudio")),
      "camera 'view00': the layout mvsnet cannot hold a lens that distorts: undistort the images first");
  EXPECT_THAT(refusal("transforms", fixture("colmap-binary")),
              HasSubstr("cannot hold fisheye lenses beside others"));
  Recording named = fixture("eth3d");
  named.rig.cameras[1].name = "left front";
  EXPECT_THAT(refusal("colmap", named),
              HasSubstr("camera 'left front': the layout colmap cannot hold a name"));
}

}  // namespace
}  // namespace aqbench
