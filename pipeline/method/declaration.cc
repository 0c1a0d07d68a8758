#include "pipeline/method/declaration.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/length_units.h"

namespace aqbench {
namespace {

constexpr double kLongestTimeoutS = 1e6;
constexpr std::string_view kLayouts[] = {"aqbench", "colmap", "transforms", "mvsnet"};
constexpr std::array kGiven = {"cloud", "depth_maps", "point_maps", "images", "poses"};
// "resources" is read by harness/project/resources.h.
constexpr std::string_view kMembers =
    "name summary command parameters presets result gives depth_maps point_maps images depth_along "
    "metres_per_count stages reads_layout refraction depth_range_m unit timeout_s env cwd reads "
    "poses intrinsics cameras world_from_cloud runs_in lock resources given";
constexpr std::array kEnvironments = {"venv", "conda", "pixi", "apptainer", "podman"};

bool is_one_line(const std::string& text) { return !text.empty() && one_line(text, text.size()) == text; }

std::string one_line_of(const JsonPlace& place) {
  std::string text = place.text();
  if (!is_one_line(text)) place.fail("must be one non-empty line of text");
  return text;
}

// Returns a path below a folder, so that results from elsewhere are refused.
std::string relative_path_of(const JsonPlace& place) {
  std::string text = one_line_of(place);
  const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") place.fail("must be below {output}");
  return text;
}

// Takes a member that is there, read by `read`.
template <class Value>
void take(const JsonPlace& place, const char* key, Value (*read)(const JsonPlace&), Value& value) {
  if (const auto found = place.find(key)) value = read(*found);
}

// ---- Parameters and presets ----

void read_range(const JsonPlace& place, ParameterSpec& spec) {
  const auto ends = place.elements();
  if (ends.size() != 2) place.fail("expected [smallest, largest]");
  spec.min = ends[0].number();
  spec.max = ends[1].number();
  if (spec.min > spec.max) place.fail("the minimum exceeds the maximum");
  const bool whole = ends[0].value().is_number_integer() && ends[1].value().is_number_integer();
  if (const auto* integer = std::get_if<std::int64_t>(&spec.default_value); integer != nullptr && !whole)
    spec.default_value = static_cast<double>(*integer);
}

void read_choices(const JsonPlace& place, ParameterSpec& spec) {
  for (const JsonPlace& choice : place.elements()) spec.choices.push_back(one_line_of(choice));
  if (spec.choices.empty()) place.fail("is empty");
}

ParameterSpec read_parameter(const JsonPlace& place, const std::string& owner) {
  place.allow_only({"name", "unit", "default", "range", "choices", "help"});
  ParameterSpec spec;
  spec.name = place.at("name").text();
  if (!is_plain_name(spec.name, false)) place.at("name").fail("must be a letter, then letters, digits or _");
  for (const auto& own : {own_placeholders(), given_placeholders()})
    if (std::ranges::find(own, spec.name) != own.end())
      place.at("name").fail("{{{}}} is reserved for aqbench", spec.name);
  spec.default_value = place.at("default").parameter();
  take(place, "help", one_line_of, spec.help);
  if (std::holds_alternative<std::string>(spec.default_value)) {
    for (const char* const key : {"range", "unit"})
      if (const auto other = place.find(key)) other->fail("is not allowed with a default of text");
    if (const auto choices = place.find("choices")) read_choices(*choices, spec);
  } else {
    spec.unit = "1";
    take(place, "unit", one_line_of, spec.unit);
    if (const auto choices = place.find("choices"))
      choices->fail("is not allowed with a default of a number");
    spec.min = -kNoRange;
    spec.max = kNoRange;
    if (const auto range = place.find("range")) read_range(*range, spec);
  }
  try {
    resolve_parameters(owner, {spec}, {{owner, spec.name, to_string(spec.default_value)}});
  } catch (const Error& error) {
    place.at("default").fail(error.what());
  }
  return spec;
}

Preset read_preset(const std::string& name, const JsonPlace& place, const MethodDeclaration& method) {
  if (!is_plain_name(name, true)) place.fail("must consist of letters, digits, _ and -");
  Preset preset{name, {}};
  for (const auto& [parameter, value] : place.members()) {
    preset.overrides.push_back({"", parameter, to_string(value.parameter())});
    try {
      resolve_parameters(method.name, method.parameters,
                         {{method.name, parameter, preset.overrides.back().value}});
    } catch (const Error& error) {
      value.fail(error.what());
    }
  }
  return preset;
}

std::vector<ParameterSpec> read_parameters(const JsonPlace& place, const std::string& owner) {
  std::vector<ParameterSpec> specs;
  for (const JsonPlace& element : place.elements()) {
    specs.push_back(read_parameter(element, owner));
    for (std::size_t i = 0; i + 1 < specs.size(); ++i)
      if (specs[i].name == specs.back().name) element.at("name").fail("is a duplicate");
  }
  return specs;
}

// ---- The whole ----

void check_placeholders(const JsonPlace& place, std::string_view text, const MethodDeclaration& method) {
  std::vector<std::string> known = method.given.empty() ? own_placeholders() : given_placeholders();
  for (const ParameterSpec& spec : method.parameters) known.push_back(spec.name);
  if (const std::string problem = placeholder_problem(text, known); !problem.empty()) place.fail(problem);
}

void read_environment(const JsonPlace& place, MethodDeclaration& method) {
  for (const auto& [name, value] : place.members()) {
    if (!is_plain_name(name, false)) value.fail("is not a valid variable name");
    if (name.starts_with("AQBENCH_")) value.fail("variables AQBENCH_* are reserved");
    check_placeholders(value, value.text(), method);
    method.environment.emplace_back(name, value.text());
  }
}

void check_use(const JsonPlace& place, const MethodDeclaration& method) {
  std::string all = method.command + method.given;
  for (const auto& [name, value] : method.environment) all += " " + value;
  const auto used = placeholders_in(all);
  const auto elements =
      place.find("parameters") ? place.at("parameters").elements() : std::vector<JsonPlace>();
  for (std::size_t i = 0; i < method.parameters.size(); ++i)
    if (std::ranges::find(used, method.parameters[i].name) == used.end())
      elements[i].at("name").fail(
          "{{{}}} is used {}", method.parameters[i].name,
          method.given.empty() ? "neither in the command nor in env" : "not in \"given\"");
}

std::string read_unit(const JsonPlace& place) {
  std::string unit = place.text();
  if (unit == "um" || !metres_per_unit(unit)) place.fail("'{}' is not one of m, cm, mm", unit);
  return unit;
}

void read_depth_meaning(const JsonPlace& place, MethodDeclaration& method) {
  for (const char* const key : {"depth_along", "metres_per_count"})
    if (const auto given = place.find(key);
        given && method.depth_maps.empty() && method.gives != "depth_maps")
      given->fail("belongs to \"depth_maps\"");
  if (const auto along = place.find("depth_along")) {
    if (along->text() != "ray" && along->text() != "z") along->fail("must be ray or z");
    method.depths_along_z = along->text() == "z";
    if (method.depths_along_z && method.dataset.ignores_refraction)
      along->fail("depths along z say nothing about rays that water bends, which the method ignores");
  }
  const auto metres = place.find("metres_per_count");
  if (!metres) return;
  method.metres_per_count = metres->number();
  if (!(method.metres_per_count > 0)) metres->fail("must be positive");
}

double read_timeout(const JsonPlace& place) {
  const double timeout_s = place.number();
  if (!(timeout_s > 0 && timeout_s <= kLongestTimeoutS))
    place.fail("must be above 0 and at most 1000000 seconds");
  return timeout_s;
}

// Returns whether the member says "own"; "given" is the default.
bool is_own(const JsonPlace& place, const char* key) {
  const auto found = place.find(key);
  if (found && found->text() != "own" && found->text() != "given") found->fail("must be given or own");
  return found && found->text() == "own";
}

void read_poses(const JsonPlace& place, MethodDeclaration& method) {
  method.own_poses = place.find("poses") ? is_own(place, "poses") : method.gives == "poses";
  method.own_intrinsics = is_own(place, "intrinsics");
  take(place, "cameras", relative_path_of, method.cameras);
  if (method.own_poses && !method.given.empty() && method.gives != "poses" && !place.find("cameras"))
    place.at("poses").fail("own poses of given outputs need \"cameras\", their file beside the cloud");
  if (method.own_intrinsics && !method.own_poses)
    place.at("intrinsics").fail("own intrinsics need \"poses\": \"own\"");
}

// Reads what the result is, and what lies beside it.
void read_protocol_files(const JsonPlace& place, MethodDeclaration& method) {
  if (const auto gives = place.find("gives")) {
    method.gives = gives->text();
    if (std::ranges::find(kGiven, method.gives) == kGiven.end())
      gives->fail(unknown_name_message("kind", method.gives, {kGiven.begin(), kGiven.end()}));
    if (method.gives != "cloud" && method.given.empty() && !place.find("result"))
      gives->fail("needs \"result\", the file or folder in {output}");
  }
  take(place, "depth_maps", relative_path_of, method.depth_maps);
  take(place, "point_maps", relative_path_of, method.point_maps);
  take(place, "images", relative_path_of, method.images);
  for (const char* const kind : {"depth_maps", "point_maps", "images"})
    if (const auto twice = place.find(kind); twice && method.gives == kind)
      twice->fail("the result is that already");
}

// Reads "ignore", "ports" or {"pinhole_at_m": 1.0}.
void read_refraction(const JsonPlace& place, DeclaredLayout& dataset) {
  if (place.value().is_object()) {
    place.allow_only({"pinhole_at_m"});
    const JsonPlace distance = place.at("pinhole_at_m");
    dataset.pinhole_at_m = distance.number();
    if (!(dataset.pinhole_at_m > 0 && dataset.pinhole_at_m <= 1000))
      distance.fail("must be a length in metres, above 0 and at most 1000");
    return;
  }
  if (!place.value().is_string() || (place.text() != "ignore" && place.text() != "ports"))
    place.fail("must be ignore, ports or {\"pinhole_at_m\": METRES}");
  dataset.ignores_refraction = place.text() == "ignore";
  dataset.takes_ports = place.text() == "ports";
  if (dataset.ignores_refraction && dataset.layout == "aqbench")
    place.fail("belongs to a reads_layout without water, not to aqbench");
  if (dataset.takes_ports && dataset.layout != "colmap")
    place.fail("ports belong to \"reads_layout\": \"colmap\"");
}

// Reads "reads_layout", "refraction" and "depth_range_m", which must go together.
DeclaredLayout read_layout(const JsonPlace& place) {
  DeclaredLayout dataset;
  if (const auto layout = place.find("reads_layout")) {
    dataset.layout = layout->text();
    if (std::ranges::find(kLayouts, dataset.layout) == std::end(kLayouts))
      layout->fail("must be aqbench, colmap, transforms or mvsnet");
  }
  if (const auto refraction = place.find("refraction")) read_refraction(*refraction, dataset);
  const auto range = place.find("depth_range_m");
  if (range.has_value() != (dataset.layout == "mvsnet"))
    range ? range->fail("belongs to \"reads_layout\": \"mvsnet\"")
          : place.at("reads_layout").fail("mvsnet needs \"depth_range_m\": [LEAST, MOST], along z");
  if (!range) return dataset;
  const auto limits = range->elements();
  if (limits.size() != 2) range->fail("must be [LEAST, MOST]");
  dataset.least_depth_m = limits[0].number();
  dataset.most_depth_m = limits[1].number();
  if (!(dataset.least_depth_m > 0 && dataset.most_depth_m > dataset.least_depth_m))
    range->fail("must be two positive lengths in metres, the smaller first");
  return dataset;
}

// Reads an object with one of the kinds as its only member.
RunsIn read_runs_in(const JsonPlace& place) {
  const auto members = place.members();
  if (members.size() != 1) place.fail("expected one of venv, conda, pixi, apptainer and podman");
  const auto& [kind, value] = members.front();
  if (std::ranges::find(kEnvironments, kind) == kEnvironments.end())
    place.fail(unknown_name_message("environment", kind, {kEnvironments.begin(), kEnvironments.end()}));
  RunsIn runs_in{kind, value.text()};
  if (!is_one_line(runs_in.place) || runs_in.place.starts_with('-'))
    value.fail("must be one non-empty line of text that does not begin with -");
  return runs_in;
}

void check_program(const JsonPlace& place, MethodDeclaration& method) {
  if (!method.given.empty()) return check_placeholders(place.at("given"), method.given, method);
  check_placeholders(place.at("command"), method.command, method);
  if (const auto env = place.find("env")) read_environment(*env, method);
  const auto used = placeholders_in(method.command);
  if (std::ranges::find(used, "output") == used.end())
    place.at("command").fail("lacks {output}, the folder for the result");
}

void refuse_keys_of_commands(const JsonPlace& place) {
  for (const char* const key : {"command", "result", "stages", "reads_layout", "refraction", "depth_range_m",
                                "timeout_s", "env", "cwd", "reads", "runs_in", "lock", "resources"})
    if (const auto found = place.find(key)) found->fail("belongs to a command, but the outputs are given");
}

}  // namespace

MethodDeclaration declaration_from_json(const JsonPlace& place) {
  place.allow_only(split_at(kMembers, ' '));
  MethodDeclaration method;
  method.name = place.at("name").text();
  if (!is_plain_name(method.name, true)) place.at("name").fail("must consist of letters, digits, _ and -");
  take(place, "given", one_line_of, method.given);
  if (method.given.empty())
    method.command = one_line_of(place.at("command"));
  else
    refuse_keys_of_commands(place);
  take(place, "summary", one_line_of, method.summary);
  if (const auto parameters = place.find("parameters"))
    method.parameters = read_parameters(*parameters, method.name);
  if (const auto presets = place.find("presets"))
    for (const auto& [name, preset] : presets->members())
      method.presets.push_back(read_preset(name, preset, method));
  check_program(place, method);
  check_use(place, method);
  method.dataset = read_layout(place);
  take(place, "result", relative_path_of, method.result);
  read_protocol_files(place, method);
  read_depth_meaning(place, method);
  take(place, "stages", relative_path_of, method.stages);
  take(place, "unit", read_unit, method.unit);
  take(place, "timeout_s", read_timeout, method.timeout_s);
  take(place, "cwd", one_line_of, method.working_folder);
  if (const auto reads = place.find("reads"))
    for (const JsonPlace& path : reads->elements()) method.reads.push_back(one_line_of(path));
  read_poses(place, method);
  take(place, "runs_in", read_runs_in, method.runs_in);
  take(place, "world_from_cloud", relative_path_of, method.world_from_cloud);
  take(place, "lock", one_line_of, method.lock);
  return method;
}

std::filesystem::path environment_folder(const RunsIn& runs_in, const std::filesystem::path& project_dir) {
  if (runs_in.kind.empty() || runs_in.is_container()) return {};
  const std::filesystem::path place = (project_dir / runs_in.place).lexically_normal();
  const std::filesystem::path inside = place / ".pixi" / "envs" / "default";
  return runs_in.kind == "pixi" && folder_exists(inside) ? inside : place;
}

}  // namespace aqbench
