#include "scenes/optics/distortion.h"

#include <gtest/gtest.h>

#include <opencv2/calib3d.hpp>

#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using optics_testing::Draws;
using optics_testing::pinhole;

Intrinsics lens(LensModel model, std::vector<double> distortion) {
  Intrinsics out = pinhole(640, 480, 500);
  out.K(1, 1) = 510;
  out.K(0, 2) = 310;
  out.lens = model;
  out.distortion = std::move(distortion);
  return out;
}

// Barrel and pincushion, tangential terms, the rational model, fisheyes: all invertible over the image.
std::vector<Intrinsics> lenses() {
  return {lens(LensModel::brown_conrady, {0, 0, 0, 0, 0}),
          lens(LensModel::brown_conrady, {-0.05, 0.01, 0, 0, 0}),
          lens(LensModel::brown_conrady, {-0.28, 0.11, 1e-3, -2e-3, -0.02}),
          lens(LensModel::brown_conrady, {0.2, -0.05, -3e-3, 1e-3, 0.01}),
          lens(LensModel::brown_conrady, {0.3, 0.1, 5e-4, -8e-4, 0.02, 0.5, 0.15, 0.03}),
          lens(LensModel::fisheye, {0, 0, 0, 0}),
          lens(LensModel::fisheye, {0.05, -0.02, 0.01, -0.003}),
          lens(LensModel::fisheye, {-0.03, 0.004, -0.002, 0.0005})};
}

cv::Mat cv_matrix(const Mat3& matrix) {
  cv::Mat out(3, 3, CV_64F);
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) out.at<double>(row, column) = matrix(row, column);
  return out;
}

cv::Mat cv_distortion(const Intrinsics& intrinsics) { return cv::Mat(intrinsics.distortion, true); }

Vec2 opencv_distort(const Intrinsics& intrinsics, const Vec2& normalized) {
  std::vector<cv::Point2d> out;
  if (intrinsics.lens == LensModel::fisheye) {
    const std::vector<cv::Point2d> in = {{normalized.x(), normalized.y()}};
    cv::fisheye::distortPoints(in, out, cv_matrix(intrinsics.K), cv_distortion(intrinsics));
  } else {
    const std::vector<cv::Point3d> in = {{normalized.x(), normalized.y(), 1}};
    cv::projectPoints(in, cv::Vec3d(0, 0, 0), cv::Vec3d(0, 0, 0), cv_matrix(intrinsics.K),
                      cv_distortion(intrinsics), out);
  }
  return {out[0].x, out[0].y};
}

TEST(Distort, EqualsOpenCV) {
  Draws draws{1};
  for (const Intrinsics& intrinsics : lenses()) {
    for (int i = 0; i < 300; ++i) {
      const Vec2 point(draws.uniform(-0.9, 0.9), draws.uniform(-0.7, 0.7));
      const Vec2 ours = pixel_from_normalized(intrinsics, distort_normalized(intrinsics, point));
      EXPECT_LT((ours - opencv_distort(intrinsics, point)).norm(), 1e-9);
      EXPECT_LT((ours - distort_pixel(intrinsics, pixel_from_normalized(intrinsics, point))).norm(), 1e-9);
    }
  }
}

TEST(Distort, LeavesTheAxisAlone) {
  for (const Intrinsics& intrinsics : lenses()) EXPECT_EQ(distort_normalized(intrinsics, {0, 0}), Vec2(0, 0));
}

TEST(Undistort, InvertsEveryPixelOfTheImageAndBeyond) {
  Draws draws{2};
  for (const Intrinsics& intrinsics : lenses()) {
    const Undistorter undistorter(intrinsics);
    for (int i = 0; i < 500; ++i) {
      const Vec2 pixel(draws.uniform(-40, 680), draws.uniform(-40, 520));
      const auto undistorted = undistorter.undistort_pixel(pixel);
      ASSERT_TRUE(undistorted) << pixel.transpose() << " k1 " << intrinsics.distortion[0];
      EXPECT_LT((distort_pixel(intrinsics, *undistorted) - pixel).norm(), 1e-9);
    }
  }
}

TEST(Undistort, AgreesWithOpenCVWhereItsIterationConverges) {
  Draws draws{3};
  const auto criteria = cv::TermCriteria(cv::TermCriteria::COUNT | cv::TermCriteria::EPS, 200, 1e-14);
  for (const Intrinsics& intrinsics : lenses()) {
    const Undistorter undistorter(intrinsics);
    for (int i = 0; i < 100; ++i) {
      const std::vector<cv::Point2d> in = {{draws.uniform(100, 540), draws.uniform(100, 380)}};
      std::vector<cv::Point2d> out;
      if (intrinsics.lens == LensModel::fisheye) {
        cv::fisheye::undistortPoints(in, out, cv_matrix(intrinsics.K), cv_distortion(intrinsics));
      } else {
        cv::undistortPoints(in, out, cv_matrix(intrinsics.K), cv_distortion(intrinsics), cv::noArray(),
                            cv::noArray(), criteria);
      }
      const auto ours =
          undistorter.undistort_normalized(normalized_from_pixel(intrinsics, {in[0].x, in[0].y}));
      ASSERT_TRUE(ours);
      EXPECT_LT((*ours - Vec2(out[0].x, out[0].y)).norm(), 1e-7);
    }
  }
}

// r (1 - r^2 / 3) has its maximum 2/3 at r = 1: nothing is imaged beyond radius 2/3, and each radius below it
// has two preimages, of which the one within the unit circle is meant.
TEST(Undistort, StopsWhereTheLensFoldsBack) {
  const Intrinsics barrel = lens(LensModel::brown_conrady, {-1.0 / 3, 0, 0, 0, 0});
  const Undistorter undistorter(barrel);
  for (const double r : {0.05, 0.3, 0.7, 0.9, 0.99, 0.9999}) {
    const Vec2 point(0.6 * r, -0.8 * r);
    const auto back = undistorter.undistort_normalized(distort_normalized(barrel, point));
    ASSERT_TRUE(back) << r;
    EXPECT_LT((*back - point).norm(), 1e-9 / (1 - r)) << r;
  }
  for (const double r : {0.667, 0.7, 1.0, 5.0, 1e6})
    EXPECT_FALSE(undistorter.undistort_normalized({0.6 * r, 0.8 * r})) << r;
}

// theta (1 - theta^2 / 3) folds at theta = 1 rad; without coefficients a fisheye sees up to 90 degrees.
TEST(Undistort, FisheyeStopsAtItsLimit) {
  const Undistorter folding(lens(LensModel::fisheye, {-1.0 / 3, 0, 0, 0}));
  EXPECT_TRUE(folding.undistort_normalized({0.666, 0}));
  EXPECT_FALSE(folding.undistort_normalized({0.667, 0}));
  const Undistorter equidistant(lens(LensModel::fisheye, {0, 0, 0, 0}));
  const auto at_80_degrees = equidistant.undistort_normalized({80 * std::numbers::pi / 180, 0});
  ASSERT_TRUE(at_80_degrees);
  EXPECT_NEAR(at_80_degrees->x(), std::tan(80 * std::numbers::pi / 180), 1e-9);
  EXPECT_FALSE(equidistant.undistort_normalized({1.58, 0}));
}

// The denominator 1 - 0.5 r^2 vanishes at r = sqrt 2.
TEST(Undistort, StopsBeforeThePoleOfTheRationalModel) {
  const Intrinsics rational = lens(LensModel::brown_conrady, {0, 0, 0, 0, 0, -0.5, 0, 0});
  const Undistorter undistorter(rational);
  const auto back = undistorter.undistort_normalized(distort_normalized(rational, {1.3, 0.2}));
  ASSERT_TRUE(back);
  EXPECT_LT((*back - Vec2(1.3, 0.2)).norm(), 1e-10);
}

TEST(Undistort, RefusesWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Intrinsics& intrinsics : lenses()) {
    EXPECT_FALSE(Undistorter(intrinsics).undistort_pixel({nan, 3}));
    EXPECT_FALSE(Undistorter(intrinsics).undistort_pixel({3, std::numeric_limits<double>::infinity()}));
  }
}

TEST(UndistortPixels, EqualsOneAtATime) {
  std::vector<Intrinsics> all = lenses();
  all.push_back(lens(LensModel::brown_conrady, {-1.0 / 3, 0, 0, 0, 0}));  // some pixels have no inverse
  Draws draws{4};
  for (const Intrinsics& intrinsics : all) {
    const Undistorter undistorter(intrinsics);
    std::vector<double> x, y;
    for (int i = 0; i < 700; ++i) {
      x.push_back(draws.uniform(-200, 840));
      y.push_back(draws.uniform(-200, 680));
    }
    std::vector<double> out_x(x.size()), out_y(x.size());
    undistorter.undistort_pixels(x, y, out_x, out_y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto one = undistorter.undistort_pixel({x[i], y[i]});
      ASSERT_EQ(one.has_value(), !std::isnan(out_x[i])) << x[i] << " " << y[i];
      if (!one) continue;
      EXPECT_LT((*one - Vec2(out_x[i], out_y[i])).norm(), 1e-5 * (1 + one->norm()));
      EXPECT_LT((distort_pixel(intrinsics, {out_x[i], out_y[i]}) - Vec2(x[i], y[i])).norm(), 1e-8);
    }
  }
}

TEST(UndistortionMap, EqualsOpenCV) {
  for (const Intrinsics& intrinsics : lenses()) {
    cv::Mat map_x, map_y;
    const cv::Mat k = cv_matrix(intrinsics.K);
    const cv::Size size(intrinsics.width_px, intrinsics.height_px);
    if (intrinsics.lens == LensModel::fisheye) {
      cv::fisheye::initUndistortRectifyMap(k, cv_distortion(intrinsics), cv::Mat::eye(3, 3, CV_64F), k, size,
                                           CV_32FC1, map_x, map_y);
    } else {
      cv::initUndistortRectifyMap(k, cv_distortion(intrinsics), cv::noArray(), k, size, CV_32FC1, map_x,
                                  map_y);
    }
    const UndistortionMap ours = undistortion_map(intrinsics);
    ASSERT_EQ(ours.x_px.size(), static_cast<std::size_t>(size.area()));
    double worst_px = 0;
    for (int row = 0; row < size.height; ++row) {
      for (int column = 0; column < size.width; ++column) {
        const auto at = static_cast<std::size_t>(row * size.width + column);
        const double dx = ours.x_px[at] - map_x.at<float>(row, column);
        const double dy = ours.y_px[at] - map_y.at<float>(row, column);
        worst_px = std::max(worst_px, std::hypot(dx, dy));
      }
    }
    EXPECT_LT(worst_px, 1e-3) << "k1 " << intrinsics.distortion[0];
  }
}

}  // namespace
}  // namespace aqbench
