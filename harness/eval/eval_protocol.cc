#include "harness/eval/eval_protocol.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/normal_agreement.h"

namespace aqbench {
namespace {

// Returns the knobs with those of --knob.
CloudKnobs with_given(CloudKnobs knobs, const EvalProtocolRequest& request) {
  take_knobs(request, cloud_knobs(), knobs);
  check(knobs);
  return knobs;
}

// ---- Trajectories ----

Trajectory read_trajectory_in(const std::string& file, double metres_per_unit) {
  Trajectory trajectory = read_trajectory(file);
  for (CameraPose& pose : trajectory.poses) pose.position_m *= metres_per_unit;
  return trajectory;
}

ShownProtocol score_poses(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  PoseKnobs knobs;
  take_knobs(request, pose_knobs(), knobs);
  ShownProtocol shown{"poses",
                      "github.com/MichaelGrupp/evo; colmap benchmark/reconstruction",
                      knobs_json(pose_knobs(), knobs),
                      {},
                      {},
                      {}};
  shown.result = pose_errors(read_trajectory_in(cloud.truth_files[0], cloud.truth_metres_per_unit),
                             read_trajectory_in(cloud.cloud_file, cloud.metres_per_unit), knobs);
  return shown;
}

// Scores files that are no clouds.
ShownProtocol score_files(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                          std::vector<std::string>& notes) {
  if (const auto* const protocol = find_protocol(depth_protocols(), request.protocol))
    return score_depths(request, cloud, *protocol, notes);
  if (const auto* const protocol = find_protocol(point_map_protocols(), request.protocol))
    return score_point_maps(request, cloud, *protocol, notes);
  if (const auto* const protocol = find_protocol(image_protocols(), request.protocol))
    return score_images(request, cloud, *protocol, notes);
  if (const auto* const protocol = find_protocol(pose_set_protocols(), request.protocol))
    return score_pose_sets(request, cloud, *protocol);
  return score_poses(request, cloud);
}

// ---- Clouds ----

const TriangleMesh* mesh_of(const ProtocolInput& input) { return input.mesh ? &*input.mesh : nullptr; }

// given_spacing_m: of the points that stand for a mesh; 0: the protocol's.
ShownProtocol score_cloud(const CloudProtocol& protocol, const CloudKnobs& knobs, ProtocolInput& input,
                          double given_spacing_m) {
  std::optional<double> spacing_m;  // unset: the protocol takes the vertices
  if (!protocol.takes_vertices) spacing_m = given_spacing_m > 0 ? given_spacing_m : mesh_spacing_m(knobs);
  take_mesh_points(input, spacing_m);
  if (std::string note = rounding_note(protocol.name, knobs, input); !note.empty())
    input.notes.push_back(std::move(note));
  const CloudDistances distances = measure_distances(knobs, input.cloud, input.truth, mesh_of(input));
  ShownProtocol shown{
      protocol.name,     protocol.source, knobs_json(cloud_knobs(), knobs), counts_json(distances.counts), {},
      protocol.published};
  shown.result = summarize_distances(knobs, distances);
  if (std::string_view(protocol.name).starts_with("tanks-and-temples"))
    shown.counts["curves"] = {{"precision", share_curve(distances.accuracy_m, knobs.thresholds_m.front())},
                              {"recall", share_curve(distances.completeness_m, knobs.thresholds_m.front())}};
  return shown;
}

ShownProtocol score_normals(ProtocolInput& input) {
  take_mesh_points(input, std::nullopt);
  ShownProtocol shown{
      "normals", "Mescheder et al., CVPR 2019; occupancy_networks im2mesh/eval.py", Json::object(), {}, {},
      {}};
  shown.result =
      normal_agreement(input.cloud, input.scanned.normals.empty() ? input.truth.cloud : input.scanned);
  return shown;
}

std::vector<ShownProtocol> score_clouds(const EvalProtocolRequest& request, ProtocolInput& input,
                                        const std::vector<double>& thresholds_m, double spacing_m) {
  std::vector<ShownProtocol> shown;
  const bool all = request.protocol == "all";
  for (const CloudProtocol& protocol : cloud_protocols()) {
    if (!all && request.protocol != protocol.name) continue;
    const CloudKnobs knobs = with_given(knobs_at(protocol, thresholds_m), request);
    if (const std::string why = unfit_output(protocol, knobs, input.mesh.has_value()); !why.empty())
      input.notes.push_back(fmt::format("without {}: it {}", protocol.name, why));
    else
      shown.push_back(score_cloud(protocol, knobs, input, spacing_m));
  }
  if (all || request.protocol == "normals") shown.push_back(score_normals(input));
  if (shown.empty()) {
    std::vector<std::string> names = {"all", "normals", "poses"};
    for (const auto& [name, summary] : map_protocols()) names.emplace_back(name);
    for (const CloudProtocol& protocol : cloud_protocols()) names.emplace_back(protocol.name);
    throw usage_error("--protocol: {}", unknown_name_message("protocol", request.protocol, names));
  }
  return shown;
}

void require_fit(const CloudProtocol& protocol, const CloudKnobs& knobs, const ProtocolInput& input,
                 const std::string& file) {
  if (const std::string why = unfit_output(protocol, knobs, input.mesh.has_value()); !why.empty())
    throw input_error("protocol {}: {} {}", protocol.name, file, why);
}

// What was read, and how it was moved.
Json inputs_json(const EvalCloudRequest& cloud, const Json& transforms) {
  std::vector<std::string> truth = cloud.truth_files;
  truth.insert(truth.end(), cloud.truth_cloud_files.begin(), cloud.truth_cloud_files.end());
  truth.insert(truth.end(), cloud.truth_depths.begin(), cloud.truth_depths.end());
  Json scanners = Json::array();
  for (const Vec3& scanner : cloud.scanners) scanners.push_back({scanner.x(), scanner.y(), scanner.z()});
  return {
      {"file", cloud.cloud_file},
      {"metres_per_unit", cloud.metres_per_unit},
      {"truth", truth},
      {"scene", cloud.scene.empty() ? Json() : Json(cloud.scene)},
      {"truth_metres_per_unit", cloud.truth_metres_per_unit},
      {"scanners", scanners},
      {"crops", cloud.scoring.crops},
      {"cameras", cloud.place.cameras_file.empty() ? Json() : Json(cloud.place.cameras_file)},
      {"truth_cameras", cloud.place.true_cameras_file.empty() ? Json() : Json(cloud.place.true_cameras_file)},
      {"transforms", transforms}};
}

}  // namespace

std::vector<std::pair<const char*, const char*>> map_protocols() {
  std::vector<std::pair<const char*, const char*>> all;
  const auto add = [&](const auto& protocols) {
    for (const auto& protocol : protocols) all.emplace_back(protocol.name, protocol.summary);
  };
  add(depth_protocols());
  add(point_map_protocols());
  add(image_protocols());
  add(pose_set_protocols());
  return all;
}

bool is_of_files(std::string_view protocol) {
  const auto all = map_protocols();
  return protocol == "poses" ||
         std::ranges::any_of(all, [&](const auto& one) { return protocol == one.first; });
}

EvalAnswer eval_protocol(const EvalRequest& asked, const Arguments& arguments) {
  const EvalProtocolRequest& request = asked.protocol;
  const EvalCloudRequest& cloud = asked.cloud;
  if (is_of_files(request.protocol)) {
    if (cloud.truth_files.size() != 1 || cloud.cloud_file.empty())
      throw usage_error("--protocol {}: needs a file and one --truth", request.protocol);
    std::vector<std::string> notes;
    const std::vector<ShownProtocol> shown = {score_files(request, cloud, notes)};
    EvalAnswer answer = answer_of(shown, inputs_json(cloud, Json::object()), notes, cloud.json);
    if (asked.into_bundle.out) answer.results = protocol_results(shown[0], asked, arguments, notes);
    return answer;
  }
  const std::vector<double> thresholds_m =
      cloud.given_thresholds ? cloud.scoring.tolerances_m : std::vector<double>{};
  ProtocolInput input = load_protocol_input(request, cloud);
  const double spacing_m = cloud.scoring.spacing_m.value_or(0);  // 0: the protocol's
  for (const CloudProtocol& protocol : cloud_protocols())
    if (request.protocol == protocol.name)
      require_fit(protocol, with_given(knobs_at(protocol, thresholds_m), request), input, cloud.cloud_file);
  if (!request.explain.empty()) {
    const CloudKnobs a = with_given(headline_knobs(request.explain[0], thresholds_m), request),
                     b = with_given(headline_knobs(request.explain[1], thresholds_m), request);
    for (std::size_t i = 0; i < 2; ++i)
      require_fit(find_cloud_protocol(split_at(request.explain[i], ':').front()), i == 0 ? a : b, input,
                  cloud.cloud_file);
    take_mesh_points(input, spacing_m > 0 ? spacing_m : std::min(mesh_spacing_m(a), mesh_spacing_m(b)));
    const auto explanations = explain_difference(a, b, input.cloud, input.truth, mesh_of(input));
    return answer_of(explanations, request.explain[0], request.explain[1], cloud.json);
  }
  if (!request.which.empty()) {
    const PublishedText published = parse_published(request.which);
    double finest_m = mesh_spacing_m({});
    for (const CloudProtocol& protocol : cloud_protocols())
      finest_m = std::min(finest_m, mesh_spacing_m(knobs_at(protocol, thresholds_m)));
    take_mesh_points(input, spacing_m > 0 ? spacing_m : finest_m);
    return answer_of(which_protocol(published, input.cloud, input.truth, thresholds_m, mesh_of(input)),
                     request.which, cloud.json);
  }
  const std::vector<ShownProtocol> shown = score_clouds(request, input, thresholds_m, spacing_m);
  return answer_of(shown, inputs_json(cloud, input.transforms), input.notes, cloud.json);
}

}  // namespace aqbench
