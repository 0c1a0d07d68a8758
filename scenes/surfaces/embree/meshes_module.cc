// The module `meshes`: where rays meet faces, by Embree itself. Open3D 0.16's RaycastingScene leaves the mask
// of its rays at 0, with which Debian's Embree never hits.
#include <embree3/rtcore.h>

#include <cstring>
#include <limits>
#include <new>

#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

class EmbreeFaceSearch final : public FaceSearch {
 public:
  EmbreeFaceSearch(std::span<const float> vertices_xyz,
                   std::span<const std::array<std::uint32_t, 3>> triangles) {
    RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
    void* const vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                   3 * sizeof(float), vertices_xyz.size() / 3);
    void* const indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                                  sizeof(triangles[0]), triangles.size());
    if (vertices == nullptr || indices == nullptr) throw std::bad_alloc();
    std::memcpy(vertices, vertices_xyz.data(), vertices_xyz.size_bytes());
    std::memcpy(indices, triangles.data(), triangles.size_bytes());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneFlags(scene_, RTC_SCENE_FLAG_ROBUST);  // no ray slips through between two faces
    rtcCommitScene(scene_);
  }
  ~EmbreeFaceSearch() override {
    rtcReleaseScene(scene_);
    rtcReleaseDevice(device_);
  }
  EmbreeFaceSearch(const EmbreeFaceSearch&) = delete;
  EmbreeFaceSearch& operator=(const EmbreeFaceSearch&) = delete;

  void first_faces(std::span<const float> rays, std::span<std::uint32_t> faces) const override {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      const std::span<const float> given = rays.subspan(6 * i, 6);
      RTCRayHit cast{};
      cast.ray.org_x = given[0], cast.ray.org_y = given[1], cast.ray.org_z = given[2];
      cast.ray.dir_x = given[3], cast.ray.dir_y = given[4], cast.ray.dir_z = given[5];
      cast.ray.tfar = std::numeric_limits<float>::infinity();
      cast.ray.mask = ~0U;
      cast.hit.geomID = RTC_INVALID_GEOMETRY_ID;
      rtcIntersect1(scene_, &context, &cast);
      faces[i] = cast.hit.geomID == RTC_INVALID_GEOMETRY_ID ? UINT32_MAX : cast.hit.primID;
    }
  }

 private:
  RTCDevice device_ = rtcNewDevice("threads=1");
  RTCScene scene_ = rtcNewScene(device_);
};

std::unique_ptr<FaceSearch> make_embree_face_search(std::span<const float> vertices_xyz,
                                                    std::span<const std::array<std::uint32_t, 3>> triangles) {
  return std::make_unique<EmbreeFaceSearch>(vertices_xyz, triangles);
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::MeshesTable aqbench_meshes_table;
const aqbench::MeshesTable aqbench_meshes_table = {.make_face_search = &aqbench::make_embree_face_search};
