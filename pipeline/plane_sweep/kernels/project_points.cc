#include "pipeline/plane_sweep/kernels/project_points.h"

#include <cmath>
#include <limits>

#include "core/multiversion.h"
#include "scenes/optics/snell.h"

namespace aqbench::plane_sweep {
namespace {

struct ProjectionConstants {
  double rotation[9];
  double centre_m[3];
  double height_m, water_z_m;
  double fx_px, fy_px, cx_px, cy_px;
  SnellRatio<double> ratio;
};

// Written for the vectoriser: no branch, no bool that outlives a selection, no overlapping arrays.
template <bool kAirIsThinner>
AQBENCH_INLINE void project_all(const ProjectionConstants& constants, std::size_t count,
                                const double* __restrict x_m, const double* __restrict y_m,
                                const double* __restrict z_m, double* __restrict u_px,
                                double* __restrict v_px, double* __restrict ray_depth_m) {
  constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
  const ProjectionConstants c = constants;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = x_m[i] - c.centre_m[0], y = y_m[i] - c.centre_m[1], depth_m = z_m[i] - c.water_z_m;
    const double below_m = depth_m > 0 ? depth_m : kNowhere;
    const ApparentPoint<double> apparent =
        apparent_point<kAirIsThinner>(c.ratio, std::sqrt(x * x + y * y), c.height_m, below_m);
    const double z = apparent.height, tangent = apparent.water_tangent;
    const double camera_x = c.rotation[0] * x + c.rotation[1] * y + c.rotation[2] * z;
    const double camera_y = c.rotation[3] * x + c.rotation[4] * y + c.rotation[5] * z;
    const double camera_z = c.rotation[6] * x + c.rotation[7] * y + c.rotation[8] * z;
    const double inverse = 1 / (camera_z > 0 ? camera_z : kNowhere);
    u_px[i] = c.fx_px * camera_x * inverse + c.cx_px;
    v_px[i] = c.fy_px * camera_y * inverse + c.cy_px;
    ray_depth_m[i] = depth_m * std::sqrt(1 + tangent * tangent) + (inverse - inverse);
  }
}

AQBENCH_MULTIVERSION
void project_block(const ProjectionConstants& c, std::size_t count, const double* __restrict x_m,
                   const double* __restrict y_m, const double* __restrict z_m, double* __restrict u_px,
                   double* __restrict v_px, double* __restrict ray_depth_m) {
  if (c.ratio.air_is_thinner)
    project_all<true>(c, count, x_m, y_m, z_m, u_px, v_px, ray_depth_m);
  else
    project_all<false>(c, count, x_m, y_m, z_m, u_px, v_px, ray_depth_m);
}

}  // namespace

void PointBatch::resize(std::size_t size) {
  for (std::vector<double>* coordinate : {&x_m, &y_m, &z_m, &u_px, &v_px, &ray_depth_m})
    coordinate->resize(size);
}

void project_points(const FlatWaterCamera& camera, PointBatch& points) {
  ProjectionConstants c{};
  const std::array<double, 3> centre = centre_m(camera);
  for (int i = 0; i < 9; ++i) c.rotation[i] = camera.rotation[i];
  for (int i = 0; i < 3; ++i) c.centre_m[i] = centre[i];
  c.height_m = camera.water_z_m - centre[2];
  c.water_z_m = camera.water_z_m;
  c.ratio = snell_ratio<double>(camera.n_air, camera.n_water);
  c.fx_px = camera.fx_px;
  c.fy_px = camera.fy_px;
  c.cx_px = camera.cx_px;
  c.cy_px = camera.cy_px;
  project_block(c, points.size(), points.x_m.data(), points.y_m.data(), points.z_m.data(), points.u_px.data(),
                points.v_px.data(), points.ray_depth_m.data());
}

}  // namespace aqbench::plane_sweep
