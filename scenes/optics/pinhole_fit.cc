#include "scenes/optics/pinhole_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

using Vec8 = Eigen::Matrix<double, 8, 1>;  // fx fy cx cy k1 k2 p1 p2

// A pixel of the camera and the direction to its point, x / z and y / z in the camera's frame.
struct FitPoint {
  Vec2 pixel, normalized;
};

std::vector<FitPoint> fit_points(const Camera& camera, double distance_m) {
  constexpr int kColumns = 33, kRows = 25;
  const Intrinsics& inside = camera.intrinsics;
  const RefractiveCamera prepared = refractive_camera(camera);
  const Undistorter undistorter(inside);
  std::vector<FitPoint> points;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const Vec2 pixel(column * (inside.width_px - 1.0) / (kColumns - 1),
                       row * (inside.height_px - 1.0) / (kRows - 1));
      const auto straight = undistorter.undistort_pixel(pixel);
      const auto ray = straight ? cast_ray(prepared, *straight) : std::nullopt;
      if (!ray) continue;
      // The point at the distance from the centre: |origin + t direction| = distance.
      const Vec3 origin_m = to_vec3(ray->origin_m) - to_vec3(prepared.centre_m),
                 direction = to_vec3(ray->direction);
      const double outside = origin_m.squaredNorm() - distance_m * distance_m,
                   along = origin_m.dot(direction);
      if (outside > 0)
        throw input_error("camera '{}': its water begins {:.3g} m from its centre, farther than {} m",
                          escape_bytes(camera.name), origin_m.norm(), distance_m);
      const Vec3 point = camera.camera_from_world.rotation *
                         (origin_m + (std::sqrt(along * along - outside) - along) * direction);
      if (point.z() > 0) points.push_back({pixel, point.head<2>() / point.z()});
    }
  return points;
}

// The pixel of a direction, less the wanted one, and its derivatives by the eight parameters.
struct FitTerm {
  Vec2 residual;
  Eigen::Matrix<double, 2, 8> slope;
};

FitTerm fit_term(const Vec8& p, const FitPoint& point) {
  const double x = point.normalized.x(), y = point.normalized.y(), r2 = x * x + y * y;
  const double radial = 1 + p[4] * r2 + p[5] * r2 * r2;
  const Vec2 of_p1(2 * x * y, r2 + 2 * y * y), of_p2(r2 + 2 * x * x, 2 * x * y);
  const Vec2 seen = radial * point.normalized + p[6] * of_p1 + p[7] * of_p2, focal(p[0], p[1]);
  FitTerm term;
  term.residual = focal.cwiseProduct(seen) + p.segment<2>(2) - point.pixel;
  term.slope << seen.x(), 0, 1, 0, focal.x() * x * r2, focal.x() * x * r2 * r2, focal.x() * of_p1.x(),
      focal.x() * of_p2.x(), 0, seen.y(), 0, 1, focal.y() * y * r2, focal.y() * y * r2 * r2,
      focal.y() * of_p1.y(), focal.y() * of_p2.y();
  return term;
}

// Gauss and Newton's iteration: all but the products of focal lengths and lens is linear.
Vec8 fit_lens(const Vec8& start, const std::vector<FitPoint>& points) {
  constexpr int kSteps = 50;
  Vec8 p = start;
  for (int step = 0; step < kSteps; ++step) {
    Eigen::Matrix<double, 8, 8> normal = Eigen::Matrix<double, 8, 8>::Zero();
    Vec8 gradient = Vec8::Zero();
    for (const FitPoint& point : points) {
      const FitTerm term = fit_term(p, point);
      normal += term.slope.transpose() * term.slope;
      gradient += term.slope.transpose() * term.residual;
    }
    const Vec8 by = normal.ldlt().solve(gradient);
    p -= by;
    if (by.cwiseAbs().maxCoeff() < 1e-9) break;
  }
  return p;
}

}  // namespace

Camera pinhole_fit(const Camera& camera, double distance_m) {
  constexpr std::size_t kLeastPoints = 100;
  if (std::holds_alternative<NoInterface>(camera.interface)) return camera;
  const std::vector<FitPoint> points = fit_points(camera, distance_m);
  if (points.size() < kLeastPoints)
    throw input_error("camera '{}': too few of its rays reach the water for a pinhole camera",
                      escape_bytes(camera.name));
  const Mat3& k = camera.intrinsics.K;
  Vec8 start = Vec8::Zero();
  start.head<4>() << k(0, 0), k(1, 1), k(0, 2), k(1, 2);
  const Vec8 p = fit_lens(start, points);
  Camera pinhole = camera;
  pinhole.interface = NoInterface{};
  pinhole.intrinsics.lens = LensModel::brown_conrady;
  pinhole.intrinsics.K << p[0], 0, p[2], 0, p[1], p[3], 0, 0, 1;
  pinhole.intrinsics.distortion = {p[4], p[5], p[6], p[7], 0};
  check(pinhole, "best pinhole of " + escape_bytes(camera.name));
  return pinhole;
}

}  // namespace aqbench
