#include "scenes/optics/distortion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/multiversion.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

constexpr double kResidualTolerance = 1e-12;  // normalised units: 1e-9 px
constexpr double kLargestRadius = 100;        // of the search for the invertible region: 89.4 degrees

// k1 k2 p1 p2 k3 k4 k5 k6, missing ones 0.
using BrownCoefficients = std::array<double, 8>;

BrownCoefficients brown_coefficients(const Intrinsics& intrinsics) {
  BrownCoefficients k{};
  std::ranges::copy_n(intrinsics.distortion.begin(),
                      static_cast<std::ptrdiff_t>(std::min<std::size_t>(intrinsics.distortion.size(), 8)),
                      k.begin());
  return k;
}

// A distorted point and the (symmetric) Jacobian of the map there.
struct BrownJet {
  double x, y, dxx, dxy, dyy;
};

AQBENCH_INLINE BrownJet brown_jet(const BrownCoefficients& k, double x, double y) {
  const double r2 = x * x + y * y;
  const double numerator = 1 + r2 * (k[0] + r2 * (k[1] + r2 * k[4]));
  const double inverse = 1 / (1 + r2 * (k[5] + r2 * (k[6] + r2 * k[7])));
  const double factor = numerator * inverse;
  // d factor / d r2
  const double slope =
      (k[0] + r2 * (2 * k[1] + 3 * r2 * k[4]) - factor * (k[5] + r2 * (2 * k[6] + 3 * r2 * k[7]))) * inverse;
  const double tangential = 2 * (k[2] * y + k[3] * x);
  return {x * factor + 2 * k[2] * x * y + k[3] * (r2 + 2 * x * x),
          y * factor + 2 * k[3] * x * y + k[2] * (r2 + 2 * y * y),
          factor + 2 * slope * x * x + tangential + 4 * k[3] * x, 2 * (slope * x * y + k[2] * x + k[3] * y),
          factor + 2 * slope * y * y + tangential + 4 * k[2] * y};
}

// A lower bound of the Jacobian's smaller eigenvalue on the circle of radius r. The radial part has the
// eigenvalues factor and d(r factor)/dr; the tangential part is 2 (q.p) I + 2 (q p' + p q') with q = (p2,
// p1), which is at least -6 |q| r.
double brown_stretch(const BrownCoefficients& k, double r) {
  const double denominator = 1 + r * r * (k[5] + r * r * (k[6] + r * r * k[7]));
  if (denominator <= 0) return -1;
  BrownCoefficients radial = k;
  radial[2] = radial[3] = 0;
  const BrownJet jet = brown_jet(radial, r, 0);
  return std::min(jet.dxx, jet.dyy) - 6 * std::hypot(k[2], k[3]) * r;
}

double fisheye_angle(const std::vector<double>& k, double theta) {
  const double t2 = theta * theta;
  return theta * (1 + t2 * (k[0] + t2 * (k[1] + t2 * (k[2] + t2 * k[3]))));
}

double fisheye_slope(const std::vector<double>& k, double theta) {
  const double t2 = theta * theta;
  return 1 + t2 * (3 * k[0] + t2 * (5 * k[1] + t2 * (7 * k[2] + t2 * 9 * k[3])));
}

// Finds the first zero of a function that is positive at 0, in steps growing by 1 %, refined by bisection;
// `last` if there is none before.
template <class Function>
double first_zero(double last, const Function& f) {
  double low = 0;
  while (low < last) {
    double high = std::min(last, low + std::max(0.001, 0.01 * low));
    if (f(high) > 0) {
      low = high;
      continue;
    }
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      (f(middle) > 0 ? low : high) = middle;
    }
    return low;
  }
  return last;
}

std::optional<Vec2> brown_inverse(const BrownCoefficients& k, double limit, const Vec2& distorted) {
  Vec2 point = distorted;
  if (const double radius = point.norm(); radius > limit) point *= 0.99 * limit / radius;
  BrownJet jet = brown_jet(k, point.x(), point.y());
  double rx = jet.x - distorted.x(), ry = jet.y - distorted.y();
  const double rounding = 1e-15 * (1 + distorted.norm());
  // Each accepted step reduces the residual; 100 are far more than convergence needs.
  for (int i = 0; i < 100 && std::hypot(rx, ry) > rounding; ++i) {
    const double determinant = jet.dxx * jet.dyy - jet.dxy * jet.dxy;
    const Vec2 step((jet.dyy * rx - jet.dxy * ry) / determinant, (jet.dxx * ry - jet.dxy * rx) / determinant);
    double scale = 1;
    bool accepted = false;
    for (; scale > 1e-9 && !accepted; scale *= 0.5) {
      const Vec2 next = point - scale * step;
      if (!(next.norm() <= limit)) continue;
      const BrownJet there = brown_jet(k, next.x(), next.y());
      const double nx = there.x - distorted.x(), ny = there.y - distorted.y();
      if (!(std::hypot(nx, ny) < std::hypot(rx, ry))) continue;
      point = next, jet = there, rx = nx, ry = ny;
      accepted = true;
    }
    if (!accepted) break;  // at rounding level, or stopped at the edge of the region
  }
  if (!(std::hypot(rx, ry) <= kResidualTolerance * (1 + distorted.norm()))) return std::nullopt;
  return point;
}

std::optional<Vec2> fisheye_inverse(const std::vector<double>& k, double limit, const Vec2& distorted) {
  const double target = distorted.norm();
  if (target == 0) return distorted;
  if (!(target <= fisheye_angle(k, limit))) return std::nullopt;
  double low = 0, high = limit, theta = std::min(target, limit);
  for (int i = 0; i < 100; ++i) {
    const double residual = fisheye_angle(k, theta) - target;
    if (residual == 0) break;
    (residual < 0 ? low : high) = theta;
    double next = theta - residual / fisheye_slope(k, theta);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == theta) break;
    theta = next;
  }
  if (!(std::abs(fisheye_angle(k, theta) - target) <= kResidualTolerance * (1 + target))) return std::nullopt;
  return Vec2(distorted * (std::tan(theta) / target));
}

constexpr std::size_t kBlock = 256;
using Block = std::array<double, kBlock>;

// Unguarded Newton steps on a block of points, in place; the result's `residual` and radius show failures.
// Six steps reach rounding for every lens that bends by less than half.
AQBENCH_MULTIVERSION
void brown_newton(const BrownCoefficients& k, std::size_t count, const double* distorted_x,
                  const double* distorted_y, double* x, double* y, double* residual2) {
  for (int step = 0; step < 6; ++step) {
    for (std::size_t i = 0; i < count; ++i) {
      const BrownJet jet = brown_jet(k, x[i], y[i]);
      const double rx = jet.x - distorted_x[i], ry = jet.y - distorted_y[i];
      const double inverse = 1 / (jet.dxx * jet.dyy - jet.dxy * jet.dxy);
      x[i] -= (jet.dyy * rx - jet.dxy * ry) * inverse;
      y[i] -= (jet.dxx * ry - jet.dxy * rx) * inverse;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const BrownJet jet = brown_jet(k, x[i], y[i]);
    const double rx = jet.x - distorted_x[i], ry = jet.y - distorted_y[i];
    residual2[i] = rx * rx + ry * ry;
  }
}

// Where the lens images the pixels of one row of the undistorted image.
AQBENCH_MULTIVERSION
void brown_row(const BrownCoefficients& coefficients, const Mat3& K, std::size_t row, std::size_t count,
               float* x_px, float* y_px) {
  const BrownCoefficients k = coefficients;
  const double fx = K(0, 0), fy = K(1, 1), cx = K(0, 2), cy = K(1, 2);
  const double per_px = 1 / fx, y = (static_cast<double>(row) - cy) / fy;
  for (std::size_t column = 0; column < count; ++column) {
    const BrownJet jet = brown_jet(k, (static_cast<double>(static_cast<int>(column)) - cx) * per_px, y);
    x_px[column] = static_cast<float>(fx * jet.x + cx);
    y_px[column] = static_cast<float>(fy * jet.y + cy);
  }
}

}  // namespace

Vec2 normalized_from_pixel(const Intrinsics& intrinsics, const Vec2& pixel) {
  const Mat3& k = intrinsics.K;
  return {(pixel.x() - k(0, 2)) / k(0, 0), (pixel.y() - k(1, 2)) / k(1, 1)};
}

Vec2 pixel_from_normalized(const Intrinsics& intrinsics, const Vec2& normalized) {
  const Mat3& k = intrinsics.K;
  return {k(0, 0) * normalized.x() + k(0, 2), k(1, 1) * normalized.y() + k(1, 2)};
}

void make_along_rays(const Intrinsics& intrinsics, std::span<float> depths_m) {
  std::size_t pixel = 0;
  for (int y = 0; y < intrinsics.height_px; ++y)
    for (int x = 0; x < intrinsics.width_px; ++x) {
      const double per_z = std::sqrt(1 + normalized_from_pixel(intrinsics, Vec2(x, y)).squaredNorm());
      float& depth = depths_m[pixel++];
      depth = static_cast<float>(per_z * static_cast<double>(depth));
    }
}

Vec2 distort_normalized(const Intrinsics& intrinsics, const Vec2& undistorted) {
  if (intrinsics.lens == LensModel::fisheye) {
    const double r = undistorted.norm();
    if (r == 0) return undistorted;
    return undistorted * (fisheye_angle(intrinsics.distortion, std::atan(r)) / r);
  }
  const BrownJet jet = brown_jet(brown_coefficients(intrinsics), undistorted.x(), undistorted.y());
  return {jet.x, jet.y};
}

Vec2 distort_pixel(const Intrinsics& intrinsics, const Vec2& undistorted_px) {
  return pixel_from_normalized(
      intrinsics, distort_normalized(intrinsics, normalized_from_pixel(intrinsics, undistorted_px)));
}

UndistortionMap undistortion_map(const Intrinsics& intrinsics) {
  const auto width = static_cast<std::size_t>(intrinsics.width_px);
  const auto height = static_cast<std::size_t>(intrinsics.height_px);
  UndistortionMap map{intrinsics.width_px, intrinsics.height_px, std::vector<float>(width * height),
                      std::vector<float>(width * height)};
  const BrownCoefficients k = brown_coefficients(intrinsics);
  parallel_for(height, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      float *const x_px = &map.x_px[row * width], *const y_px = &map.y_px[row * width];
      if (intrinsics.lens == LensModel::brown_conrady) {
        brown_row(k, intrinsics.K, row, width, x_px, y_px);
        continue;
      }
      for (std::size_t column = 0; column < width; ++column) {
        const Vec2 pixel = distort_pixel(intrinsics, {static_cast<double>(column), static_cast<double>(row)});
        x_px[column] = static_cast<float>(pixel.x());
        y_px[column] = static_cast<float>(pixel.y());
      }
    }
  });
  return map;
}

Undistorter::Undistorter(const Intrinsics& intrinsics) : intrinsics_(intrinsics) {
  if (intrinsics.lens == LensModel::fisheye) {
    invertible_limit_ = first_zero(std::numbers::pi / 2 * (1 - 1e-9), [&](double theta) {
      return fisheye_slope(intrinsics_.distortion, theta);
    });
  } else {
    const BrownCoefficients k = brown_coefficients(intrinsics);
    invertible_limit_ = first_zero(kLargestRadius, [&](double r) { return brown_stretch(k, r); });
  }
}

bool Undistorter::takes(const Vec2& undistorted_px) const {
  const Vec2 normalized = normalized_from_pixel(intrinsics_, undistorted_px);
  const double radius = normalized.norm();
  if (!((intrinsics_.lens == LensModel::fisheye ? std::atan(radius) : radius) <= invertible_limit_))
    return false;
  const Vec2 px = pixel_from_normalized(intrinsics_, distort_normalized(intrinsics_, normalized));
  return px.x() >= 0 && px.y() >= 0 && px.x() <= intrinsics_.width_px - 1 &&
         px.y() <= intrinsics_.height_px - 1;
}

std::optional<Vec2> Undistorter::undistort_normalized(const Vec2& distorted) const {
  if (intrinsics_.lens == LensModel::fisheye)
    return fisheye_inverse(intrinsics_.distortion, invertible_limit_, distorted);
  return brown_inverse(brown_coefficients(intrinsics_), invertible_limit_, distorted);
}

std::optional<Vec2> Undistorter::undistort_pixel(const Vec2& distorted_px) const {
  const auto undistorted = undistort_normalized(normalized_from_pixel(intrinsics_, distorted_px));
  if (!undistorted) return std::nullopt;
  return pixel_from_normalized(intrinsics_, *undistorted);
}

void Undistorter::undistort_pixels(std::span<const double> distorted_x_px,
                                   std::span<const double> distorted_y_px, std::span<double> x_px,
                                   std::span<double> y_px) const {
  const bool newton = intrinsics_.lens == LensModel::brown_conrady;
  const BrownCoefficients k = brown_coefficients(intrinsics_);
  const double limit2 = invertible_limit_ * invertible_limit_;
  Block target_x, target_y, x, y, residual2;
  for (std::size_t begin = 0; begin < x_px.size(); begin += kBlock) {
    const std::size_t count = std::min(kBlock, x_px.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const Vec2 target =
          normalized_from_pixel(intrinsics_, {distorted_x_px[begin + i], distorted_y_px[begin + i]});
      target_x[i] = x[i] = target.x(), target_y[i] = y[i] = target.y();
    }
    if (newton)
      brown_newton(k, count, target_x.data(), target_y.data(), x.data(), y.data(), residual2.data());
    for (std::size_t i = 0; i < count; ++i) {
      const bool good = newton && residual2[i] <= kResidualTolerance * kResidualTolerance &&
                        x[i] * x[i] + y[i] * y[i] <= limit2;
      constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
      const Vec2 point =
          good ? Vec2(x[i], y[i])
               : undistort_normalized({target_x[i], target_y[i]}).value_or(Vec2::Constant(kNaN));
      const Vec2 pixel = pixel_from_normalized(intrinsics_, point);
      x_px[begin + i] = pixel.x(), y_px[begin + i] = pixel.y();
    }
  }
}

}  // namespace aqbench
