#include "harness/planning/case_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"
#include "harness/measuring/build_info.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/scene_choice.h"
#include "harness/planning/suite.h"
#include "harness/records/case_name.h"
#include "pipeline/method/declaration.h"
#include "scenes/dataset/own_rig.h"

namespace aqbench {
namespace {

MethodDeclaration declaration_of(const Case& planned) {
  return declaration_from_json(JsonPlace(*planned.declaration, "method " + planned.method));
}

bool has_trait(const Case& planned, bool MethodSpec::*trait) {
  if (!planned.workload.empty()) return false;
  if (!planned.declaration->empty()) return method_of(planned).*trait;
  const auto known = std::ranges::find(method_registry(), planned.method, &MethodSpec::name);
  return known != method_registry().end() && (*known).*trait;
}

constexpr double kMaxMm = 1e9;

std::vector<double> tolerances_m_of(const std::string& text) {
  std::vector<double> tolerances_m;
  for (const std::string_view part : split_at(text, ',')) {
    const auto length_mm = parse_double(part);
    if (!length_mm || !(*length_mm > 0) || !(*length_mm <= kMaxMm))
      throw usage_error("{}.thresholds_mm: '{}': expected positive lengths separated by commas: 1,5,10",
                        kScoringOwner, text);
    tolerances_m.push_back(*length_mm / 1000);
  }
  std::ranges::sort(tolerances_m);
  if (std::ranges::adjacent_find(tolerances_m) != tolerances_m.end())
    throw usage_error("{}.thresholds_mm: '{}': duplicate tolerance", kScoringOwner, text);
  return tolerances_m;
}

constexpr const char* kNames = "names";  // of owner kProtocolsOwner

std::string names_of_protocols(const Case& planned) {
  if (!has_overrides(planned, kProtocolsOwner)) return {};
  return resolve_parameters(kProtocolsOwner, protocols_parameters(), planned.overrides).text(kNames);
}

// Returns "mine: MODEL=best python3 mine.py {dataset} {output}, in tools", the same for all parameters.
std::string declared_program(const Case& planned) {
  const Json& declaration = *planned.declaration;
  std::string line = planned.method + ":";
  const Json environment = declaration.value("env", Json::object());
  for (const auto& [name, value] : environment.items())
    line += fmt::format(" {}={}", name, value.get<std::string>());
  line += fmt::format(" {}", declaration.value("command", std::string()));
  const Json runs_in = declaration.value("runs_in", Json::object());
  for (const auto& [kind, place] : runs_in.items())
    line += fmt::format(", by {} {}", kind, place.get<std::string>());
  const std::string folder = declaration.value("cwd", std::string());
  return folder.empty() ? line : line + ", in " + folder;
}

}  // namespace

bool has_overrides(const Case& planned, std::string_view owner) {
  return std::ranges::find(planned.overrides, owner, &Override::owner) != planned.overrides.end();
}

void add_resolved(Case& planned, const std::string& owner, const std::vector<ParameterSpec>& parameters) {
  add_options(planned, owner, resolve_parameters(owner, parameters, planned.overrides));
}

MethodSpec method_of(const Case& planned) {
  if (planned.declaration->empty()) return find_method(planned.method);
  return declared_method(declaration_of(planned));
}

bool starts_program(const Case& planned) { return has_trait(planned, &MethodSpec::starts_program); }
bool tells_own_stages(const Case& planned) { return has_trait(planned, &MethodSpec::tells_own_stages); }
bool gives_depth_maps(const Case& planned) { return has_trait(planned, &MethodSpec::gives_depth_maps); }
bool uses_libraries(const Case& planned) {
  return planned.declaration->empty() && !planned.simulated && !starts_program(planned);
}
bool is_given(const Case& planned) { return planned.declaration->contains("given"); }

bool owns_images(const CaseImages& images, std::string_view owner) {
  return owner == kImagingOwner || owner == kPerturbOwner || owner == rig_spec(images.rig).name;
}

bool asks_for_dataset(const MethodDeclaration& method) {
  const auto asks = [](const std::string& text) {
    const std::vector<std::string> names = placeholders_in(text);
    return std::ranges::find(names, "dataset") != names.end();
  };
  return asks(method.command) ||
         std::ranges::any_of(method.environment, [&](const auto& variable) { return asks(variable.second); });
}

bool renders_images(const Case& planned) {
  if (!planned.images) return false;
  if (!planned.declaration->empty()) {
    const MethodDeclaration method = declaration_of(planned);
    const std::vector<ProtocolFile> files = protocol_files(method);  // true ones are of the dataset
    return asks_for_dataset(method) || !method.depth_maps.empty() ||
           std::ranges::any_of(files, [](const ProtocolFile& file) { return file.kind != "poses"; });
  }
  if (!starts_program(planned)) return true;
  const ParameterValue* const command = find_option(planned, planned.method + ".command");
  return command == nullptr || to_string(*command).find("{dataset}") != std::string::npos;
}

DatasetRequest dataset_request(const Case& planned) {
  const CaseImages& images = planned.images.value();
  DatasetRequest request{.scene = planned.scene,
                         .rig = images.rig,
                         .imaging = images.imaging,
                         .width_px = images.width_px,
                         .height_px = images.height_px,
                         .seed = planned.seed,
                         .overrides = {},
                         .generator_version = build_info().version};
  for (const Override& given : planned.overrides)
    if (given.owner != kPerturbOwner && (given.owner == planned.scene || owns_images(images, given.owner)))
      request.overrides.push_back(given);
  return request;
}

CalibrationError case_calibration_error(const Case& planned) {
  CalibrationError error = calibration_error(
      resolve_parameters(kPerturbOwner, perturb_parameters(), planned.overrides), planned.seed);
  if (error.as_pinhole_m == 0 && !planned.declaration->empty())
    error.as_pinhole_m = declaration_of(planned).dataset.pinhole_at_m;
  return error;
}

const std::vector<ParameterSpec>& alignment_parameters() {
  static const std::vector<ParameterSpec> specs = {
      text_parameter("scale", "estimated",
                     "scale of the similarity between own and true cameras; one: the method knows the metre",
                     {"estimated", "one"}),
      text_parameter("then", "nothing",
                     "what moves the cloud to the truth at the end; icp hides a bias, sim3 a scale as well",
                     {"nothing", "icp", "sim3"}),
  };
  return specs;
}

std::optional<AlignmentChoice> alignment_of(const Case& planned) {
  const bool by_cameras = has_own_poses(planned.name);
  if (!by_cameras && !has_overrides(planned, kAlignmentOwner)) return std::nullopt;
  const Parameters given = resolve_parameters(kAlignmentOwner, alignment_parameters(), planned.overrides);
  return AlignmentChoice{by_cameras, given.text("scale") == "estimated", given.text("then")};
}

bool finds_poses(const MethodChoice& method, const Suite* suite) {
  const MethodDeclaration* const declared = method.spec->declaration.get();
  const bool declares = declared != nullptr && declared->own_poses;
  const std::string of_suite = suite == nullptr ? "" : suite->poses;
  if (of_suite == "given" && declares)
    refuse_plan("suite {}: \"poses\": \"given\", but method {} finds its own", suite->name,
                method.spec->name);
  if (of_suite != "own" && !declares) return false;
  const std::string who = declares ? fmt::format("method {}", method.spec->name)
                                   : fmt::format("suite {}: method {}", suite->name, method.spec->name);
  if (declared == nullptr)
    refuse_plan(who +
                ": \"poses\": \"own\" is for methods declared in a project file, not for aqbench's own");
  if (declared->given.empty() && !asks_for_dataset(*declared))
    refuse_plan(who + ": \"poses\": \"own\" needs {dataset} in its command, the folder with the images");
  if (!declared->depth_maps.empty())
    refuse_plan(who + ": depth maps are not scored with \"poses\": \"own\"; leave depth_maps out");
  return true;
}

void add_alignment(Case& planned, bool own_poses) {
  if (own_poses && has_overrides(planned, kPerturbOwner))
    refuse_plan("{}: a method with poses=own gets no calibration that could be wrong", kPerturbOwner);
  if (own_poses) return add_resolved(planned, kAlignmentOwner, alignment_parameters());
  for (const Override& given : planned.overrides)
    if (given.owner == kAlignmentOwner) {
      resolve_parameters(kAlignmentOwner, alignment_parameters(), {given});
      planned.options.emplace_back(fmt::format("{}.{}", kAlignmentOwner, given.parameter), given.value);
    }
}

bool any_finds_poses(const Selection& selection) {
  return std::ranges::count_if(selection.methods, [&](const MethodChoice& method) {
           return finds_poses(method, selection.suite);  // of each: it may throw
         }) > 0;
}

const std::vector<ParameterSpec>& scoring_parameters() {
  static const std::vector<ParameterSpec> specs = {
      {"thresholds_mm", "mm", "0.5,1,2,5,10", 0, 0, "tolerances of precision, completeness and F-score", {}},
      number_parameter("outlier_mm", "mm", 20.0, 1e-6, kMaxMm,
                       "distance beyond which a point is a gross outlier"),
      number_parameter("spacing_mm", "mm", 0.0, 0, kMaxMm,
                       "spacing of truth samples for completeness; 0 means 2/3 mm"),
      number_parameter("tile_mm", "mm", 10.0, 1e-6, kMaxMm, "side of an error tile"),
  };
  return specs;
}

void take_given_scoring(const Case& planned, ScoreOptions& options) {
  if (!has_overrides(planned, kScoringOwner)) return;
  const Parameters parameters = resolve_parameters(kScoringOwner, scoring_parameters(), planned.overrides);
  for (const Override& given : planned.overrides) {
    if (given.owner != kScoringOwner) continue;
    if (given.parameter == "thresholds_mm")
      options.tolerances_m = tolerances_m_of(parameters.text("thresholds_mm"));
    if (given.parameter == "outlier_mm") options.outlier_m = parameters.number("outlier_mm") / 1000;
    if (given.parameter == "tile_mm") options.tile_m = parameters.number("tile_mm") / 1000;
    const double spacing_mm = parameters.number("spacing_mm");
    if (given.parameter == "spacing_mm" && spacing_mm > 0) options.sample_spacing_m = spacing_mm / 1000;
  }
}

void add_given_scoring(Case& planned, bool recorded) {
  if (!has_overrides(planned, kScoringOwner)) return;
  ScoreOptions options;
  take_given_scoring(planned, options);
  check(options);  // refused now rather than after the method has run
  if (!recorded) return add_resolved(planned, kScoringOwner, scoring_parameters());
  const Parameters all = resolve_parameters(kScoringOwner, scoring_parameters(), planned.overrides);
  for (const auto& option : all.items())
    if (std::ranges::any_of(planned.overrides, [&](const Override& given) {
          return given.owner == kScoringOwner && given.parameter == option.first;
        }))
      planned.options.emplace_back(fmt::format("{}.{}", kScoringOwner, option.first), option.second);
}

const std::vector<ParameterSpec>& protocols_parameters() {
  static const std::vector<ParameterSpec> specs = {text_parameter(
      kNames, "", "protocols computed beside the metrics, NAME or NAME:KNOB=VALUE, separated by blanks")};
  return specs;
}

std::vector<AskedProtocol> case_protocols(const Case& planned) {
  return parse_protocols(names_of_protocols(planned));
}

std::vector<AskedFileProtocol> case_file_protocols(const Case& planned) {
  return parse_file_protocols(names_of_protocols(planned));
}

bool gives_cloud(const Case& planned) {
  return planned.declaration->empty() || declaration_of(planned).gives == MethodDeclaration().gives;
}

bool gives_files(const Case& planned, FileKind kind) {
  if (kind == FileKind::depth_maps && gives_depth_maps(planned)) return true;
  const bool of_poses = kind == FileKind::poses || kind == FileKind::pose_sets;
  if (of_poses && has_own_poses(planned.name)) return true;
  if (planned.declaration->empty()) return false;
  const MethodDeclaration method = declaration_of(planned);
  if (kind == FileKind::depth_maps && !method.depth_maps.empty()) return true;
  const std::string name = of_poses ? "poses" : kind_name(kind);
  const std::vector<ProtocolFile> files = protocol_files(method);
  return std::ranges::find(files, name, &ProtocolFile::kind) != files.end();
}

void check_protocols(const Case& planned) {
  const std::vector<AskedFileProtocol> asked = case_file_protocols(planned);
  bool any = gives_cloud(planned);
  for (const AskedFileProtocol& one : asked) {
    const FileKind kind = one.family->kind;
    any = any || gives_files(planned, kind);
    if (kind == FileKind::images && gives_files(planned, kind) && !holds_views_out(planned))
      refuse_plan("protocol {}: no view is held out; add --set {}.hold_out=8 (each eighth)",
                  one.protocol->name, kDatasetOwner);
  }
  if (any) return;
  const std::string gives = declaration_of(planned).gives;
  std::string names;
  for (const FileProtocolFamily& family : file_protocol_families())
    for (const FileProtocol& protocol : family.protocols)
      if (kind_name(family.kind) == gives)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", protocol.name);
  refuse_plan("method {} gives {}, which no protocol of this sweep scores; add --protocol, one of {}",
              planned.method, gives, names);
}

void add_protocols(Case& planned) {
  std::string names;
  const auto add_name = [&](const char* name) {
    names += fmt::format("{}{}", names.empty() ? "" : " ", name);
  };
  for (const AskedFileProtocol& asked : case_file_protocols(planned)) {
    add_name(asked.protocol->name);
    for (const auto& [knob, text] : changed_knobs(asked))
      planned.options.emplace_back(fmt::format("{}.{}.{}", kProtocolsOwner, asked.protocol->name, knob),
                                   text);
  }
  for (const AskedProtocol& asked : case_protocols(planned)) {
    add_name(asked.protocol->name);
    const CloudKnobs own = knobs_at(*asked.protocol);
    for (const CloudKnob& knob : cloud_knobs())
      if (knob.text(asked.knobs) != knob.text(own))
        planned.options.emplace_back(
            fmt::format("{}.{}.{}", kProtocolsOwner, asked.protocol->name, knob.name),
            knob.text(asked.knobs));
  }
  if (!names.empty()) planned.defaults.emplace_back(fmt::format("{}.{}", kProtocolsOwner, kNames), names);
}

void ask_for_protocol(std::vector<Override>& sets, const std::string& protocol) {
  std::string text;  // a file of a knob has its hash: bundles are read where the file is not
  for (const std::string_view part : split_at(protocol, ' ')) {
    text += text.empty() ? "" : " ";
    const std::vector<AskedFileProtocol> of_files = parse_file_protocols(part);
    text += of_files.empty() ? part : of_files[0].protocol->name;
    for (const AskedFileProtocol& asked : of_files)
      for (const auto& [knob, value] : changed_knobs(asked)) text += fmt::format(":{}={}", knob, value);
  }
  for (Override& given : sets)
    if (given.owner == kProtocolsOwner && given.parameter == kNames) return void(given.value += " " + text);
  sets.push_back({kProtocolsOwner, kNames, text});
}

std::vector<std::string> foreign_code(std::span<const Case> cases) {
  // Parameters whose value is a program or a file with code.
  constexpr std::array kCodeOptions = {"external.command", "torchscript.model"};
  std::vector<std::string> found;
  const auto add = [&](std::string line) {
    if (std::ranges::find(found, line) == found.end()) found.push_back(std::move(line));
  };
  for (const Case& planned : cases) {
    if (!planned.declaration->empty() && !is_given(planned)) add(declared_program(planned));
    for (const auto& [name, value] : planned.options) {
      if (std::ranges::find(kCodeOptions, name) == kCodeOptions.end()) continue;
      add(name + ": " + to_string(value));
    }
  }
  return found;
}

}  // namespace aqbench
