#include "harness/scoring/true_surface.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/cloud/scan_project.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/depth_scan.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

std::vector<Scan> scans_of_depths(const RecordingTruth& truth, std::size_t frame,
                                  const Recording& recording) {
  std::vector<Scan> scans;
  for (const Camera& camera : recording.rig.cameras) {
    const std::filesystem::path file = true_depth_file(truth.dir, camera.name, frame);
    if (file.empty()) continue;
    scans.push_back(scan_of_depths(read_depth_map(file, camera), camera, file.string()));
  }
  return scans;
}

std::vector<Scan> scans_of_files(const SurfaceTruth& truth, std::size_t frame) {
  std::vector<Scan> scans;
  for (const std::string& name : truth.files)
    for (Scan& scan : read_scans(file_of_frame(name, frame), metres_per_unit(truth.unit).value()))
      scans.push_back(std::move(scan));
  return scans;
}

std::shared_ptr<const Surface> surface_of(const SurfaceTruth& truth, std::size_t frame, const Rig& rig) {
  std::vector<Vec3> cameras_m = cameras_of_signs(rig);
  const double metres = metres_per_unit(truth.unit).value();
  const std::filesystem::path first = file_of_frame(truth.files.front(), frame);
  if (truth.files.size() == 1 && first.extension() != ".mlp") {
    GeometryFile read = read_geometry_file(first);
    if (read.mesh) {
      for (Vec3& vertex : read.mesh->vertices_m) vertex *= metres;
      return make_mesh_surface(*std::move(read.mesh), MeshSide::outside, cameras_m);
    }
  }
  return make_truth_cloud(scans_of_files(truth, frame), {.cameras_m = std::move(cameras_m)});
}

}  // namespace

Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name,
                 const Recording& recording) {
  if (truth.scene_file) return read_dataset_scene(truth.dir.parent_path());
  if (truth.surface->from_depths)
    return {name, Parameters(), {make_truth_cloud(scans_of_depths(truth, frame, recording))}};
  try {
    return {name, Parameters(), {surface_of(*truth.surface, frame, recording.rig)}};
  } catch (const Error& error) {
    if (!error.file().empty()) throw;
    const std::string file = file_of_frame(truth.surface->files.front(), frame).string();
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()), file);
  }
}

std::vector<Scan> true_scans(const RecordingTruth& truth, std::size_t frame, const Recording& recording) {
  if (truth.scene_file || !truth.surface) return {};
  if (truth.surface->from_depths) return scans_of_depths(truth, frame, recording);
  if (truth.surface->files.size() == 1 &&
      read_geometry_file(file_of_frame(truth.surface->files.front(), frame)).mesh)
    return {};
  return scans_of_files(*truth.surface, frame);
}

ScoreOptions score_options_of(const RecordingTruth& truth, const Surface& surface, std::size_t points) {
  ScoreOptions options;
  if (!truth.surface) return options;
  const SurfaceScoring& scoring = truth.surface->scoring;
  if (!scoring.tolerances_m.empty()) options.tolerances_m = scoring.tolerances_m;
  options.outlier_m = scoring.outlier_m.value_or(options.outlier_m);
  options.sample_spacing_m = scoring.spacing_m ? *scoring.spacing_m : auto_spacing_m(surface, points);
  options.tile_m = scoring.tile_m ? *scoring.tile_m : auto_tile_m(surface);
  for (const std::string& crop : scoring.crops)
    add_crop(options.part.crop, crop, metres_per_unit(truth.surface->unit).value_or(1));
  options.part.max_distance_m = scoring.max_distance_m;
  options.part.leave_out_beyond_border = scoring.leave_out_beyond_border.value_or(true);
  return options;
}

}  // namespace aqbench
