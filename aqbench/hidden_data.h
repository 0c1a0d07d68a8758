#pragma once
// The hidden data of the classes in aqbench/scenes.h; not installed.

#include <span>

#include "scenes/optics/camera.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/scene.h"

namespace aqbench::v1 {

// The program's scene inside a Scene.
struct SceneData {
  aqbench::Scene scene;
};

// The program's camera inside a Camera, prepared for projection.
struct CameraData {
  aqbench::Camera camera;
  RefractiveCamera refractive;
};

// Returns n x 3 values as n points, without a copy.
inline std::span<const Vec3> as_points(std::span<const double> values) {
  static_assert(sizeof(Vec3) == 3 * sizeof(double) && alignof(Vec3) <= alignof(double) * 2);
  return {reinterpret_cast<const Vec3*>(values.data()), values.size() / 3};
}

}  // namespace aqbench::v1
