#include "cli/eval/eval_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/registry.h"
#include "scenes/surfaces/bordered_surface.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench::cli {
namespace {

void check_scanners(const EvalCloudRequest& request, std::size_t scans) {
  if (!request.scanners.empty() && request.scanners.size() != scans)
    throw Error(ErrorKind::usage,
                fmt::format("--scanner: given {} times for {} scans", request.scanners.size(), scans));
}

Scene truth_from_scans(const EvalCloudRequest& request, const std::vector<std::string>& files,
                       std::vector<Scan> scans) {
  for (std::size_t i = 0; i < request.scanners.size(); ++i)
    scans[i].scanner_m = request.scanners[i] * request.truth_metres_per_unit;
  return {fmt::format("scan:{}", fmt::join(files, "+")),
          {},
          {make_truth_cloud(std::move(scans), request.truth_cloud)}};
}

Scene truth_from_scans(const EvalCloudRequest& request, const std::vector<std::string>& files) {
  check_scanners(request, files.size());
  std::vector<Scan> scans;
  for (const std::string& file : files) scans.push_back(read_scan(file, request.truth_metres_per_unit));
  return truth_from_scans(request, files, std::move(scans));
}

Scene truth_from_mesh(const EvalCloudRequest& request, const std::string& file, TriangleMesh mesh) {
  for (Vec3& vertex : mesh.vertices_m) vertex *= request.truth_metres_per_unit;
  try {
    return {"mesh:" + file, {}, {make_mesh_surface(std::move(mesh))}};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()), file);
  }
}

}  // namespace

Scene make_truth(const EvalCloudRequest& request) {
  if (!request.truth_cloud_files.empty()) return truth_from_scans(request, request.truth_cloud_files);
  if (request.truth_files.size() > 1) return truth_from_scans(request, request.truth_files);
  if (request.truth_files.size() == 1) {
    GeometryFile read = read_geometry_file(request.truth_files[0]);
    if (!read.mesh) {
      check_scanners(request, 1);
      std::vector<Scan> scans;
      scans.push_back(scan_of(std::move(read), request.truth_files[0], request.truth_metres_per_unit));
      return truth_from_scans(request, request.truth_files, std::move(scans));
    }
    if (!request.scanners.empty())
      throw Error(ErrorKind::usage,
                  "--scanner: the truth is a mesh; --truth-cloud takes its vertices as a scan");
    return truth_from_mesh(request, request.truth_files[0], *std::move(read.mesh));
  }
  return request.scene.empty() ? read_dataset_scene(request.dataset_dir)
                               : make_scene(request.scene, request.overrides);
}

ScoreOptions effective_options(const EvalCloudRequest& request, const Surface& truth, std::size_t points) {
  ScoreOptions options = request.score;
  for (const std::string& crop : request.crops)
    add_crop(options.part.crop, crop, request.truth_metres_per_unit);
  if (!request.given_spacing) options.sample_spacing_m = auto_spacing_m(truth, points);
  if (!request.given_tile) options.tile_m = auto_tile_m(truth);
  const bool may_end = dynamic_cast<const BorderedSurface*>(&truth) != nullptr;
  if (request.leave_out_beyond_border && !may_end)
    throw Error(ErrorKind::usage, "--border: the surface of a scene goes on beyond its patch");
  const bool is_scan = dynamic_cast<const TruthCloud*>(&truth) != nullptr;
  options.part.leave_out_beyond_border = request.leave_out_beyond_border.value_or(
      may_end && (is_scan || options.part.max_distance_m.has_value()));
  check(options);
  return options;
}

Json scoring_json(const EvalCloudRequest& request, const Surface& truth, const ScoreOptions& options) {
  Json json = {{"thresholds_m", options.tolerances_m},
               {"outlier_m", options.outlier_m},
               {"spacing_m", options.sample_spacing_m},
               {"tile_m", options.tile_m},
               {"crop", to_json(options.part.crop)},
               {"max_distance_m", options.part.max_distance_m ? Json(*options.part.max_distance_m) : Json()},
               {"border", options.part.leave_out_beyond_border ? "leave-out" : "score"}};
  const auto* const scan = dynamic_cast<const TruthCloud*>(&truth);
  if (scan == nullptr) return json;
  json["distance"] = request.truth_cloud.distance == CloudDistance::plane ? "plane" : "point";
  json["truth_points"] = scan->points();
  json["truth_point_spacing_m"] = scan->spacing_m();
  return json;
}

}  // namespace aqbench::cli
