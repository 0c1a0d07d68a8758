// Layouts whose files do not fit together: cameras of another image size, frames without images, images with
// one name, sizes written as real numbers.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/dataset/layouts.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/images/image_file.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::AnyOf;
using testing::HasSubstr;

const fs::path kFixtures = fs::path(AQBENCH_SOURCE_DIR) / "conformance/layouts";

void write_grey(const fs::path& file, int width, int height) {
  fs::create_directories(file.parent_path());
  const auto pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  write_file(file, encode_png(width, height, 8, std::vector<std::uint16_t>(pixels, 100)));
}

std::string refusal(const fs::path& dir) {
  return error_of(ErrorKind::input, [&] { inspect_recording(read_recording(dir)); });
}

// Each layout with its images made larger or smaller, as people do, and its cameras as they were.
TEST(ImageSizes, CamerasOfAnotherSizeAreRefusedInEveryLayout) {
  for (const char* const layout : {"blender-with-cx", "blendedmvs", "colmap-binary", "colmap-text",
                                   "dtu/scan7", "eth3d", "instant-ngp", "nerfstudio", "tanks"})
    for (const double factor : {1.25, 1.5, 2.0, 0.8, 0.5}) {
      SCOPED_TRACE(fmt::format("{} x {}", layout, factor));
      const TemporaryDirectory folder;
      const bool blender = std::string(layout) == "blender-with-cx";
      fs::copy(kFixtures / (blender ? "blender" : layout), folder / "d", fs::copy_options::recursive);
      fs::remove_all(folder / "d/masks");
      if (blender) {  // which has no size, and until now no principal point that could be of another one
        const fs::path file = folder / "d/transforms_train.json";
        write_file(file, R"({"cx": 24, "cy": 18, )" + read_file(file).substr(1));
      }
      const Recording recording = read_recording(folder / "d");
      inspect_recording(recording);
      for (const fs::path& image : recording.images.at(0))
        write_grey(image, static_cast<int>(48 * factor), static_cast<int>(36 * factor));
      EXPECT_THAT(refusal(folder / "d"), AnyOf(HasSubstr("likely"), HasSubstr("px, but camera '"),
                                               HasSubstr("it is for another size")));
    }
}

std::string camera_json(double scale) {
  return fmt::format(R"({{"cameras": [{{"image": "a.png", "size": [160, 120],
      "K": [[{0}, 0, {1}], [0, {0}, {2}], [0, 0, 1]], "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_m": [0, 0, 0]}}]}})",
                     200 * scale, 80 * scale - 0.5, 60 * scale - 0.5);
}

// A size that was changed with the images, and intrinsics that were not. A principal point may lie off the
// middle along one side, or by a few percent along both.
TEST(ImageSizes, IntrinsicsOfAnotherSizeThanTheOneBesideThemAreRefused) {
  const TemporaryDirectory folder;
  write_grey(folder / "a.png", 160, 120);
  const auto of = [&](const std::string& text) {
    write_file(folder / "cameras.json", text);
    return refusal(folder.path());
  };
  EXPECT_EQ(of(camera_json(1)), "(no error)");
  for (const double scale : {1.25, 2.0, 4.0, 0.8, 0.5})
    EXPECT_THAT(of(camera_json(scale)),
                HasSubstr(fmt::format("those of an image {:.3g} times as large", scale)));
  for (const double scale : {0.93, 1.07}) EXPECT_EQ(of(camera_json(scale)), "(no error)");
  const auto with_middle = [&](double x, double y) {
    return of(fmt::format(R"({{"cameras": [{{"image": "a.png", "size": [160, 120],
      "K": [[200, 0, {}], [0, 200, {}], [0, 0, 1]], "R": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "t_m": [0, 0, 0]}}]}})",
                          x, y));
  };
  EXPECT_EQ(with_middle(100, 60), "(no error)");
  EXPECT_EQ(with_middle(80, 20), "(no error)") << "the upper part of an image is cut away";
  EXPECT_EQ(with_middle(60, 72), "(no error)");
}

class TransformsFolder : public testing::Test {
 protected:
  static std::string frame(const std::string& image, const std::string& more = "") {
    return fmt::format(
        R"({{"file_path": "{}", {} "transform_matrix": [[1, 0, 0, {}], [0, 1, 0, 0], [0, 0, 1, 0],
        [0, 0, 0, 1]]}})",
        image, more, image.size());
  }
  void write(const std::string& top, const std::string& frames) const {
    write_file(folder_ / "transforms.json", "{" + top + R"("frames": [)" + frames + "]}");
  }
  Recording read() const { return read_recording(folder_.path()); }
  std::string problem() const { return refusal(folder_.path()); }

  TemporaryDirectory folder_;
};

TEST_F(TransformsFolder, WithoutASizeAPrincipalPointInACornerIsRefused) {
  write_grey(folder_ / "a.png", 160, 120);
  for (const char* const corner :
       {R"("cx": 0, "cy": 0,)", R"("cx": 160, "cy": 0,)", R"("cx": 10, "cy": 118,)",
        R"("cx": 160, "cy": 120,)", R"("h": 120, "cx": 800, "cy": 60,)"}) {
    write(std::string(R"("fl_x": 200, )") + corner, frame("a.png"));
    EXPECT_THAT(problem(), HasSubstr("a.png: the principal point (")) << corner;
  }
  write(R"("fl_x": 200, "cx": 82, "cy": 58,)", frame("a.png"));
  EXPECT_EQ(problem(), "(no error)");
}

// Focal lengths as instant-ngp's loader has them: an axis without one takes the other's.
TEST_F(TransformsFolder, FocalLengthsComeFromEitherAxis) {
  write_grey(folder_ / "a.png", 160, 120);
  const double x = 80 / std::tan(0.3), y = 60 / std::tan(0.25);
  const struct {
    std::string top, in_frame;
    double fx, fy;
  } rows[] = {{R"("camera_angle_x": 0.6,)", "", x, x},
              {R"("camera_angle_y": 0.5,)", "", y, y},
              {R"("camera_angle_x": 0.6, "camera_angle_y": 0.5,)", "", x, y},
              {R"("fl_x": 210, "camera_angle_x": 0.6, "camera_angle_y": 0.5,)", "", 210, y},
              {R"("fl_y": 190,)", "", 190, 190},
              {R"("fl_x": 210,)", "", 210, 210},
              {R"("fl_x": 210, "fl_y": 190,)", "", 210, 190},
              {fmt::format(R"("x_fov": {}, "y_fov": {},)", 0.6 * 180 / std::numbers::pi,
                           0.5 * 180 / std::numbers::pi),
               "", x, y},
              {R"("fl_x": 210, "fl_y": 190,)", R"("camera_angle_x": 0.6,)", x, 190},
              {R"("fl_x": 210,)", R"("fl_x": 220, "fl_y": 180,)", 220, 180}};
  for (const auto& [top, in_frame, fx, fy] : rows) {
    write(top, frame("a.png", in_frame));
    const Mat3 K = read().rig.cameras.at(0).intrinsics.K;
    EXPECT_NEAR(K(0, 0), fx, 1e-9) << top << in_frame;
    EXPECT_NEAR(K(1, 1), fy, 1e-9) << top << in_frame;
  }
  for (const char* const top : {"", R"("camera_angle_y": 0,)", R"("fl_x": 0,)", R"("x_fov": 180,)"}) {
    write(top, frame("a.png"));
    EXPECT_THAT(problem(), AnyOf(HasSubstr("has none of fl_x, fl_y"), HasSubstr("must be"))) << top;
  }
}

// As instant-ngp's data/nerf/fox: the file names frames whose images were removed. Its loader skips them, as
// nerfstudio's does.
TEST_F(TransformsFolder, FramesWithoutAnImageAreLeftOutAndCounted) {
  for (const char* const image : {"images/1.png", "images/5.png"}) write_grey(folder_ / image, 160, 120);
  const std::string top = R"("fl_x": 200, "w": 160, "h": 120,)";
  write(top, frame("images/1.png") + "," + frame("images/2.png", R"("mask_path": "images/m2.png",)") + "," +
                 frame("./images/5.png") + "," + frame("images/7"));
  const Recording recording = read();
  ASSERT_EQ(recording.rig.cameras.size(), 2U);
  EXPECT_EQ(recording.rig.cameras[1].name, "5");
  EXPECT_EQ(camera_centre_m(recording.rig.cameras[1].camera_from_world).x(), 14) << "its own pose";
  EXPECT_EQ(recording.images.at(0).at(1).filename(), "5.png");
  EXPECT_EQ(recording.without_image, 2U);
  EXPECT_EQ(content_text(recording, find_recording_truth(recording)),
            "2 cameras, 1 frame, truth: none; 2 more cameras without an image: left out");
  write(top, frame("images/2.png") + "," + frame("images/3.png"));
  EXPECT_THAT(problem(), HasSubstr("camera '2': no such image 'images/2.png'"));
  write(top, frame("images/1.png") + "," + frame("../2.png"));
  EXPECT_THAT(problem(), HasSubstr("outside the recording"));
}

TEST_F(TransformsFolder, ImagesThatMakeOneNameAreNamed) {
  write_grey(folder_ / "images/a/b.png", 160, 120);
  write_grey(folder_ / "images/a_b.png", 160, 120);
  write(R"("fl_x": 200,)", frame("images/a/b.png") + "," + frame("images/a_b.png"));
  EXPECT_THAT(problem(),
              HasSubstr("images 'images/a/b.png' and 'images/a_b.png' both make the camera name 'a_b'"));
}

TEST(ColmapFolder, SizesMayBeRealNumbersAndImagesThatMakeOneNameAreNamed) {
  const TemporaryDirectory folder;
  write_grey(folder / "images/a/b.png", 80, 60);
  write_grey(folder / "images/c.png", 80, 60);
  fs::create_directories(folder / "sparse/0");
  const auto with = [&](const std::string& size, const std::string& second) {
    write_file(folder / "sparse/0/cameras.txt", "1 PINHOLE " + size + " 90 90 40 30\n");
    write_file(folder / "sparse/0/images.txt",
               "1 1 0 0 0 0 0 0 1 a/b.png\n\n2 1 0 0 0 1 0 0 1 " + second + "\n\n");
    return refusal(folder.path());
  };
  EXPECT_EQ(with("80.0 60.0", "c.png"), "(no error)");
  EXPECT_EQ(read_recording(folder.path()).rig.cameras[0].intrinsics.width_px, 80);
  EXPECT_THAT(with("80.5 60.0", "c.png"),
              HasSubstr("line 1: WIDTH: must be a whole number of pixels, got '80.5'"));
  EXPECT_THAT(with("80 -60", "c.png"), HasSubstr("HEIGHT: must be a whole number of pixels"));
  write_grey(folder / "images/a_b.png", 80, 60);
  EXPECT_THAT(
      with("80 60", "a_b.png"),
      HasSubstr("images 'images/a/b.png' and 'images/a_b.png' both make the camera name 'a_b'; rename one"));
}

// The benchmark's convert_to_logfile.py writes "k -1 0" and the identity for an image that was not
// registered; other programs zeros or NaN.
TEST(TanksFolder, ImagesThatWereNotRegisteredAreLeftOutWhateverTheirMatrix) {
  const TemporaryDirectory folder;
  fs::copy(kFixtures / "tanks", folder / "d", fs::copy_options::recursive);
  const std::size_t all = read_recording(folder / "d").rig.cameras.size();
  const fs::path log = folder / "d/Hill_COLMAP_SfM.log";
  const std::string text = read_file(log), rest = text.substr(text.find("\n1 1 0\n"));
  for (const char* const matrix : {"1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1", "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0",
                                   "nan nan nan nan\nnan nan nan nan\nnan nan nan nan\n0 0 0 1"}) {
    write_file(log, std::string("0 -1 0\n") + matrix + rest);
    const Recording recording = read_recording(folder / "d");
    EXPECT_EQ(recording.rig.cameras.size(), all - 1);
    EXPECT_EQ(recording.rig.cameras[0].name, "000001");
  }
  write_file(log, "0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 1" + rest);
  EXPECT_THAT(refusal(folder / "d"), HasSubstr("is not a rotation"));
}

}  // namespace
}  // namespace aqbench
