#include "harness/eval/eval_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"
#include "harness/eval/file_family.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/normal_agreement.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// Returns the knobs with those of --knob.
CloudKnobs with_given(CloudKnobs knobs, const EvalProtocolRequest& request) {
  take_knobs(request, cloud_knobs(), knobs);
  check(knobs);
  return knobs;
}

// ---- Files that are no clouds ----

// Sets knobs given as NAME=VALUE.
Setting with_knobs(const FileFamily& family, Setting setting, std::span<const std::string_view> given) {
  for (const std::string_view knob : given) {
    const std::size_t equals = knob.find('=');
    if (equals == knob.npos) throw usage_error("--knob '{}': expected NAME=VALUE", knob);
    setting = family.with(setting, knob.substr(0, equals), std::string(knob.substr(equals + 1)));
  }
  return setting;
}

const FileProtocol& protocol_of(const FileFamily& family, std::string_view name) {
  return find_named("protocol", name, std::span<const FileProtocol>(family.protocols));
}

// Adam's thousand steps of a million pixels take seconds: what they give is tried as published alone.
bool is_slow(const Setting& setting) { return std::ranges::find(setting, "adam1000") != setting.end(); }

Setting given_setting(const FileFamily& family, const EvalProtocolRequest& request, Setting setting) {
  return with_knobs(family, std::move(setting),
                    std::vector<std::string_view>(request.knobs.begin(), request.knobs.end()));
}

ShownProtocol score_files(const FileFamily& family, const EvalProtocolRequest& request,
                          const EvalCloudRequest& cloud, Notes& notes) {
  const FileProtocol& protocol = protocol_of(family, request.protocol);
  const Setting setting = given_setting(family, request, protocol.setting);
  const SearchedFamily opened = family.open(request, cloud, notes);
  ShownProtocol shown{protocol.name, protocol.source, Json::object(), {}, opened.score(setting), {}};
  for (std::size_t k = 0; k < setting.size(); ++k) shown.knobs[opened.knobs[k].name] = setting[k];
  return shown;
}

std::string scene_of(const EvalCloudRequest& cloud) {
  const std::string& truth = !cloud.truth_files.empty()         ? cloud.truth_files[0]
                             : !cloud.truth_cloud_files.empty() ? cloud.truth_cloud_files[0]
                             : !cloud.scene.empty()             ? cloud.scene
                                                                : cloud.dataset_dir;
  return (fs::path(truth) / "").parent_path().stem().string();  // of a folder without its last '/'
}

std::string with_value(std::string text, const std::string& placeholder, const std::string& value) {
  for (std::size_t at = text.find(placeholder); at != text.npos;
       at = text.find(placeholder, at + value.size()))
    text.replace(at, placeholder.size(), value);
  return text;
}

// Scores a file, or all that a pattern names, each with the truth of the same names.
std::vector<ScoredFile> score_cases(const FileFamily& family, const EvalProtocolRequest& request,
                                    const EvalCloudRequest& cloud, Notes& notes) {
  std::vector<FoundFile> files = {{cloud.cloud_file, {}}};
  if (cloud.cloud_file.find_first_of("{*") != std::string::npos) {
    if (!cloud.host.find_files)
      throw usage_error("{}: patterns are read by the program alone", cloud.cloud_file);
    files = cloud.host.find_files(cloud.cloud_file);
    if (files.empty()) throw input_error("{}: no file matches", cloud.cloud_file);
  }
  std::vector<ScoredFile> scored;
  std::map<std::string, std::string> file_of_case;
  for (const auto& [file, values] : files) {
    EvalCloudRequest one = cloud;
    EvalProtocolRequest of_one = request;
    one.cloud_file = file;
    for (std::string* const path : {&one.truth_files[0], &of_one.mask_file, &of_one.confidence_file})
      for (const auto& [name, value] : values) *path = with_value(*path, '{' + name + '}', value);
    ScoredFile& result = scored.emplace_back(ScoredFile{scene_of(one), one.cloud_file, {}, {}});
    for (const auto& [name, value] : values) {
      if (name == "scene") result.scene = value;
      if (name == "method") result.of_case.method = value;
      if (name == "seed") result.of_case.seed = seed_in(file, value);
    }
    if (const auto [known, is_new] = file_of_case.emplace(result.of_case.name(result.scene), file); !is_new)
      throw input_error("two files for one case: {} and {}", known->second, file);
    const std::size_t before = notes.size();
    result.protocols = {score_files(family, of_one, one, notes)};
    for (std::size_t i = before; i < notes.size() && files.size() > 1; ++i)
      notes[i] = one.cloud_file + ": " + notes[i];
  }
  return scored;
}

EvalAnswer explain_files(const FileFamily& family, const EvalProtocolRequest& request,
                         const EvalCloudRequest& cloud, Notes& notes) {
  std::vector<Setting> settings;
  for (const std::string& text : request.explain) {  // NAME:KNOB=VALUE
    const auto parts = split_at(text, ':');
    if (family_of_protocol(parts[0]) != &family)
      throw usage_error("--explain: {} and {} do not score the same files", request.explain[0], text);
    settings.push_back(with_knobs(family,
                                  given_setting(family, request, protocol_of(family, parts[0]).setting),
                                  std::span(parts).subspan(1)));
  }
  const SearchedFamily opened = family.open(request, cloud, notes);
  return answer_of(explain_settings(opened, settings[0], settings[1]), request.explain[0], request.explain[1],
                   cloud.json);
}

EvalAnswer find_in_files(const FileFamily& family, const EvalProtocolRequest& request,
                         const EvalCloudRequest& cloud) {
  const PublishedText published = parse_published(request.which);
  Notes unused;
  const SearchedFamily opened = family.open(request, cloud, unused);
  std::vector<SearchedProtocol> protocols;
  for (const FileProtocol& protocol : family.protocols)
    protocols.push_back({protocol.name, protocol.setting, !is_slow(protocol.setting)});
  return answer_of(which_setting(published, opened, protocols), request.which, cloud.json);
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
  ShownProtocol shown{protocol.name,
                      protocol.source,
                      knobs_json(cloud_knobs(), knobs),
                      counts_json(distances.counts),
                      {},
                      protocol.published,
                      AskedProtocol{&protocol, knobs}};
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
  if (shown.empty()) throw usage_error("--protocol {}: set knobs by --knob KNOB=VALUE", request.protocol);
  return shown;
}

void require_fit(const CloudProtocol& protocol, const CloudKnobs& knobs, const ProtocolInput& input,
                 const std::string& file) {
  if (const std::string why = unfit_output(protocol, knobs, input.mesh.has_value()); !why.empty())
    throw input_error("protocol {}: {} {}", protocol.name, file, why);
}

// The family of the protocols that are asked for, or of a file whose number is looked for; nullptr: clouds.
const FileFamily* family_of(const EvalProtocolRequest& request, const EvalCloudRequest& cloud) {
  if (!request.which.empty()) return cloud.truth_files.empty() ? nullptr : family_of_file(cloud.cloud_file);
  return family_of_protocol(request.explain.empty() ? std::string_view(request.protocol)
                                                    : split_at(request.explain[0], ':').front());
}

// Each note once: settings repeat them.
void say_notes(const Notes& notes, EvalAnswer& answer) {
  std::set<std::string> said;
  for (const std::string& note : notes)
    if (said.insert(note).second) answer.say("{}\n", printable(note));
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
  for (const FileFamily& family : file_families())
    for (const FileProtocol& protocol : family.protocols) all.emplace_back(protocol.name, protocol.summary);
  return all;
}

Modes mode_of_protocol(std::string_view protocol) {
  if (const FileFamily* const family = family_of_protocol(protocol)) return family->mode;
  std::vector<std::string> names = names_of(cloud_protocols());
  names.insert(names.end(), {"all", "normals"});
  const std::string_view name = protocol.substr(0, protocol.find(':'));  // a sweep takes NAME:KNOB=VALUE
  if (std::ranges::find(names, name) != names.end()) return kEvalProtocol;
  for (const auto& [of_maps, summary] : map_protocols()) names.emplace_back(of_maps);
  throw usage_error("--protocol: {}", unknown_name_message("protocol", protocol, names));
}

EvalAnswer eval_protocol(const EvalRequest& asked, const Arguments& arguments) {
  const EvalProtocolRequest& request = asked.protocol;
  const EvalCloudRequest& cloud = asked.cloud;
  if (const FileFamily* const family = family_of(request, cloud)) {
    if (cloud.truth_files.size() != 1 || cloud.cloud_file.empty())
      throw usage_error("{}: needs a file and one --truth", request.protocol.empty()
                                                                ? "the protocols of these files"
                                                                : "--protocol " + request.protocol);
    if (!request.which.empty()) return find_in_files(*family, request, cloud);
    Notes notes;
    if (!request.explain.empty()) {
      EvalAnswer explained = explain_files(*family, request, cloud, notes);
      EvalAnswer answer;
      if (!cloud.json) say_notes(notes, answer);
      explained.shown.insert(explained.shown.begin(), answer.shown.begin(), answer.shown.end());
      return explained;
    }
    const std::vector<ScoredFile> scored = score_cases(*family, request, cloud, notes);
    return answer_of(scored, inputs_json(cloud, Json::object()), asked, arguments, notes);
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
  ScoredFile scored{scene_of(cloud), cloud.cloud_file, {}, {}};
  scored.protocols = score_clouds(request, input, thresholds_m, spacing_m);
  return answer_of({scored}, inputs_json(cloud, input.transforms), asked, arguments, input.notes);
}

}  // namespace aqbench
