#pragma once
// Refracted rays of a camera, and Embree on a mesh of the same surface.

#include <embree3/rtcore.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/rendering/imaging.h"

namespace aqbench {

inline constexpr int kBlockWidth = 512, kBlockHeight = 320;

// Refracted rays of a block of pixels in the middle of the centre camera, which all meet the patch.
struct RayBlock {
  RefractiveCamera camera;
  std::vector<Vec2> pixels;  // row-major
  std::vector<WaterRay> rays;
  std::vector<double> exact_m;  // depths
};

inline const PatchHeightField& field_of(const Scene& scene) {
  return renderable_surface(*scene.truth.surface, scene.name);
}

inline RayBlock make_block(const Scene& scene) {
  const Rig rig = make_rig("ring12", {}, 42);
  const Camera& centre = *find_camera(rig, "centre");
  RayBlock block{refractive_camera(centre), {}, {}, {}};
  const RayHitter hitter(field_of(scene));
  for (int row = 0; row < kBlockHeight; ++row)
    for (int column = 0; column < kBlockWidth; ++column) {
      const Vec2 pixel((centre.intrinsics.width_px - kBlockWidth) / 2 + column,
                       (centre.intrinsics.height_px - kBlockHeight) / 2 + row);
      block.pixels.push_back(pixel);
      block.rays.push_back(cast_ray(block.camera, pixel).value());
      block.exact_m.push_back(hitter.first_hit_m(block.rays.back()).value());
    }
  return block;
}

// Triangles under Embree's tree of boxes.
struct EmbreeScene {
  RTCDevice device = rtcNewDevice("threads=1");
  RTCScene scene = rtcNewScene(device);

  explicit EmbreeScene(const TriangleMesh& mesh) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.vertices_m.size()));
    for (const Vec3& vertex : mesh.vertices_m)
      for (int axis = 0; axis < 3; ++axis) *vertices++ = static_cast<float>(vertex[axis]);
    void* triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12,
                                              mesh.triangles.size());
    std::memcpy(triangles, mesh.triangles.data(), mesh.triangles.size() * 12);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
  }
  ~EmbreeScene() {
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
  }
  EmbreeScene(const EmbreeScene&) = delete;
  EmbreeScene& operator=(const EmbreeScene&) = delete;
};

template <int width>
using RayHits = std::conditional_t<width == 1, RTCRayHit, RTCRayHit16>;

template <class Field>
float* lanes(Field& field) {
  return reinterpret_cast<float*>(&field);
}

// `width` rays from `first` on, with mask -1.
template <int width>
RayHits<width> packet(const std::vector<WaterRay>& rays, std::size_t first) {
  RayHits<width> out{};
  for (int i = 0; i < width; ++i) {
    const WaterRay& ray = rays[first + static_cast<std::size_t>(i)];
    lanes(out.ray.org_x)[i] = static_cast<float>(ray.origin_m[0]);
    lanes(out.ray.org_y)[i] = static_cast<float>(ray.origin_m[1]);
    lanes(out.ray.org_z)[i] = static_cast<float>(ray.origin_m[2]);
    lanes(out.ray.dir_x)[i] = static_cast<float>(ray.direction[0]);
    lanes(out.ray.dir_y)[i] = static_cast<float>(ray.direction[1]);
    lanes(out.ray.dir_z)[i] = static_cast<float>(ray.direction[2]);
    lanes(out.ray.tfar)[i] = std::numeric_limits<float>::infinity();
    reinterpret_cast<unsigned*>(&out.ray.mask)[i] = ~0u;
    reinterpret_cast<unsigned*>(&out.hit.geomID)[i] = RTC_INVALID_GEOMETRY_ID;
  }
  return out;
}

}  // namespace aqbench
