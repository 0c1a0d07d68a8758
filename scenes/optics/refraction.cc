#include "scenes/optics/refraction.h"

namespace aqbench {

RefractiveCamera refractive_camera(const Camera& camera) {
  check(Rig{{camera}}, "rig");
  const Intrinsics& lens = camera.intrinsics;
  RefractiveCamera out;
  out.width_px = lens.width_px;
  out.height_px = lens.height_px;
  out.fx_px = lens.K(0, 0);
  out.fy_px = lens.K(1, 1);
  out.cx_px = lens.K(0, 2);
  out.cy_px = lens.K(1, 2);
  std::array<double, 9> rotation;
  std::array<double, 3> translation_m;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      rotation[3 * row + column] = camera.camera_from_world.rotation(row, column);
    translation_m[row] = camera.camera_from_world.translation_m[row];
  }
  set_pose(out, rotation, translation_m);
  if (const WaterInterface* const water = level_water(camera))
    set_water(out, water->water_z_m, water->n_air, water->n_water);
  return out;
}

}  // namespace aqbench
