#include "scenes/dataset/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/image_file.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr int kWidth = 67, kHeight = 50;

Rig two_cameras() {
  return make_rig(
      "stereo", {{"stereo", "width", std::to_string(kWidth)}, {"stereo", "height", std::to_string(kHeight)}},
      1);
}

// The depth of the plane z = 0 along the ray of a pixel between the centres, too.
double depth_at(const Camera& camera, const Vec2& pixel) {
  const auto ray = cast_ray(refractive_camera(camera), pixel);
  return -ray->origin_m[2] / ray->direction[2];
}

// Grey is 3 x + 2 y, pixels count where x >= 9, and the depth is that of a plane but for a step at x = 40.
fs::path write_recording(const fs::path& dir) {
  const Rig rig = two_cameras();
  for (const Camera& camera : rig.cameras) {
    for (const char* const folder : {"images", "masks", "truth"})
      fs::create_directories(dir / folder / camera.name);
    std::vector<std::uint16_t> grey, mask;
    std::vector<float> depths;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        grey.push_back(static_cast<std::uint16_t>(3 * x + y));
        mask.push_back(x >= 9 ? 7 : 0);
        depths.push_back(static_cast<float>(depth_at(camera, Vec2(x, y)) + (x > 40 ? 0.3 : 0)));
      }
    write_file(dir / "images" / camera.name / "000000.png", encode_png(kWidth, kHeight, 8, grey));
    write_file(dir / "masks" / camera.name / "000000.png", encode_png(kWidth, kHeight, 8, mask));
    write_npy(dir / "truth" / camera.name / "depth.npy", std::span<const float>(depths),
              std::array<std::size_t, 2>{kHeight, kWidth});
  }
  write_calibration(dir / "calibration.json", rig, {"1970-01-01T00:00:00Z", "test", ""});
  return dir;
}

// A place of the world is seen where the mean of its neighbourhood now lies: no half pixel is lost.
TEST(Shrunk, APlaceStaysWhereItsPixelsGo) {
  for (const int factor : {2, 3, 4}) {
    Camera camera = two_cameras().cameras[0];
    const Vec2 taken(31.25, 17.5);  // of the image as it was taken
    const Vec2 normalized =
        *Undistorter(camera.intrinsics).undistort_normalized(normalized_from_pixel(camera.intrinsics, taken));
    camera.intrinsics = shrunk(camera.intrinsics, factor);
    const Vec2 seen =
        pixel_from_normalized(camera.intrinsics, distort_normalized(camera.intrinsics, normalized));
    EXPECT_NEAR(seen.x(), (31.25 + 0.5) / factor - 0.5, 1e-12);
    EXPECT_NEAR(seen.y(), (17.5 + 0.5) / factor - 0.5, 1e-12);
    EXPECT_EQ(camera.intrinsics.width_px, kWidth / factor);
    EXPECT_EQ(camera.intrinsics.height_px, kHeight / factor);
  }
}

TEST(Shrunk, ImagesMasksAndDepthsAreThoseOfTheSmallerCameras) {
  for (const int factor : {2, 3, 4}) {
    SCOPED_TRACE(factor);
    const TemporaryDirectory directory;
    const Recording recording = read_recording(write_recording(directory.path() / "whole"));
    Recording small = shrink_recording(recording, 0, factor, directory.path() / "small");
    inspect_recording(small);
    load_masks(small, 0);
    const Camera& camera = small.rig.cameras[1];
    const int width = kWidth / factor, height = kHeight / factor;
    const GreyImage grey =
        decode_grey(read_file(small.images[0][1]), width, height, small.images[0][1].string());
    const DepthMap depths = read_depth_map(true_depth_file(small.dir / "truth", camera.name, 0), camera);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const auto i = static_cast<std::size_t>(y * width + x);
        const Vec2 middle(factor * x + 0.5 * (factor - 1), factor * y + 0.5 * (factor - 1));
        EXPECT_NEAR(255 * grey.values[i], 3 * middle.x() + middle.y(), 0.501);
        EXPECT_EQ(camera.mask->at(Vec2(x, y)), factor * x >= 9) << x;
        const int left = factor * x + (factor - 1) / 2, right = factor * x + factor / 2;
        if (left <= 40 && right > 40) {
          EXPECT_TRUE(std::isnan(depths.depth_along_ray_m[i])) << "an edge of depths";
        } else {
          EXPECT_NEAR(depths.depth_along_ray_m[i], depth_at(camera, Vec2(x, y)) + (left > 40 ? 0.3 : 0),
                      1e-4);
        }
      }
    write_observation(small, 0, directory.path() / "seen");
    const Rig seen = read_calibration(directory.path() / "seen" / "calibration.json");
    EXPECT_EQ(seen.cameras[1].intrinsics.K, camera.intrinsics.K);
    EXPECT_TRUE(fs::exists(directory.path() / "seen" / "masks" / camera.name / "000000.png"));
    EXPECT_FALSE(fs::exists(directory.path() / "seen" / "truth"));
  }
}

TEST(Shrunk, TooSmallImagesAreNamed) {
  const TemporaryDirectory directory;
  const Recording recording = read_recording(write_recording(directory.path() / "whole"));
  EXPECT_THAT(
      error_of(ErrorKind::input, [&] { shrink_recording(recording, 0, 60, directory.path() / "small"); }),
      HasSubstr("is 67 x 50 px, too small to be made smaller 60 times"));
}

}  // namespace
}  // namespace aqbench
