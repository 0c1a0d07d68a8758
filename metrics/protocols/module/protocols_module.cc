// The protocols' part of the module `pipeline`: fusion of depths by Open3D.
#include <open3d/camera/PinholeCameraIntrinsic.h>
#include <open3d/geometry/RGBDImage.h>
#include <open3d/geometry/TriangleMesh.h>
#include <open3d/pipelines/integration/ScalableTSDFVolume.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "metrics/protocols/depth_fusion.h"

namespace aqbench {
namespace {

TriangleMesh fuse(std::span<const FusionView> views, const FusionKnobs& knobs) {
  namespace integration = open3d::pipelines::integration;
  integration::ScalableTSDFVolume volume(knobs.voxel_m, knobs.truncation_m,
                                         integration::TSDFVolumeColorType::NoColor);
  for (const FusionView& view : views) {
    const int width = static_cast<int>(view.width), height = static_cast<int>(view.height);
    open3d::geometry::RGBDImage image;
    image.depth_.Prepare(width, height, 1, 4);
    for (std::size_t i = 0; i < view.depth_m.size(); ++i) {
      const float depth = view.depth_m[i];
      *image.depth_.PointerAt<float>(static_cast<int>(i % view.width), static_cast<int>(i / view.width)) =
          std::isfinite(depth) && depth < knobs.max_depth_m ? depth : 0;
    }
    const auto& [K, pose] = view.estimate;
    Eigen::Matrix4d camera_from_world = Eigen::Matrix4d::Identity();
    camera_from_world.topLeftCorner<3, 3>() = pose.rotation.transpose();
    camera_from_world.topRightCorner<3, 1>() = -(pose.rotation.transpose() * pose.position_m);
    volume.Integrate(image, {width, height, K(0, 0), K(1, 1), K(0, 2), K(1, 2)}, camera_from_world);
  }
  const auto fused = volume.ExtractTriangleMesh();
  TriangleMesh mesh{fused->vertices_, {}};
  for (const Eigen::Vector3i& corners : fused->triangles_)
    mesh.triangles.push_back({static_cast<std::uint32_t>(corners[0]), static_cast<std::uint32_t>(corners[1]),
                              static_cast<std::uint32_t>(corners[2])});
  return mesh;
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::ProtocolsTable aqbench_protocols_table;
const aqbench::ProtocolsTable aqbench_protocols_table = {.fuse_depths = &aqbench::fuse};
