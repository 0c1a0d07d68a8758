#include "harness/eval/eval_protocol.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/depth_and_normals.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

std::pair<std::string, std::string> split_knob(const std::string& knob) {
  const std::size_t equals = knob.find('=');
  if (equals == std::string::npos) throw usage_error("--knob '{}': expected NAME=VALUE", knob);
  return {knob.substr(0, equals), knob.substr(equals + 1)};
}

// Returns the knobs with those of --knob.
CloudKnobs with_given(CloudKnobs knobs, const EvalProtocolRequest& request) {
  for (const std::string& knob : request.knobs) {
    const auto [name, value] = split_knob(knob);
    set_cloud_knob(knobs, name, value);
  }
  check(knobs);
  return knobs;
}

// ---- Depth maps and trajectories ----

// A depth map or what lies beside one. Rows x columns x 1 are rows x columns.
struct ShapedMap {
  std::vector<std::size_t> shape;
  std::vector<float> values;
  bool counts = false;  // integers, which are no lengths
};

ShapedMap read_npy_map(const std::string& file) {
  NpyArray array = read_npy(file);
  ShapedMap map{std::move(array.shape), {}, array.is_whole};
  if (map.shape.size() == 3 && map.shape.back() == 1) map.shape.pop_back();
  std::visit([&](const auto& read) { map.values.assign(read.begin(), read.end()); }, array.values);
  return map;
}

// Reads any depth map. Counts become metres by what the request says of one; other values by the file's unit.
ShapedMap read_depth_map(const std::string& file, double metres_per_unit, const EvalProtocolRequest& request,
                         std::vector<std::string>& notes) {
  ShapedMap map;
  DepthImage image;
  if (file.ends_with(".npy")) {
    map = read_npy_map(file);
    image.far_values = drop_far_values(map.values, map.counts);
  } else {
    image = read_depth_image(file);
    map = {{static_cast<std::size_t>(image.height), static_cast<std::size_t>(image.width)},
           std::move(image.values),
           image.counts};
  }
  std::ranges::move(notes_of_depths(file, image.channel, image.far_values), std::back_inserter(notes));
  if (map.counts && !request.metres_per_count)
    throw usage_error("{}: holds counts: give --depth-scale METRES", file);
  if (map.counts) metres_per_unit = *request.metres_per_count;
  for (float& value : map.values) value *= static_cast<float>(metres_per_unit);
  return map;
}

// The same number of values in another shape is another image.
void require_shape(const std::string& file, const ShapedMap& map, const std::string& truth_file,
                   const ShapedMap& truth) {
  if (map.shape == truth.shape) return;
  throw input_error.of_file(file, "{} values where {} has {}", fmt::join(map.shape, " x "), truth_file,
                            fmt::join(truth.shape, " x "));
}

Trajectory read_trajectory_in(const std::string& file, double metres_per_unit) {
  Trajectory trajectory = read_trajectory(file);
  for (CameraPose& pose : trajectory.poses) pose.position_m *= metres_per_unit;
  return trajectory;
}

ShownProtocol score_depths(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                           std::vector<std::string>& notes) {
  DepthKnobs knobs;
  int intervals = 50;
  for (const std::string& knob : request.knobs) {
    const auto [name, value] = split_knob(knob);
    set_depth_knob(knobs, intervals, name, value);
  }
  const std::string& truth_file = cloud.truth_files[0];
  const ShapedMap predicted = read_depth_map(cloud.cloud_file, cloud.metres_per_unit, request, notes);
  const ShapedMap truth = read_depth_map(truth_file, cloud.truth_metres_per_unit, request, notes);
  require_shape(cloud.cloud_file, predicted, truth_file, truth);
  ShownProtocol shown{"depth", "Eigen et al., NIPS 2014", depth_knobs_json(knobs, intervals), {}, {}, {}};
  shown.result = depth_errors(predicted.values, truth.values, knobs);
  if (!request.confidence_file.empty()) {
    const ShapedMap confidence = read_npy_map(request.confidence_file);
    require_shape(request.confidence_file, confidence, truth_file, truth);
    std::ranges::move(
        sparsification_errors(predicted.values, truth.values, confidence.values, knobs, intervals),
        std::back_inserter(shown.result));
  }
  return shown;
}

ShownProtocol score_poses(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  PoseKnobs knobs;
  for (const std::string& knob : request.knobs) {
    const auto [name, value] = split_knob(knob);
    set_pose_knob(knobs, name, value);
  }
  ShownProtocol shown{
      "poses", "github.com/MichaelGrupp/evo; colmap benchmark/reconstruction", pose_knobs_json(knobs), {}, {},
      {}};
  shown.result = pose_errors(read_trajectory_in(cloud.truth_files[0], cloud.truth_metres_per_unit),
                             read_trajectory_in(cloud.cloud_file, cloud.metres_per_unit), knobs);
  return shown;
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
      protocol.name,     protocol.source, cloud_knobs_json(knobs), counts_json(distances.counts), {},
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
    std::vector<std::string> names = {"all", "normals", "depth", "poses"};
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
      {"crops", cloud.crops},
      {"cameras", cloud.place.cameras_file.empty() ? Json() : Json(cloud.place.cameras_file)},
      {"truth_cameras", cloud.place.true_cameras_file.empty() ? Json() : Json(cloud.place.true_cameras_file)},
      {"transforms", transforms}};
}

}  // namespace

EvalAnswer eval_protocol(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  if (request.protocol == "depth" || request.protocol == "poses") {
    if (cloud.truth_files.size() != 1 || cloud.cloud_file.empty())
      throw usage_error("--protocol {}: needs a file and one --truth", request.protocol);
    std::vector<std::string> notes;
    const ShownProtocol shown =
        request.protocol == "depth" ? score_depths(request, cloud, notes) : score_poses(request, cloud);
    return answer_of(std::vector{shown}, inputs_json(cloud, Json::object()), notes, cloud.json);
  }
  const std::vector<double> thresholds_m =
      cloud.given_thresholds ? cloud.score.tolerances_m : std::vector<double>{};
  ProtocolInput input = load_protocol_input(request, cloud);
  const double spacing_m = cloud.given_spacing ? cloud.score.sample_spacing_m : 0;  // 0: the protocol's
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
