#pragma once
// Views of a textured plane under water, by formula: no renderer, no files.

#include <Eigen/Core>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "pipeline/views/dataset_views.h"
#include "scenes/optics/rig.h"

namespace aqbench {

// z = z_m + slope . (x, y)
struct SyntheticPlane {
  double z_m = 1.178;
  Vec2 slope = Vec2::Zero();
};

// Aperiodic, 9 to 40 mm, within 0.1 and 0.9.
inline double synthetic_texture(double x_m, double y_m) {
  double sum = 0, golden = 0;
  for (int i = 0; i < 14; ++i) {
    golden += 0.6180339887;
    const double wavelength_m = 0.009 * std::pow(1.12, i), angle = 2 * std::numbers::pi * golden;
    sum += std::sin(2 * std::numbers::pi * (std::cos(angle) * x_m + std::sin(angle) * y_m) / wavelength_m +
                    7 * golden);
  }
  return 0.5 + 0.4 * std::tanh(sum / 3);
}

inline double depth_on_plane(const WaterRay& ray, const SyntheticPlane& plane) {
  const Vec3 normal(plane.slope.x(), plane.slope.y(), -1);
  return -(normal.dot(to_vec3(ray.origin_m)) + plane.z_m) / normal.dot(to_vec3(ray.direction));
}

// The cameras of a rig without images.
inline std::vector<DatasetView> blank_views(const Rig& rig) {
  std::vector<DatasetView> views(rig.cameras.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    views[i].name = rig.cameras[i].name;
    views[i].is_auxiliary = rig.cameras[i].is_auxiliary;
    views[i].camera = refractive_camera(rig.cameras[i]);
  }
  return views;
}

// The first `count` cameras of ring12 with small images about the centre of the plane, 2 mm a pixel.
inline std::vector<DatasetView> synthetic_views(int count, int width_px, int height_px,
                                                const SyntheticPlane& plane, double contrast = 1) {
  const Rig rig = make_rig("ring12", {}, 0);
  std::vector<DatasetView> views;
  for (int c = 0; c < count; ++c) {
    Camera camera = rig.cameras[static_cast<std::size_t>(c)];
    camera.intrinsics.width_px = width_px;
    camera.intrinsics.height_px = height_px;
    camera.intrinsics.K << 620, 0, (width_px - 1) / 2.0, 0, 620, (height_px - 1) / 2.0, 0, 0, 1;
    camera.intrinsics.distortion = {0, 0, 0, 0, 0};
    DatasetView view;
    view.name = camera.name;
    view.camera = refractive_camera(camera);
    for (int y = 0; y < height_px; ++y)
      for (int x = 0; x < width_px; ++x) {
        const WaterRay ray = *cast_ray(view.camera, Vec2(x, y));
        const Vec3 point = point_on_ray(ray, depth_on_plane(ray, plane));
        view.grey.push_back(
            static_cast<float>(0.5 + contrast * (synthetic_texture(point.x(), point.y()) - 0.5)));
      }
    view.inside.assign(view.grey.size(), 1);
    views.push_back(std::move(view));
  }
  return views;
}

inline std::vector<float> true_depths(const DatasetView& view, const SyntheticPlane& plane) {
  std::vector<float> depths_m;
  for (int y = 0; y < view.camera.height_px; ++y)
    for (int x = 0; x < view.camera.width_px; ++x)
      depths_m.push_back(static_cast<float>(depth_on_plane(*cast_ray(view.camera, Vec2(x, y)), plane)));
  return depths_m;
}

}  // namespace aqbench
