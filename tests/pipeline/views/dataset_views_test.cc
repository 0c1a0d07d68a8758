#include "pipeline/views/dataset_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <cmath>
#include <opencv2/imgcodecs.hpp>

#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/synthetic_views.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kWidth = 96, kHeight = 72;

// What the undistorted camera would record: smooth, from 0.2 to 0.8.
double pattern(const Vec2& pixel) {
  return 0.5 + 0.15 * std::sin(pixel.x() / 7) + 0.15 * std::cos(pixel.y() / 5 + 1);
}

Rig small_rig(const std::vector<double>& distortion = {}) {
  Rig rig = make_rig(
      "ring12", {{"ring12", "width", std::to_string(kWidth)}, {"ring12", "height", std::to_string(kHeight)}},
      1);
  for (Camera& camera : rig.cameras)
    if (!distortion.empty()) camera.intrinsics.distortion = distortion;
  return rig;
}

// A dataset whose images show `pattern` through each camera's lens, 16 bits.
void write_pattern(const std::filesystem::path& dir, const Rig& rig) {
  write_calibration(dir / "calibration.json", rig, {"1970-01-01T00:00:00Z", "test", ""});
  for (const Camera& camera : rig.cameras) {
    const Undistorter lens(camera.intrinsics);
    cv::Mat image(kHeight, kWidth, CV_16UC3);
    for (int row = 0; row < kHeight; ++row)
      for (int column = 0; column < kWidth; ++column) {
        const auto pixel = lens.undistort_pixel(Vec2(column, row));
        const double grey = pixel ? pattern(*pixel) : 0;
        image.at<cv::Vec3w>(row, column) =
            cv::Vec3w::all(static_cast<std::uint16_t>(std::lround(grey * 65535)));
      }
    std::filesystem::create_directories(dir / "images" / camera.name);
    cv::imwrite((dir / "images" / camera.name / "000000.png").string(), image);
  }
}

TEST(CoarseViews, AreTheSameCamerasWithTheMeansOfSquares) {
  const Rig rig = make_rig("ring12", {{"ring12", "width", "1930"}, {"ring12", "height", "97"}}, 1);
  std::vector<DatasetView> views(2);
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].name = rig.cameras[i].name;
    views[i].camera = refractive_camera(rig.cameras[i]);
    for (int y = 0; y < 97; ++y)
      for (int x = 0; x < 1930; ++x) {
        views[i].grey.push_back(static_cast<float>((7 * x + 13 * y) % 16) / 16.0F);
        views[i].inside.push_back(x == 4 && y == 7 ? 0 : 1);
      }
  }
  const std::vector<DatasetView> coarse = coarse_views(views);
  ASSERT_EQ(coarse.size(), 2U);
  const RefractiveCamera& camera = coarse[1].camera;
  ASSERT_EQ(camera.width_px, 643);  // 3 pixels a side; one column and one row are left over
  ASSERT_EQ(camera.height_px, 32);
  EXPECT_EQ(coarse[1].name, views[1].name);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 643; ++x) {
      double sum = 0;
      for (int k = 0; k < 9; ++k) sum += views[1].grey[(3 * y + k / 3) * 1930 + 3 * x + k % 3];
      ASSERT_NEAR(coarse[1].grey[y * 643 + x], sum / 9, 1e-6) << x << " " << y;
      ASSERT_EQ(coarse[1].inside[y * 643 + x], x == 1 && y == 2 ? 0 : 1) << x << " " << y;
    }
  for (const Vec3& point : {Vec3(0.02, -0.01, 1.2), Vec3(-0.1, 0.03, 1.15)}) {
    const auto seen = project(camera, point), whole = project(views[1].camera, point);
    ASSERT_TRUE(seen && whole);
    EXPECT_NEAR((3 * seen->pixel + Vec2(1, 1) - whole->pixel).norm(), 0, 1e-9);  // the middle of the square
  }
  for (DatasetView& view : views) view.camera.width_px = 1279;
  EXPECT_TRUE(coarse_views(views).empty());
}

TEST(DatasetViews, TakesTheLensOut) {
  const TemporaryDirectory dir;
  const Rig rig = small_rig({-0.1, 0.02, 0.001, -0.001, 0});
  write_pattern(dir.path(), rig);
  const auto views = read_dataset_views(dir.path());
  ASSERT_EQ(views.size(), rig.cameras.size());
  for (const DatasetView& view : views) {
    double worst = 0;
    std::size_t inside = 0;
    for (int row = 2; row < kHeight - 2; ++row)
      for (int column = 2; column < kWidth - 2; ++column) {
        const std::size_t i = static_cast<std::size_t>(row) * kWidth + column;
        if (view.inside[i] == 0) continue;
        ++inside;
        worst = std::max(worst, std::abs(view.grey[i] - pattern(Vec2(column, row))));
      }
    // Cubic convolution's error for a sine of 1/5 rad a pixel, at the 3 border pixels of linear order.
    EXPECT_LT(worst, 5e-3);
    EXPECT_GT(inside, 0.95 * kWidth * kHeight * 0.9);
  }
  EXPECT_EQ(views[0].name, rig.cameras[0].name);
  EXPECT_EQ(views[0].camera.fx_px, rig.cameras[0].intrinsics.K(0, 0));
}

TEST(DatasetViews, MarksWhatTheCameraDidNotSee) {
  const TemporaryDirectory dir;
  const Rig rig = small_rig({0.2, 0, 0, 0, 0});  // pincushion
  write_pattern(dir.path(), rig);
  const auto views = read_dataset_views(dir.path());
  const Intrinsics& lens = rig.cameras[0].intrinsics;
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column) {
      const Vec2 seen = distort_pixel(lens, Vec2(column, row));
      if (std::abs(seen.x()) < 1e-3 || std::abs(seen.y()) < 1e-3) continue;
      const bool inside = seen.x() >= 0 && seen.y() >= 0 && seen.x() <= kWidth - 1 && seen.y() <= kHeight - 1;
      EXPECT_EQ(views[0].inside[static_cast<std::size_t>(row) * kWidth + column] == 1, inside)
          << column << ", " << row;
    }
  EXPECT_EQ(views[0].inside[0], 0);
}

// The mask is of the image as it was taken: the lens bends its straight edge.
TEST(DatasetViews, WhatTheMaskLeavesOutIsNotInside) {
  const TemporaryDirectory dir;
  const Rig rig = small_rig({-0.2, 0, 0, 0, 0});
  write_pattern(dir.path(), rig);
  const auto whole = read_dataset_views(dir.path());
  cv::Mat mask(kHeight, kWidth, CV_8UC1);
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column)
      mask.at<std::uint8_t>(row, column) = column + 2 * row < 60 ? 0 : row % 2 == 0 ? 1 : 255;
  const std::filesystem::path folder = dir.path() / "masks" / rig.cameras[1].name;
  std::filesystem::create_directories(folder);
  cv::imwrite((folder / "000000.png").string(), mask);
  const auto views = read_dataset_views(dir.path());
  EXPECT_EQ(views[0].inside, whole[0].inside) << "a camera without a mask";
  EXPECT_FALSE(views[0].has_mask);
  EXPECT_TRUE(views[1].has_mask);
  EXPECT_EQ(views[1].grey, whole[1].grey);
  std::size_t left_out = 0;
  for (int row = 0; row < kHeight; ++row)
    for (int column = 0; column < kWidth; ++column) {
      const std::size_t i = static_cast<std::size_t>(row) * kWidth + static_cast<std::size_t>(column);
      const Vec2 taken = distort_pixel(rig.cameras[1].intrinsics, Vec2(column, row));
      const bool counts = std::lround(taken.x()) + 2 * std::lround(taken.y()) >= 60;
      EXPECT_EQ(views[1].inside[i] != 0, whole[1].inside[i] != 0 && counts) << column << " " << row;
      left_out += whole[1].inside[i] != 0 && !counts ? 1 : 0;
    }
  EXPECT_GT(left_out, 500U);
}

TEST(DatasetViews, GreyIsOpenCvsWeighting) {
  const TemporaryDirectory dir;
  const Rig rig = small_rig({0, 0, 0, 0, 0});
  write_pattern(dir.path(), rig);
  const cv::Mat colour(kHeight, kWidth, CV_8UC3, cv::Scalar(200, 100, 50));  // B, G, R
  cv::imwrite((dir.path() / "images" / rig.cameras[3].name / "000000.png").string(), colour);
  const auto views = read_dataset_views(dir.path());
  EXPECT_NEAR(views[3].grey[1234], (0.114 * 200 + 0.587 * 100 + 0.299 * 50) / 255, 1e-6);
  EXPECT_NEAR(views[0].grey[0], pattern(Vec2(0, 0)), 1.0 / 65535) << "without a lens pixels are kept";
}

TEST(DatasetViews, ClaheRaisesContrastAndNeedsNoCertainThreadCount) {
  const TemporaryDirectory dir;
  write_pattern(dir.path(), small_rig());
  const auto [one, three] =
      on_threads<1, 3>([&] { return read_dataset_views(dir.path(), {.clahe = true})[0].grey; });
  ASSERT_EQ(one, three);
  const auto spread = [](const std::vector<float>& grey) {
    double sum = 0, squares = 0;
    for (const float value : grey) sum += value, squares += value * value;
    const auto n = static_cast<double>(grey.size());
    return std::sqrt(squares / n - sum * sum / (n * n));
  };
  EXPECT_GT(spread(one), 1.1 * spread(read_dataset_views(dir.path())[0].grey));
}

TEST(DatasetViews, NamesTheFileThatIsWrong) {
  const TemporaryDirectory dir;
  const Rig rig = small_rig();
  const auto message = [&] { return error_of(ErrorKind::input, [&] { read_dataset_views(dir.path()); }); };
  EXPECT_THAT(message(), HasSubstr("calibration.json"));
  write_pattern(dir.path(), rig);
  const auto file = dir.path() / "images" / rig.cameras[5].name / "000000.png";
  std::filesystem::resize_file(file, 30);
  EXPECT_EQ(message(), file.string() + ": is truncated");
  std::filesystem::resize_file(file, 0);
  EXPECT_EQ(message(), file.string() + ": is empty");
  cv::imwrite(file.string(), cv::Mat(10, 20, CV_8UC3, cv::Scalar::all(7)));
  EXPECT_EQ(message(), file.string() + ": is 20 x 10 px, expected 96 x 72");
  std::filesystem::remove(file);
  EXPECT_THAT(message(), HasSubstr(file.string()));
}

TEST(SelectSources, AreTheNeighboursOnTheRingThenTheCentre) {
  const Rig rig = make_rig("ring12", {}, 1);
  const auto views = blank_views(rig);
  ASSERT_EQ(views.size(), 13U);
  EXPECT_THAT(select_sources(views, 0), ElementsAre(1, 11, 2, 10, 12));
  EXPECT_THAT(select_sources(views, 5), ElementsAre(4, 6, 3, 7, 12));
  EXPECT_THAT(select_sources(views, 5, 0), ElementsAre(12));
  EXPECT_EQ(select_sources(views, 5, 100).size(), 12U);
  EXPECT_THAT(select_sources(std::span(views).first(1), 0), ElementsAre());
}

// Nearest first, but none that looks the other way, stands at the same place or sees nothing of the view.
TEST(SelectSources, TakesOnlyCamerasThatMaySeeTheSame) {
  const Rig orbit = make_rig("orbit", {}, 1);
  for (const std::size_t source : select_sources(blank_views(orbit), 0, 35)) {
    const Mat3 &a = orbit.cameras[0].camera_from_world.rotation,
               &b = orbit.cameras[source].camera_from_world.rotation;
    EXPECT_GT(a.row(2).dot(b.row(2)), std::cos(75 * std::numbers::pi / 180));
  }
  Rig rig = make_rig("stereo", {}, 1);
  EXPECT_THAT(select_sources(blank_views(rig), 0, 5), ElementsAre(1));
  rig.cameras.push_back(rig.cameras[0]);  // at one place: no parallax
  EXPECT_THAT(select_sources(blank_views(rig), 0, 5), ElementsAre(1));
  CameraFromWorld& turned = rig.cameras[2].camera_from_world;
  turned.rotation = Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitX()) * turned.rotation;
  turned.translation_m = -(turned.rotation * Vec3(0.01, 0, -0.8));
  EXPECT_THAT(select_sources(blank_views(rig), 0, 5), ElementsAre(1)) << "the other looks back";
  turned.rotation =
      Eigen::AngleAxisd(std::numbers::pi, Vec3::UnitZ()) * rig.cameras[0].camera_from_world.rotation;
  turned.translation_m = -(turned.rotation * Vec3(0.01, 0, -0.8));
  EXPECT_THAT(select_sources(blank_views(rig), 0, 5), testing::Contains(2)) << "upside down";
}

}  // namespace
}  // namespace aqbench
