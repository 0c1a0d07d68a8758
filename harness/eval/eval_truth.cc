#include "harness/eval/eval_cloud.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "harness/datasets/project_datasets.h"
#include "harness/records/case.h"
#include "harness/scoring/depth_score.h"
#include "harness/scoring/true_surface.h"
#include "metrics/registry.h"
#include "scenes/cloud/length_units.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/own_rig.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

void tell_notes(const EvalHost& host, const std::vector<std::string>& notes) {
  for (const std::string& note : notes) host.tell(fmt::format("aqbench: note: {}", printable(note)));
}

// Flags of the user stay.
void take_declared_scoring(const SurfaceTruth& surface, EvalCloudRequest& request) {
  SurfaceScoring& scoring = request.scoring;
  const SurfaceScoring& declared = surface.scoring;
  if (scoring.crops.empty()) request.truth_metres_per_unit = metres_per_unit(surface.unit).value_or(1);
  const auto take = [](auto& given, const auto& other) {
    if (given == std::decay_t<decltype(given)>()) given = other;
  };
  take(scoring.crops, declared.crops);
  take(scoring.tolerances_m, declared.tolerances_m);
  take(scoring.outlier_m, declared.outlier_m);
  take(scoring.spacing_m, declared.spacing_m);
  take(scoring.tile_m, declared.tile_m);
  take(scoring.max_distance_m, declared.max_distance_m);
  take(scoring.leave_out_beyond_border, std::optional(declared.leave_out_beyond_border.value_or(true)));
}

// What the truth is made of, as given.
const std::vector<std::string>& scan_names(const EvalCloudRequest& request) {
  if (!request.truth_depths.empty()) return request.truth_depths;
  return request.truth_cloud_files.empty() ? request.truth_files : request.truth_cloud_files;
}

void set_scanners(const EvalCloudRequest& request, std::vector<Scan>& scans) {
  if (!request.scanners.empty() && request.scanners.size() != scans.size())
    throw usage_error("--scanner: given {} times for {} scans", request.scanners.size(), scans.size());
  for (std::size_t i = 0; i < request.scanners.size(); ++i)
    scans[i].scanner_m = request.scanners[i] * request.truth_metres_per_unit;
}

void warn_of_truth(const std::string& file, const std::vector<Vec3>& points_m,
                   const EvalCloudRequest& request) {
  warn_of_steps(file, coordinate_steps(SpanBlocks(points_m), request.truth_metres_per_unit), request);
}

std::vector<Vec3> cameras_of_request(const EvalCloudRequest& request) {
  const auto rig = request_rig(request);
  return rig ? cameras_of_signs(*rig) : std::vector<Vec3>();
}

Scene truth_from_scans(const EvalCloudRequest& request, std::vector<Scan> scans) {
  for (const Scan& scan : scans) warn_of_truth(scan.file, scan.cloud.points_m, request);
  TruthCloudOptions options = request.truth_cloud;
  options.cameras_m = cameras_of_request(request);
  return {fmt::format("{}:{}", request.truth_depths.empty() ? "scan" : "depth",
                      fmt::join(scan_names(request), "+")),
          {},
          {make_truth_cloud(std::move(scans), options)}};
}

Scene truth_from_mesh(const EvalCloudRequest& request, const std::string& file, TriangleMesh mesh,
                      const std::vector<Vec3>& cameras_m) {
  for (Vec3& vertex : mesh.vertices_m) vertex *= request.truth_metres_per_unit;
  warn_of_truth(file, mesh.vertices_m, request);
  try {
    return {std::string(kMeshPrefix) + file,
            {},
            {make_mesh_surface(std::move(mesh), MeshSide::outside, cameras_m)}};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()), file);
  }
}

}  // namespace

void use_dataset(EvalCloudRequest& request, bool needs_surface) {
  if (request.dataset_dir.empty()) return;
  const PlacedDataset placed = place_dataset(current_datasets(), request.dataset_dir);
  request.dataset_dir = placed.directory.string();
  const bool is_rendered = path_exists(placed.directory / "truth" / "scene.json") &&
                           path_exists(placed.directory / "calibration.json");
  if (is_rendered) return;
  EvalRecording& read = request.recording.emplace();
  read.recording = read_recording(placed.directory);
  read.truth = find_recording_truth(read.recording, placed.truth);
  if (request.frame >= read.recording.images.size())
    throw usage_error("--frame {}: the recording has {} frames, from 0", request.frame,
                      read.recording.images.size());
  check_images(read.recording, request.frame);
  if (read.recording.without_image > 0)
    request.place.warn(fmt::format("{}: {} without an image: left out", request.dataset_dir,
                                   counted(read.recording.without_image, "camera")));
  load_masks(read.recording, request.frame);
  if (!needs_surface) return;
  if (!read.truth.has_surface())
    throw Error(
        ErrorKind::input,
        fmt::format("{0}: has no true surface; give --truth FILE, or name one in {0}/truth/truth.json or "
                    "aqbench.json (docs/dataset.md)",
                    request.dataset_dir),
        request.dataset_dir);
  if (!read.truth.surface) return;
  check_truth_unit(read.recording, read.truth);
  take_declared_scoring(*read.truth.surface, request);
}

std::optional<Rig> request_rig(const EvalCloudRequest& request) {
  if (request.rig.empty() && request.dataset_dir.empty()) return std::nullopt;
  if (request.recording) return request.recording->recording.rig;
  if (request.rig.empty())
    return read_calibration(std::filesystem::path(request.dataset_dir) / "calibration.json");
  constexpr std::uint64_t kJitterSeed = 42;  // render's default
  const RigSpec& spec = rig_spec(request.rig);
  const bool placed = is_rig_file(request.rig) && !request.scene.empty();
  const Scene scene = placed ? make_scene(request.scene, request.overrides) : Scene();
  return make_scene_rig(request.rig, resolve_parameters(spec.name, spec.parameters, request.overrides),
                        kJitterSeed, &scene)
      .rig;
}

std::vector<Scan> read_truth_scans(const EvalCloudRequest& request) {
  std::vector<Scan> scans;
  if (!request.truth_depths.empty()) {
    const Rig rig = *request_rig(request);
    std::vector<std::string> notes;
    for (const std::string& given : request.truth_depths)
      scans.push_back(read_depth_scan(given, request.truth_depth_meaning, rig, notes));
    tell_notes(request.host, notes);
  } else {
    for (const std::string& file : scan_names(request))
      scans.push_back(scan_of(read_geometry(request.host.geometries, file, request.truth_columns), file,
                              request.truth_metres_per_unit));
  }
  set_scanners(request, scans);
  return scans;
}

Scene make_truth(const EvalCloudRequest& request) {
  const std::vector<std::string>& meshes_or_scans = request.truth_files;
  if (meshes_or_scans.empty() ? !scan_names(request).empty() : meshes_or_scans.size() > 1)
    return truth_from_scans(request, read_truth_scans(request));
  if (meshes_or_scans.size() == 1) {
    GeometryFile read = read_geometry(request.host.geometries, meshes_or_scans[0], request.truth_columns);
    if (!read.mesh) {
      std::vector<Scan> scans;
      scans.push_back(scan_of(std::move(read), meshes_or_scans[0], request.truth_metres_per_unit));
      set_scanners(request, scans);
      return truth_from_scans(request, std::move(scans));
    }
    if (!request.scanners.empty())
      throw usage_error("--scanner: the truth is a mesh; --truth-cloud takes its vertices as a scan");
    return truth_from_mesh(request, meshes_or_scans[0], *std::move(read.mesh), cameras_of_request(request));
  }
  if (request.scene.empty() && request.recording) {
    const auto& [recording, truth] = *request.recording;
    if (truth.surface && truth.surface->from_depths)
      tell_notes(request.host,
                 notes_of_depths(truth.dir.string(), {},
                                 count_far_depths(recording.rig.cameras, recording.dir, request.frame)));
    return true_scene(truth, request.frame, std::string(kDatasetPrefix) + request.dataset_dir, recording);
  }
  if (request.scene.empty()) return read_dataset_scene(request.dataset_dir);
  const std::string mesh =
      request.scene.starts_with(kMeshPrefix) ? request.scene.substr(kMeshPrefix.size()) : "";
  if (find_given(request.host.geometries, mesh) != nullptr)
    return truth_from_mesh(request, mesh, read_mesh(request.host.geometries, mesh), {});
  Scene scene = make_scene(request.scene, request.overrides);
  constexpr double kAnyPitch_m = 1;  // a mesh is as it is
  if (!mesh.empty()) warn_of_truth(mesh, scene.truth.surface->mesh(kAnyPitch_m).vertices_m, request);
  return scene;
}

void warn_of_steps(const std::string& file, const CoordinateSteps& steps, const EvalCloudRequest& request) {
  constexpr double kShareOfTolerance = 0.1;
  const std::vector<double>& given = request.scoring.tolerances_m;
  const std::vector<double>& tolerances_m = given.empty() ? default_tolerances_m() : given;
  if (steps.float_step_m > kShareOfTolerance * *std::ranges::min_element(tolerances_m))
    request.place.warn(
        fmt::format("{}: its coordinates are numbers of 32 bits, which have steps of {:.3g} m at {:.3g} m: "
                    "errors of that "
                    "size come from the file; store them as 64 bits, or less an offset",
                    file, steps.float_step_m, steps.largest_m));
}

Output open_cloud(const EvalCloudRequest& request, std::optional<std::size_t> most_in_memory) {
  const auto& in_memory = request.host.geometries;
  const GivenGeometry* const given = find_given(in_memory, request.cloud_file);
  Output output;
  if (most_in_memory && std::ranges::none_of(request.place.steps, searches_for_truth)) {
    if (given == nullptr)
      output.blocks = open_cloud_blocks(request.cloud_file, *most_in_memory + 1, request.columns);
    else if (given->normals.empty() && given->corners.empty() && !request.columns)
      output.blocks = std::make_shared<SpanBlocks>(given->points);
  }
  if (output.blocks) return output;
  GeometryFile read = read_geometry(in_memory, request.cloud_file, request.columns);
  output.reconstruction = {.cloud = std::move(read.cloud), .mesh = std::move(read.mesh), .depth_maps = {}};
  return output;
}

PlaceOptions place_options(const EvalCloudRequest& request, const Output& output) {
  PlaceOptions place = request.place;
  if (request.given_thresholds) place.tau_m = request.scoring.tolerances_m.front();
  place.crop = crop_of(request.scoring, request.truth_metres_per_unit);
  const CoordinateSteps steps = with_cloud(
      output, [&](const CloudBlocks& cloud) { return coordinate_steps(cloud, request.metres_per_unit); });
  warn_of_steps(request.cloud_file, steps, request);
  place.largest_coordinate_m = steps.largest_m;
  place.hints = {.name = request.cloud_file,
                 .metres_per_unit = request.metres_per_unit,
                 .truth_metres_per_unit = request.truth_metres_per_unit};
  return place;
}

std::string positive_side(const Surface& truth, bool has_cameras) {
  if (has_cameras || dynamic_cast<const BorderedSurface*>(&truth) == nullptr) return kTowardsCameras;
  return faces_of(truth) != nullptr ? "outside of closed parts, else -z" : "at the scanner, else towards -z";
}

std::string faces_text(const FaceCounts& counts) {
  if (counts.repeated + counts.without_area == 0) return {};
  return fmt::format("{} of {} triangles count: {} repeat another one, {} have no area",
                     counts.faces - counts.repeated - counts.without_area, counts.faces, counts.repeated,
                     counts.without_area);
}

ScoreOptions effective_options(const EvalCloudRequest& request, const Surface& truth, std::size_t points) {
  ScoreOptions options = score_options(request.scoring, request.truth_metres_per_unit, truth, points);
  const auto& beyond_border = request.scoring.leave_out_beyond_border;
  const bool may_end = dynamic_cast<const BorderedSurface*>(&truth) != nullptr;
  if (beyond_border && !may_end)
    throw usage_error("--border: the surface of a scene goes on beyond its patch");
  const bool is_scan = dynamic_cast<const TruthCloud*>(&truth) != nullptr;
  if (!beyond_border)
    options.part.leave_out_beyond_border = may_end && (is_scan || options.part.max_distance_m.has_value());
  check(options);
  return options;
}

Json faces_json(const FaceCounts& counts) {
  return {{"triangles", counts.faces}, {"repeated", counts.repeated}, {"without_area", counts.without_area}};
}

Json scoring_json(const EvalCloudRequest& request, const Surface& truth, const ScoreOptions& options) {
  Json json = {{"thresholds_m", options.tolerances_m},
               {"outlier_m", options.outlier_m},
               {"spacing_m", options.sample_spacing_m},
               {"tile_m", options.tile_m},
               {"crop", to_json(options.part.crop)},
               {"max_distance_m", options.part.max_distance_m ? Json(*options.part.max_distance_m) : Json()},
               {"border", options.part.leave_out_beyond_border ? "leave-out" : "score"}};
  if (const FaceCounts* const faces = faces_of(truth)) json["truth_faces"] = faces_json(*faces);
  const auto* const scan = dynamic_cast<const TruthCloud*>(&truth);
  if (scan == nullptr) return json;
  json["distance"] = request.truth_cloud.distance == CloudDistance::plane ? "plane" : "point";
  json["truth_points"] = scan->points();
  json["truth_point_spacing_m"] = scan->spacing_m();
  return json;
}

}  // namespace aqbench
