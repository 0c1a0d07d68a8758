#include "harness/eval/eval_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "core/error.h"
#include "harness/eval/eval_cloud.h"
#include "harness/scoring/score_case.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/normal_agreement.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/measurable.h"
#include "scenes/cloud/transform.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

std::vector<Vec3> scaled(std::vector<Vec3> points, double factor) {
  for (Vec3& point : points) point *= factor;
  return points;
}

bool is_scan_project(const std::vector<std::string>& files) {
  return files.size() == 1 && std::filesystem::path(files[0]).extension() == ".mlp";
}

// Takes the vertices of a mesh, with normals.
void take_vertices(TriangleMesh mesh, double metres_per_unit, ProtocolInput& input) {
  mesh.vertices_m = scaled(std::move(mesh.vertices_m), metres_per_unit);
  input.mesh_vertices = vertices_with_normals(mesh);
  take_mesh_points(input, std::nullopt);
}

// Sets the truth's points and, where it has one, its surface.
void take_truth(const EvalCloudRequest& cloud, ProtocolInput& input) {
  const auto& files = cloud.truth_cloud_files.empty() ? cloud.truth_files : cloud.truth_cloud_files;
  if (is_scan_project(files)) {
    input.truth.scans = read_scan_project(files[0], cloud.truth_metres_per_unit);
    return;
  }
  const Scene scene = make_truth(cloud);
  input.surface = scene.truth.surface;
  input.truth.surface = input.surface.get();
  if (dynamic_cast<const TruthCloud*>(input.surface.get()) != nullptr)
    add_scans(read_truth_scans(cloud), input.truth, &input.scanned);
  else if (!files.empty())
    take_vertices(read_mesh(cloud.host.geometries, files[0]), cloud.truth_metres_per_unit, input);
  else if (cloud.scene.starts_with(kMeshPrefix))
    take_vertices(read_mesh_file(cloud.scene.substr(kMeshPrefix.size())), 1, input);
}

void take_cloud(const EvalCloudRequest& cloud, ProtocolInput& input) {
  Output output = open_cloud(cloud, std::nullopt);
  Reconstruction& reconstruction = output.reconstruction;
  if (input.surface != nullptr) {
    Placement placed = place_cloud(output, *input.surface, place_options(cloud, output));
    input.notes = std::move(placed.notes);
    input.transforms = *placed.transforms;
  } else {
    if (!cloud.place.steps.empty())
      throw usage_error("--align: not with a project of scans; give the scans themselves");
    reconstruction.cloud.points_m = scaled(std::move(reconstruction.cloud.points_m), cloud.metres_per_unit);
    if (const std::string& file = cloud.place.transform_file; !file.empty())
      apply(read_similarity(file), reconstruction);
  }
  input.cloud = std::move(reconstruction.cloud);
  input.mesh = std::move(reconstruction.mesh);
  if (!input.mesh) return;
  if (std::ranges::none_of(input.cloud.normals, has_direction))
    input.cloud = vertices_with_normals(*input.mesh);
  input.notes.push_back(
      fmt::format("{} is a mesh: protocols take its {} vertices, and its faces where the knob "
                  "mesh_cloud says so",
                  cloud.cloud_file, input.cloud.points_m.size()));
}

// Reads DTU's mask and its box.
ObservationMask read_mask(const EvalProtocolRequest& request, double metres_per_unit) {
  const auto& box = request.mask_box;
  const std::string ending = std::filesystem::path(request.mask_file).extension().string();
  if (ending == ".png")
    throw usage_error(
        "--mask: is what DTU's scanner observed, a volume; masks of images belong into the folder "
        "masks/ of --dataset (docs/layouts.md)");
  if (ending == ".mat") {
    if (!box.empty()) throw usage_error("--mask-box: a .mat file has its own box, BB and Res");
    const ObservedVolume observed = read_observed(request.mask_file, {}, metres_per_unit);
    return {observed.voxels, observed.high_m};
  }
  if (box.empty()) throw usage_error("--mask: an NPY array needs --mask-box");
  return {read_crop_mask(request.mask_file, metres_per_unit * Vec3(box[0], box[1], box[2]),
                         metres_per_unit * box[6]),
          metres_per_unit * Vec3(box[3], box[4], box[5])};
}

}  // namespace

bool asks_for_cameras(const EvalProtocolRequest& request) {
  const auto culls = [](const std::string& text) {
    return text.find("cull=") != std::string::npos && text.find("cull=no") == std::string::npos;
  };
  return std::ranges::any_of(request.knobs, culls) || std::ranges::any_of(request.explain, culls);
}

bool asks_for_surface(const EvalProtocolRequest& request) {
  const auto is_ours = [](const std::string& name) { return name == "aqbench" || name == "all"; };
  return is_ours(request.protocol) || !request.which.empty() ||
         std::ranges::any_of(request.explain, is_ours) ||
         std::ranges::find(request.knobs, "accuracy=surface") != request.knobs.end();
}

void take_mesh_points(ProtocolInput& input, std::optional<double> spacing_m) {
  if (input.mesh_vertices.points_m.empty()) return;
  if (!spacing_m) {
    input.truth.cloud = input.mesh_vertices;
    input.notes.push_back(fmt::format("the truth as points: the {} vertices of the mesh, not its faces",
                                      input.mesh_vertices.points_m.size()));
    return;
  }
  input.truth.cloud = {mesh_samples_m(*input.surface, *spacing_m), {}, {}};
  const auto points = static_cast<double>(input.truth.cloud.points_m.size());
  input.notes.push_back(fmt::format("the truth as points: {} on the faces of the mesh, {:.4g} mm apart",
                                    input.truth.cloud.points_m.size(),
                                    1e3 * std::sqrt(input.surface->area_m2() / points)));
}

ProtocolInput load_protocol_input(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  ProtocolInput input;
  take_truth(cloud, input);
  take_cloud(cloud, input);
  if (input.surface != nullptr)
    take_surface(*input.surface, effective_options(cloud, *input.surface, input.cloud.points_m.size()),
                 asks_for_surface(request), input.truth);
  if (!cloud.scoring.crops.empty())
    input.truth.crop = [crop = crop_of(cloud.scoring, cloud.truth_metres_per_unit)](const Vec3& point) {
      return crop.contains(point);
    };
  if (asks_for_cameras(request) && input.surface != nullptr)
    if (const auto rig = request_rig(cloud)) take_cameras(*input.surface, *rig, input.truth);
  if (cloud.recording) take_observed(observed_of(cloud.recording->recording), input.truth);
  if (!request.mask_file.empty()) input.truth.mask = read_mask(request, cloud.truth_metres_per_unit);
  if (!request.plane.empty())
    input.truth.plane = Eigen::Vector4d(request.plane[0], request.plane[1], request.plane[2],
                                        request.plane[3] * cloud.truth_metres_per_unit);
  return input;
}

std::string rounding_note(const std::string& protocol, const CloudKnobs& knobs, const ProtocolInput& input) {
  if (!knobs.single_precision) return {};
  double sum_m2 = 0, largest_m = 0;
  std::size_t points = 0;
  const auto look_at = [&](const Vec3& point) {
    if (!is_measurable(point)) return;
    sum_m2 += (point.cast<float>().cast<double>() - point).squaredNorm();
    largest_m = std::max(largest_m, point.cwiseAbs().maxCoeff());
    ++points;
  };
  for (const Vec3& point : input.cloud.points_m) look_at(point);
  for (const Vec3& point : input.truth.cloud.points_m) look_at(point);
  for (const BeamScan& scan : input.truth.scans)
    for (const Vec3& point : scan.points_m)
      look_at(scan.world_from_scanner.topLeftCorner<3, 3>() * point +
              scan.world_from_scanner.topRightCorner<3, 1>());
  const double rms_m = points == 0 ? 0 : std::sqrt(sum_m2 / static_cast<double>(points));
  if (!(rms_m > 0.01 * knobs.thresholds_m.front())) return {};
  return fmt::format(
      "{} computes in 32 bits: at coordinates of {:.3g} m that moves points by {:.3g} mm (rms), where its "
      "first "
      "threshold is {:g} mm; --knob single_precision=no computes in 64",
      protocol, largest_m, 1e3 * rms_m, 1e3 * knobs.thresholds_m.front());
}

}  // namespace aqbench
