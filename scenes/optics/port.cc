// Rays through the port of an underwater housing: a flat pane of glass or a dome, fixed to the camera, air
// inside and water outside. Each ray is refracted at both sides of the glass by Snell's law.
//
// Both are axial systems: a ray stays in the plane through the camera's centre, the point and the axis, which
// is the pane's normal (Agrawal et al., "A theory of multi-layer flat refractive geometry", CVPR 2012) or the
// line from the camera's centre to the dome's (She et al., "Refractive geometry for underwater domes", 2022).
// So projection is one equation of one unknown.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

using Rotation = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

Eigen::Map<const Rotation> rotation_of(const RefractiveCamera& camera) {
  return Eigen::Map<const Rotation>(camera.rotation.data());
}

Vec3 ray_in_air(const RefractiveCamera& camera, double u_px, double v_px) {
  return Vec3((u_px - camera.cx_px) / camera.fx_px, (v_px - camera.cy_px) / camera.fy_px, 1).normalized();
}

// Refracts a unit direction at a surface whose normal points along it; `ratio` is the index before over that
// behind. Returns false for total reflection.
bool refract(Vec3& direction, const Vec3& normal, double ratio) {
  const double cosine = direction.dot(normal), square = 1 - ratio * ratio * (1 - cosine * cosine);
  if (!(cosine > 0) || !(square > 0)) return false;
  direction = (ratio * direction + (std::sqrt(square) - ratio * cosine) * normal).normalized();
  return true;
}

bool into_world(const RefractiveCamera& camera, const Vec3& origin_m, const Vec3& direction, WaterRay& ray) {
  const Vec3 origin = rotation_of(camera).transpose() * origin_m,
             towards = rotation_of(camera).transpose() * direction;
  for (int i = 0; i < 3; ++i) {
    ray.origin_m[i] = camera.centre_m[i] + origin[i];
    ray.direction[i] = towards[i];
  }
  return std::isfinite(towards.sum());
}

Vec3 into_camera(const RefractiveCamera& camera, const std::array<double, 3>& point_m) {
  return rotation_of(camera) * (to_vec3(point_m) - to_vec3(camera.centre_m));
}

bool image_of(const RefractiveCamera& camera, const Vec3& direction, double& u_px, double& v_px) {
  if (!(direction.z() > 0)) return false;
  u_px = camera.cx_px + camera.fx_px * direction.x() / direction.z();
  v_px = camera.cy_px + camera.fy_px * direction.y() / direction.z();
  return std::isfinite(u_px) && std::isfinite(v_px);
}

// ---- A flat pane ----

bool cast_flat(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const Port& port = camera.port;
  Vec3 direction = ray_in_air(camera, u_px, v_px);
  double along = direction.dot(port.axis);
  if (!(along > 0)) return false;
  Vec3 at_m = port.distance_m / along * direction;
  if (!refract(direction, port.axis, port.n_air / port.n_glass)) return false;
  along = direction.dot(port.axis);
  at_m += port.thickness_m / along * direction;
  return refract(direction, port.axis, port.n_glass / port.n_water) &&
         into_world(camera, at_m, direction, ray);
}

// Air, glass and water in front of a point. With t the tangent of the ray's angle in the thinnest of the
// media that have a thickness, and m = n_thinnest / n, the ray runs aside by the sum of h m t / sqrt(1 + (1 -
// m^2) t^2): concave and increasing in t, so Newton's iteration rises from below to the root, as in snell.h.
struct Layers {
  double height_m[3];
  double ratio[3];  // m, at most 1

  double tangent(int i, double t) const {
    return ratio[i] * t / std::sqrt(1 + (1 - ratio[i]) * (1 + ratio[i]) * t * t);
  }
};

Layers layers_of(const Port& port, double water_m) {
  Layers layers{{port.distance_m, port.thickness_m, water_m}, {}};
  const double n[3] = {port.n_air, port.n_glass, port.n_water};
  double thinnest = n[2];
  for (int i = 0; i < 2; ++i)
    if (layers.height_m[i] > 0) thinnest = std::min(thinnest, n[i]);
  for (int i = 0; i < 3; ++i) layers.ratio[i] = thinnest / n[i];
  return layers;
}

double thinnest_tangent(const Layers& layers, double aside_m) {
  double t = aside_m, slope = 0, thin_m = 0, most_others_m = 0;
  for (int i = 0; i < 3; ++i) {
    if (!(layers.height_m[i] > 0)) continue;
    const double m = layers.ratio[i], c = (1 - m) * (1 + m);
    slope += layers.height_m[i] * m;
    if (c > 0)
      most_others_m += layers.height_m[i] * m / std::sqrt(c);
    else
      thin_m += layers.height_m[i];
  }
  t = std::max(aside_m / slope, (aside_m - most_others_m) / thin_m);
  for (int step = 0; step < 60; ++step) {
    double value = -aside_m, derivative = 0;
    for (int i = 0; i < 3; ++i) {
      if (!(layers.height_m[i] > 0)) continue;
      const double m = layers.ratio[i], w2 = 1 + (1 - m) * (1 + m) * t * t;
      const double part = layers.height_m[i] * m / std::sqrt(w2);
      value += part * t;
      derivative += part / w2;
    }
    const double next = t - value / derivative;
    if (step > 0 && !(next > t)) break;
    t = next;
  }
  return t;
}

bool project_flat(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                  double& v_px, double& depth_along_ray_m) {
  const Port& port = camera.port;
  const Vec3 point = into_camera(camera, point_m);
  const double height_m = point.dot(port.axis), water_m = height_m - port.distance_m - port.thickness_m;
  if (!(water_m > 0)) return false;
  const Vec3 aside = point - height_m * port.axis;
  const double aside_m = aside.norm();
  const Layers layers = layers_of(port, water_m);
  const double t = thinnest_tangent(layers, aside_m), in_water = layers.tangent(2, t);
  // In air, also where that has no thickness: the ray's angle there follows from Snell's law alone.
  const double sine = port.n_water / port.n_air * in_water / std::sqrt(1 + in_water * in_water);
  const double in_air = port.distance_m > 0 ? layers.tangent(0, t) : sine / std::sqrt(1 - sine * sine);
  depth_along_ray_m = water_m * std::sqrt(1 + in_water * in_water);
  return image_of(camera, aside_m > 0 ? Vec3(port.axis + in_air / aside_m * aside) : port.axis, u_px, v_px);
}

// ---- A dome ----

// The distance from `from_m` along the direction to the farther side of a sphere about the origin.
double to_sphere(const Vec3& from_m, const Vec3& direction, double radius_m) {
  const double along = from_m.dot(direction);
  return -along + std::sqrt(along * along - from_m.squaredNorm() + radius_m * radius_m);
}

bool cast_dome(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const Port& port = camera.port;
  Vec3 direction = ray_in_air(camera, u_px, v_px), at_m = -port.axis;  // from the dome's centre
  at_m += to_sphere(at_m, direction, port.distance_m) * direction;
  if (!refract(direction, at_m.normalized(), port.n_air / port.n_glass)) return false;
  at_m += to_sphere(at_m, direction, port.distance_m + port.thickness_m) * direction;
  return refract(direction, at_m.normalized(), port.n_glass / port.n_water) &&
         into_world(camera, at_m + port.axis, direction, ray);
}

// The angle about the dome's centre between the camera's centre and the point that a ray reaches, less that
// of the point. The ray leaves the camera at `angle` to the outward radius; the index times the distance of
// the line from the dome's centre stays the same (Bouguer). Its derivative stands beside it.
struct DomeAngle {
  double inner_m, outer_m, point_m, offset_m, glass,
      water;  // radii, the camera's offset, indices of air over others

  std::pair<double, double> at(double angle) const {
    const double sine = offset_m * std::sin(angle), slope = offset_m * std::cos(angle);
    double value = angle, derivative = 1;
    const auto add = [&](double scale, double sign) {
      const double x = scale * sine;
      value += sign * std::asin(std::clamp(x, -1.0, 1.0));
      derivative += sign * scale * slope / std::sqrt(std::max(1 - x * x, 1e-12));
    };
    add(1 / inner_m, -1);
    add(glass / inner_m, 1);
    add(glass / outer_m, -1);
    add(water / outer_m, 1);
    add(water / point_m, -1);
    return {value, derivative};
  }

  // The angle at which the value is `wanted`, between 0 and pi, to a few roundings: closer than that the steps
  // go to and fro.
  double solve(double wanted) const {
    double low = 0, high = std::numbers::pi, angle = wanted;
    for (int step = 0; step < 100; ++step) {
      const auto [value, derivative] = at(angle);
      (value > wanted ? high : low) = angle;
      double next = angle - (value - wanted) / derivative;
      if (!(next >= low && next <= high)) next = (low + high) / 2;
      if (std::abs(next - angle) <= 1e-15 * std::max(angle, 1e-300)) return next;
      angle = next;
    }
    return angle;
  }
};

bool project_dome(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                  double& v_px, double& depth_along_ray_m) {
  const Port& port = camera.port;
  const Vec3 point = into_camera(camera, point_m) - port.axis;  // from the dome's centre
  const double outer_m = port.distance_m + port.thickness_m, radius_m = point.norm(),
               offset_m = port.axis.norm();
  if (!(radius_m > outer_m)) return false;
  if (offset_m < 1e-12) {  // no ray is bent
    depth_along_ray_m = radius_m - outer_m;
    return image_of(camera, point, u_px, v_px);
  }
  const Vec3 outward = -port.axis / offset_m;  // from the dome's centre to the camera's
  const Vec3 across = outward.cross(point);
  const double wanted = std::atan2(across.norm(), outward.dot(point));
  const DomeAngle dome{port.distance_m,          outer_m, radius_m, offset_m, port.n_air / port.n_glass,
                       port.n_air / port.n_water};
  const double angle = dome.solve(wanted), lever_m = dome.water * offset_m * std::sin(angle);
  depth_along_ray_m =
      std::sqrt(radius_m * radius_m - lever_m * lever_m) - std::sqrt(outer_m * outer_m - lever_m * lever_m);
  const Vec3 side = across.norm() > 0 ? Vec3(across.cross(outward).normalized()) : Vec3::Zero();
  return image_of(camera, std::cos(angle) * outward + std::sin(angle) * side, u_px, v_px);
}

template <auto kProject>
bool project_pixel(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                   double& v_px) {
  double depth_m = 0;
  return kProject(camera, point_m, u_px, v_px, depth_m);
}

}  // namespace

constexpr RayOptics kFlatPortRays{cast_flat, cast_flat, project_flat, project_pixel<project_flat>};
constexpr RayOptics kDomePortRays{cast_dome, cast_dome, project_dome, project_pixel<project_dome>};

void set_port(RefractiveCamera& camera, const Port& port) {
  camera.optics = port.model == PortModel::flat ? &kFlatPortRays : &kDomePortRays;
  camera.port = port;
  if (port.model == PortModel::flat) camera.port.axis.normalize();  // files have few digits
}

}  // namespace aqbench
