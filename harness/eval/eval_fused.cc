#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/error.h"
#include "harness/eval/eval_protocol.h"
#include "harness/eval/file_family.h"
#include "harness/eval/given_geometry.h"
#include "metrics/protocols/depth_fusion.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench {
namespace {

// Depth maps along z, a camera of each by the estimate and one by the truth.
struct FusionFiles {
  std::vector<FileArray> maps;
  std::vector<FusionView> views;  // of `maps`
  GeometryFile truth;
};

FusionCamera fusion_camera(const Camera& camera, const std::string& file, double metres_per_unit) {
  const Intrinsics& inside = camera.intrinsics;
  if (std::ranges::any_of(inside.distortion, [](double value) { return value != 0; }))
    throw input_error.of_file(file, "camera {}: its lens distorts; fused depths need pinhole cameras",
                              camera.name);
  return {inside.K,
          {camera.camera_from_world.rotation.transpose(),
           camera_centre_m(camera.camera_from_world) * metres_per_unit}};
}

const Camera& camera_called(const Rig& rig, const std::string& name, const std::string& file) {
  for (const Camera& camera : rig.cameras)  // "frame_01", "frame_01.png", "images/frame_01.png"
    if (std::filesystem::path(camera.name).stem() == name) return camera;
  throw input_error.of_file(file, "has no camera called {}", name);
}

// A map for each camera: files of its name, or a stack in the order of the cameras.
std::vector<std::pair<std::string, FileArray>> read_maps_of(const EvalProtocolRequest& request,
                                                            const EvalCloudRequest& cloud, const Rig& rig,
                                                            Notes& notes) {
  std::vector<std::pair<std::string, FileArray>> maps;
  for (const auto& [name, file] : files_at(cloud.cloud_file)) {
    FileArray all = read_depth_maps(file, cloud.metres_per_unit, request, notes);
    if (!name.empty()) {
      if (all.shape.size() != 2) throw input_error.of_file(file, "is a stack in a folder: expected one map");
      maps.emplace_back(name, std::move(all));
      continue;
    }
    if (all.shape.size() == 2) all.shape.insert(all.shape.begin(), 1);
    if (all.shape[0] != rig.cameras.size())
      throw input_error.of_file(file, "{} maps for the {} cameras of {}", all.shape[0], rig.cameras.size(),
                                cloud.place.cameras_file);
    const std::size_t size = all.shape[1] * all.shape[2];
    for (std::size_t i = 0; i < all.shape[0]; ++i) {
      const auto first = all.values.begin() + static_cast<std::ptrdiff_t>(i * size);
      maps.emplace_back(
          std::filesystem::path(rig.cameras[i].name).stem().string(),
          FileArray{file, {all.shape[1], all.shape[2]}, {first, first + static_cast<std::ptrdiff_t>(size)}});
    }
  }
  return maps;
}

void take_pixels(const FileArray& mask, FileArray& map) {
  require_sizes(mask, map, 2);
  for (std::size_t i = 0; i < map.values.size(); ++i)
    if (mask.values[i] == 0) map.values[i] = 0;
}

std::shared_ptr<const FusionFiles> read_fusion(const EvalProtocolRequest& request,
                                               const EvalCloudRequest& cloud, Notes& notes) {
  const std::string &own_file = cloud.place.cameras_file, &true_file = cloud.place.true_cameras_file;
  if (own_file.empty() || true_file.empty())
    throw usage_error("--protocol {}: needs --cameras and --truth-cameras", request.protocol);
  const Rig own = read_rig_file(own_file).rig, truth = read_rig_file(true_file).rig;
  auto files = std::make_shared<FusionFiles>();
  FilesByName masks;
  if (!request.mask_file.empty()) masks = files_at(request.mask_file);
  for (auto& [name, map] : read_maps_of(request, cloud, own, notes)) {
    if (!masks.empty()) take_pixels(read_file_array(file_named(masks, name, request.mask_file)), map);
    FusionView view{map.shape[0], map.shape[1], {}, {}, {}};
    const Camera& estimate = camera_called(own, name, own_file);
    const Intrinsics& inside = estimate.intrinsics;
    if (static_cast<std::size_t>(inside.width_px) != view.width ||
        static_cast<std::size_t>(inside.height_px) != view.height)
      throw input_error.of_file(map.file, "{} x {} values, but camera {} has {} rows x {} columns",
                                view.height, view.width, estimate.name, inside.height_px, inside.width_px);
    view.estimate = fusion_camera(estimate, own_file, cloud.metres_per_unit);
    view.truth = fusion_camera(camera_called(truth, name, true_file), true_file, cloud.truth_metres_per_unit);
    files->views.push_back(view);
    files->maps.push_back(std::move(map));
  }
  for (std::size_t i = 0; i < files->maps.size(); ++i) files->views[i].depth_m = files->maps[i].values;
  files->truth = read_geometry(cloud.host.geometries, cloud.truth_files[0]);
  for (Vec3& point : files->truth.cloud.points_m) point *= cloud.truth_metres_per_unit;
  if (files->truth.mesh) files->truth.mesh->vertices_m = files->truth.cloud.points_m;
  return files;
}

}  // namespace

bool uses_cameras(std::string_view protocol) {
  return find_protocol(fusion_protocols(), protocol) != nullptr;
}

SearchedFamily open_fused_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                                 Notes& notes) {
  if (!request.confidence_file.empty()) throw usage_error("--confidence: not with fused depths");
  return searched_family<FusionKnobs>(
      fusion_knobs(), [files = read_fusion(request, cloud, notes)](const FusionKnobs& knobs) {
        // Points of a true mesh as of a fused one.
        const std::vector<Vec3> truth_m =
            files->truth.mesh
                ? spread_over(*files->truth.mesh, knobs.samples, static_cast<std::uint64_t>(knobs.seed) + 1)
                : files->truth.cloud.points_m;
        return fused_depth_errors(files->views, truth_m, knobs);
      });
}

}  // namespace aqbench
