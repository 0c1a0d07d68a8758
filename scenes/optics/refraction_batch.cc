#include "scenes/optics/refraction_batch.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/multiversion.h"
#include "scenes/optics/snell.h"

namespace aqbench {
namespace {

// RefractiveCamera in float, with the focal lengths multiplied into the rotation's rows.
struct FloatCamera {
  float rows[3][3];  // [fx r0; fy r1; r2]
  float cx, cy;
  float centre_x, centre_y, centre_z;
  float water_z, h_air;
  SnellRatio<float> ratio;
};

FloatCamera float_camera(const RefractiveCamera& camera) {
  FloatCamera out{};
  const double scale[3] = {camera.fx_px, camera.fy_px, 1};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      out.rows[row][column] = static_cast<float>(scale[row] * camera.rotation[3 * row + column]);
  out.cx = static_cast<float>(camera.cx_px);
  out.cy = static_cast<float>(camera.cy_px);
  out.centre_x = static_cast<float>(camera.centre_m[0]);
  out.centre_y = static_cast<float>(camera.centre_m[1]);
  out.centre_z = static_cast<float>(camera.centre_m[2]);
  out.water_z = static_cast<float>(camera.water_z_m);
  out.h_air = static_cast<float>(camera.water_z_m - camera.centre_m[2]);
  out.ratio = snell_ratio<float>(camera.n_air, camera.n_water);
  return out;
}

void require_length(std::size_t expected, std::size_t length, const char* name) {
  if (length != expected) throw Error(ErrorKind::usage, std::string(name) + ": spans differ in length");
}

template <bool air_is_thinner>
AQBENCH_INLINE void project_loop(const FloatCamera& c, std::size_t count, const float* __restrict x,
                                 const float* __restrict y, const float* __restrict z, float* __restrict u,
                                 float* __restrict v, float* __restrict depth) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = x[i] - c.centre_x, dy = y[i] - c.centre_y;
    const float h_water = z[i] - c.water_z;
    const float rho = std::sqrt(dx * dx + dy * dy);
    const auto apparent = apparent_point<air_is_thinner>(c.ratio, rho, c.h_air, h_water);
    const float h = apparent.height;
    const float w = c.rows[2][0] * dx + c.rows[2][1] * dy + c.rows[2][2] * h;
    const float inverse = 1 / w;
    const bool valid = (h_water > 0) & (w > 0);
    const float pixel_u = c.cx + (c.rows[0][0] * dx + c.rows[0][1] * dy + c.rows[0][2] * h) * inverse;
    const float pixel_v = c.cy + (c.rows[1][0] * dx + c.rows[1][1] * dy + c.rows[1][2] * h) * inverse;
    const float along = h_water * std::sqrt(1 + apparent.water_tangent * apparent.water_tangent);
    u[i] = valid ? pixel_u : nan;
    v[i] = valid ? pixel_v : nan;
    depth[i] = valid ? along : nan;
  }
}

AQBENCH_MULTIVERSION
void project_air_thinner(const FloatCamera& c, std::size_t count, const float* x, const float* y,
                         const float* z, float* u, float* v, float* depth) {
  project_loop<true>(c, count, x, y, z, u, v, depth);
}

AQBENCH_MULTIVERSION
void project_water_thinner(const FloatCamera& c, std::size_t count, const float* x, const float* y,
                           const float* z, float* u, float* v, float* depth) {
  project_loop<false>(c, count, x, y, z, u, v, depth);
}

AQBENCH_MULTIVERSION
void project_straight_rays(const FloatCamera& c, std::size_t count, const float* __restrict x,
                           const float* __restrict y, const float* __restrict z, float* __restrict u,
                           float* __restrict v, float* __restrict depth) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = x[i] - c.centre_x, dy = y[i] - c.centre_y, dz = z[i] - c.centre_z;
    const float w = c.rows[2][0] * dx + c.rows[2][1] * dy + c.rows[2][2] * dz;
    const float inverse = 1 / w;
    const float pixel_u = c.cx + (c.rows[0][0] * dx + c.rows[0][1] * dy + c.rows[0][2] * dz) * inverse;
    const float pixel_v = c.cy + (c.rows[1][0] * dx + c.rows[1][1] * dy + c.rows[1][2] * dz) * inverse;
    const float along = std::sqrt(dx * dx + dy * dy + dz * dz);
    u[i] = w > 0 ? pixel_u : nan;
    v[i] = w > 0 ? pixel_v : nan;
    depth[i] = w > 0 ? along : nan;
  }
}

auto float_projection(const RefractiveCamera& camera) {
  if (camera.optics == &kStraightRays) return &project_straight_rays;
  return camera.ratio.air_is_thinner ? &project_air_thinner : &project_water_thinner;
}

struct FloatCaster {
  float columns[3][3];  // world_from_camera
  float inverse_fx, inverse_fy, cx, cy;
  float centre_x, centre_y, origin_z, h_air, eta;
};

AQBENCH_MULTIVERSION
void cast_straight_kernel(const FloatCaster& c, std::size_t count, const float* __restrict u,
                          const float* __restrict v, float* __restrict origin_x, float* __restrict origin_y,
                          float* __restrict origin_z, float* __restrict direction_x,
                          float* __restrict direction_y, float* __restrict direction_z) {
  for (std::size_t i = 0; i < count; ++i) {
    const float a = (u[i] - c.cx) * c.inverse_fx, b = (v[i] - c.cy) * c.inverse_fy;
    const float x = c.columns[0][0] * a + c.columns[0][1] * b + c.columns[0][2];
    const float y = c.columns[1][0] * a + c.columns[1][1] * b + c.columns[1][2];
    const float z = c.columns[2][0] * a + c.columns[2][1] * b + c.columns[2][2];
    const float scale = 1 / std::sqrt(x * x + y * y + z * z);
    origin_x[i] = c.centre_x;
    origin_y[i] = c.centre_y;
    origin_z[i] = c.origin_z;
    direction_x[i] = x * scale;
    direction_y[i] = y * scale;
    direction_z[i] = z * scale;
  }
}

AQBENCH_MULTIVERSION
void cast_kernel(const FloatCaster& c, std::size_t count, const float* __restrict u,
                 const float* __restrict v, float* __restrict origin_x, float* __restrict origin_y,
                 float* __restrict origin_z, float* __restrict direction_x, float* __restrict direction_y,
                 float* __restrict direction_z) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    const float a = (u[i] - c.cx) * c.inverse_fx, b = (v[i] - c.cy) * c.inverse_fy;
    const float x = c.columns[0][0] * a + c.columns[0][1] * b + c.columns[0][2];
    const float y = c.columns[1][0] * a + c.columns[1][1] * b + c.columns[1][2];
    const float z = c.columns[2][0] * a + c.columns[2][1] * b + c.columns[2][2];
    // eta times the unit vector in air, its z replaced by Snell's law.
    const float scale = c.eta / std::sqrt(x * x + y * y + z * z);
    const float dx = x * scale, dy = y * scale;
    const float dz2 = 1 - dx * dx - dy * dy;
    const bool valid = (z > 0) & (dz2 > 0);
    const float dz = std::sqrt(dz2);
    const float reach = c.h_air / z;
    const float at_x = c.centre_x + x * reach, at_y = c.centre_y + y * reach;
    origin_x[i] = valid ? at_x : nan;
    origin_y[i] = valid ? at_y : nan;
    origin_z[i] = valid ? c.origin_z : nan;
    direction_x[i] = valid ? dx : nan;
    direction_y[i] = valid ? dy : nan;
    direction_z[i] = valid ? dz : nan;
  }
}

// RefractiveCamera as the double loop needs it. Unlike FloatCamera it keeps rotation and focal lengths apart:
// the bits of every depth map depend on it.
struct DoubleCamera {
  double rotation[9];
  double centre_m[3];
  double height_m, water_z_m;
  double fx_px, fy_px, cx_px, cy_px;
  SnellRatio<double> ratio;
};

// Written for the vectoriser: no branch, no bool that outlives a selection, no overlapping arrays.
template <bool kAirIsThinner>
AQBENCH_INLINE void project_all(const DoubleCamera& constants, std::size_t count,
                                const double* __restrict x_m, const double* __restrict y_m,
                                const double* __restrict z_m, double* __restrict u_px,
                                double* __restrict v_px, double* __restrict ray_depth_m) {
  constexpr double kNoLength = std::numeric_limits<double>::quiet_NaN();
  const DoubleCamera c = constants;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = x_m[i] - c.centre_m[0], y = y_m[i] - c.centre_m[1], depth_m = z_m[i] - c.water_z_m;
    const double below_m = depth_m > 0 ? depth_m : kNoLength;
    const ApparentPoint<double> apparent =
        apparent_point<kAirIsThinner>(c.ratio, std::sqrt(x * x + y * y), c.height_m, below_m);
    const double z = apparent.height, tangent = apparent.water_tangent;
    const double camera_x = c.rotation[0] * x + c.rotation[1] * y + c.rotation[2] * z;
    const double camera_y = c.rotation[3] * x + c.rotation[4] * y + c.rotation[5] * z;
    const double camera_z = c.rotation[6] * x + c.rotation[7] * y + c.rotation[8] * z;
    const double inverse = 1 / (camera_z > 0 ? camera_z : kNoLength);
    u_px[i] = c.fx_px * camera_x * inverse + c.cx_px;
    v_px[i] = c.fy_px * camera_y * inverse + c.cy_px;
    ray_depth_m[i] = depth_m * std::sqrt(1 + tangent * tangent) + (inverse - inverse);
  }
}

AQBENCH_MULTIVERSION
void project_straight_block(const DoubleCamera& constants, std::size_t count, const double* __restrict x_m,
                            const double* __restrict y_m, const double* __restrict z_m,
                            double* __restrict u_px, double* __restrict v_px,
                            double* __restrict ray_depth_m) {
  constexpr double kNoLength = std::numeric_limits<double>::quiet_NaN();
  const DoubleCamera c = constants;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = x_m[i] - c.centre_m[0], y = y_m[i] - c.centre_m[1], z = z_m[i] - c.centre_m[2];
    const double camera_x = c.rotation[0] * x + c.rotation[1] * y + c.rotation[2] * z;
    const double camera_y = c.rotation[3] * x + c.rotation[4] * y + c.rotation[5] * z;
    const double camera_z = c.rotation[6] * x + c.rotation[7] * y + c.rotation[8] * z;
    const double inverse = 1 / (camera_z > 0 ? camera_z : kNoLength);
    u_px[i] = c.fx_px * camera_x * inverse + c.cx_px;
    v_px[i] = c.fy_px * camera_y * inverse + c.cy_px;
    ray_depth_m[i] = std::sqrt(x * x + y * y + z * z) + (inverse - inverse);
  }
}

AQBENCH_MULTIVERSION
void project_block(const DoubleCamera& c, std::size_t count, const double* __restrict x_m,
                   const double* __restrict y_m, const double* __restrict z_m, double* __restrict u_px,
                   double* __restrict v_px, double* __restrict ray_depth_m) {
  if (c.ratio.air_is_thinner)
    project_all<true>(c, count, x_m, y_m, z_m, u_px, v_px, ray_depth_m);
  else
    project_all<false>(c, count, x_m, y_m, z_m, u_px, v_px, ray_depth_m);
}

// ---- Ports: point by point, by the exact formulas ----

bool has_port(const RefractiveCamera& camera) {
  return camera.optics != &kStraightRays && !looks_through_level_water(camera);
}

void project_through_port(const RefractiveCamera& camera, const PointSpans& points, const PixelSpans& out) {
  for (std::size_t i = 0; i < points.x_m.size(); ++i) {
    double u = 0, v = 0, depth_m = 0;
    if (!project(camera, {points.x_m[i], points.y_m[i], points.z_m[i]}, u, v, depth_m))
      u = v = depth_m = std::numeric_limits<double>::quiet_NaN();
    out.u_px[i] = static_cast<float>(u);
    out.v_px[i] = static_cast<float>(v);
    if (!out.depth_along_ray_m.empty()) out.depth_along_ray_m[i] = static_cast<float>(depth_m);
  }
}

void project_through_port(const RefractiveCamera& camera, PointBatch& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!project(camera, {points.x_m[i], points.y_m[i], points.z_m[i]}, points.u_px[i], points.v_px[i],
                 points.ray_depth_m[i]))
      points.u_px[i] = points.v_px[i] = points.ray_depth_m[i] = std::numeric_limits<double>::quiet_NaN();
}

void cast_through_port(const RefractiveCamera& camera, std::span<const float> u_px,
                       std::span<const float> v_px, const RaySpans& out) {
  for (std::size_t i = 0; i < u_px.size(); ++i) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    WaterRay ray;
    if (!cast_ray(camera, u_px[i], v_px[i], ray)) ray = {{kNone, kNone, kNone}, {kNone, kNone, kNone}};
    out.origin_x_m[i] = static_cast<float>(ray.origin_m[0]);
    out.origin_y_m[i] = static_cast<float>(ray.origin_m[1]);
    out.origin_z_m[i] = static_cast<float>(ray.origin_m[2]);
    out.direction_x[i] = static_cast<float>(ray.direction[0]);
    out.direction_y[i] = static_cast<float>(ray.direction[1]);
    out.direction_z[i] = static_cast<float>(ray.direction[2]);
  }
}

}  // namespace

void project_points(const RefractiveCamera& camera, const PointSpans& points, const PixelSpans& out) {
  const std::size_t count = points.x_m.size();
  for (const std::size_t length : {points.y_m.size(), points.z_m.size(), out.u_px.size(), out.v_px.size()})
    require_length(count, length, "project_points");
  if (!out.depth_along_ray_m.empty()) require_length(count, out.depth_along_ray_m.size(), "project_points");
  if (has_port(camera)) return project_through_port(camera, points, out);
  const FloatCamera c = float_camera(camera);
  const auto kernel = float_projection(camera);
  // Unwanted depths go to a scratch block that stays in the cache.
  constexpr std::size_t kBlock = 1024;
  float scratch[kBlock];
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t length = count - begin < kBlock ? count - begin : kBlock;
    float* depth = out.depth_along_ray_m.empty() ? scratch : out.depth_along_ray_m.data() + begin;
    kernel(c, length, points.x_m.data() + begin, points.y_m.data() + begin, points.z_m.data() + begin,
           out.u_px.data() + begin, out.v_px.data() + begin, depth);
  }
}

void cast_rays(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px,
               const RaySpans& out) {
  const std::size_t count = u_px.size();
  for (const std::size_t length :
       {v_px.size(), out.origin_x_m.size(), out.origin_y_m.size(), out.origin_z_m.size(),
        out.direction_x.size(), out.direction_y.size(), out.direction_z.size()})
    require_length(count, length, "cast_rays");
  if (has_port(camera)) return cast_through_port(camera, u_px, v_px, out);
  FloatCaster c{};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      c.columns[row][column] = static_cast<float>(camera.rotation[3 * column + row]);
  c.inverse_fx = static_cast<float>(1 / camera.fx_px);
  c.inverse_fy = static_cast<float>(1 / camera.fy_px);
  c.cx = static_cast<float>(camera.cx_px);
  c.cy = static_cast<float>(camera.cy_px);
  c.centre_x = static_cast<float>(camera.centre_m[0]);
  c.centre_y = static_cast<float>(camera.centre_m[1]);
  c.h_air = static_cast<float>(camera.water_z_m - camera.centre_m[2]);
  c.eta = static_cast<float>(camera.n_air / camera.n_water);
  const bool straight = camera.optics == &kStraightRays;
  c.origin_z = static_cast<float>(straight ? camera.centre_m[2] : camera.water_z_m);
  (straight ? cast_straight_kernel : cast_kernel)(
      c, count, u_px.data(), v_px.data(), out.origin_x_m.data(), out.origin_y_m.data(), out.origin_z_m.data(),
      out.direction_x.data(), out.direction_y.data(), out.direction_z.data());
}

void PointBatch::resize(std::size_t size) {
  for (std::vector<double>* coordinate : {&x_m, &y_m, &z_m, &u_px, &v_px, &ray_depth_m})
    coordinate->resize(size);
}

void project_points(const RefractiveCamera& camera, PointBatch& points) {
  if (has_port(camera)) return project_through_port(camera, points);
  DoubleCamera c{};
  for (int i = 0; i < 9; ++i) c.rotation[i] = camera.rotation[i];
  for (int i = 0; i < 3; ++i) c.centre_m[i] = camera.centre_m[i];
  c.height_m = camera.water_z_m - camera.centre_m[2];
  c.water_z_m = camera.water_z_m;
  c.ratio = camera.ratio;
  c.fx_px = camera.fx_px;
  c.fy_px = camera.fy_px;
  c.cx_px = camera.cx_px;
  c.cy_px = camera.cy_px;
  const auto block = camera.optics == &kStraightRays ? &project_straight_block : &project_block;
  block(c, points.size(), points.x_m.data(), points.y_m.data(), points.z_m.data(), points.u_px.data(),
        points.v_px.data(), points.ray_depth_m.data());
}

}  // namespace aqbench
