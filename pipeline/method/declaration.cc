#include "pipeline/method/declaration.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"
#include "pipeline/method/placeholders.h"

namespace aqbench {
namespace {

constexpr std::array kUnits = {std::pair("m", 1.0), std::pair("cm", 0.01), std::pair("mm", 0.001)};
constexpr double kLongestTimeoutS = 1e6;

std::string one_line_of(const JsonPlace& place) {
  std::string text = place.text();
  if (text.empty() || one_line(text, text.size()) != text) place.fail("must be one non-empty line of text");
  return text;
}

// Returns a path below a folder, so that results from elsewhere are refused.
std::string read_relative(const JsonPlace& place) {
  std::string text = one_line_of(place);
  const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
  if (path.is_absolute() || *path.begin() == "..") place.fail("must be below {output}");
  return text;
}

// ---- Parameters and presets ----

double number_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

void read_range(const JsonPlace& place, ParameterSpec& spec) {
  const auto ends = place.elements();
  if (ends.size() != 2) place.fail("expected [smallest, largest]");
  spec.min = ends[0].number();
  spec.max = ends[1].number();
  if (spec.min > spec.max) place.fail("the minimum exceeds the maximum");
  const bool whole = ends[0].value().is_number_integer() && ends[1].value().is_number_integer();
  if (!whole && std::holds_alternative<std::int64_t>(spec.default_value))
    spec.default_value = number_of(spec.default_value);
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
  if (const auto own = own_placeholders(); std::ranges::find(own, spec.name) != own.end())
    place.at("name").fail("{{{}}} is reserved for aqbench", spec.name);
  spec.default_value = place.at("default").parameter();
  if (const auto help = place.find("help")) spec.help = one_line_of(*help);
  if (std::holds_alternative<std::string>(spec.default_value)) {
    for (const char* const key : {"range", "unit"})
      if (const auto other = place.find(key)) other->fail("is not allowed with a default of text");
    if (const auto choices = place.find("choices")) read_choices(*choices, spec);
  } else {
    spec.unit = "1";
    if (const auto unit = place.find("unit")) spec.unit = one_line_of(*unit);
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
  std::vector<std::string> known = own_placeholders();
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
  std::string all = method.command;
  for (const auto& [name, value] : method.environment) all += " " + value;
  const auto used = placeholders_in(all);
  const auto elements =
      place.find("parameters") ? place.at("parameters").elements() : std::vector<JsonPlace>();
  for (std::size_t i = 0; i < method.parameters.size(); ++i)
    if (std::ranges::find(used, method.parameters[i].name) == used.end())
      elements[i].at("name").fail("{{{}}} is used neither in the command nor in env",
                                  method.parameters[i].name);
}

std::string read_unit(const JsonPlace& place) {
  std::string unit = place.text();
  if (std::ranges::none_of(kUnits, [&](const auto& known) { return known.first == unit; }))
    place.fail("'{}' is not one of m, cm, mm", unit);
  return unit;
}

void read_depth_meaning(const JsonPlace& place, MethodDeclaration& method) {
  for (const char* const key : {"depth_along", "metres_per_count"})
    if (const auto given = place.find(key); given && method.depth_maps.empty())
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
  method.own_poses = is_own(place, "poses");
  method.own_intrinsics = is_own(place, "intrinsics");
  if (const auto cameras = place.find("cameras")) method.cameras = read_relative(*cameras);
  if (method.own_intrinsics && !method.own_poses)
    place.at("intrinsics").fail("own intrinsics need \"poses\": \"own\"");
}

}  // namespace

MethodDeclaration declaration_from_json(const JsonPlace& place) {
  place.allow_only(
      {"name",          "summary",     "command",          "parameters", "presets",      "result",
       "depth_maps",    "depth_along", "metres_per_count", "stages",     "reads_layout", "refraction",
       "depth_range_m", "unit",        "timeout_s",        "env",        "cwd",          "reads",
       "poses",         "intrinsics",  "cameras",          "runs_in",    "lock"});
  MethodDeclaration method;
  method.name = place.at("name").text();
  if (!is_plain_name(method.name, true)) place.at("name").fail("must consist of letters, digits, _ and -");
  method.command = one_line_of(place.at("command"));
  if (const auto summary = place.find("summary")) method.summary = one_line_of(*summary);
  if (const auto parameters = place.find("parameters"))
    method.parameters = read_parameters(*parameters, method.name);
  if (const auto presets = place.find("presets"))
    for (const auto& [name, preset] : presets->members())
      method.presets.push_back(read_preset(name, preset, method));
  check_placeholders(place.at("command"), method.command, method);
  if (const auto env = place.find("env")) read_environment(*env, method);
  const auto used = placeholders_in(method.command);
  if (std::ranges::find(used, "output") == used.end())
    place.at("command").fail("lacks {output}, the folder for the result");
  check_use(place, method);
  method.dataset = read_layout(place);
  if (const auto result = place.find("result")) method.result = read_relative(*result);
  if (const auto maps = place.find("depth_maps")) method.depth_maps = read_relative(*maps);
  read_depth_meaning(place, method);
  if (const auto stages = place.find("stages")) method.stages = read_relative(*stages);
  if (const auto unit = place.find("unit")) method.unit = read_unit(*unit);
  if (const auto timeout = place.find("timeout_s")) method.timeout_s = read_timeout(*timeout);
  if (const auto folder = place.find("cwd")) method.working_folder = one_line_of(*folder);
  if (const auto reads = place.find("reads"))
    for (const JsonPlace& path : reads->elements()) method.reads.push_back(one_line_of(path));
  read_poses(place, method);
  if (const auto runs_in = place.find("runs_in")) method.runs_in = runs_in_from_json(*runs_in);
  if (const auto lock = place.find("lock")) method.lock = one_line_of(*lock);
  return method;
}

Json to_json(const MethodDeclaration& method) {
  const MethodDeclaration usual;
  Json json = {{"name", method.name}, {"command", method.command}};
  const auto add = [&](const char* key, const std::string& text, const std::string& left_out) {
    if (text != left_out) json[key] = text;
  };
  add("summary", method.summary, usual.summary);
  for (const ParameterSpec& spec : method.parameters) {
    Json parameter = {{"name", spec.name}, {"default", parameter_json(spec.default_value)}};
    if (!std::holds_alternative<std::string>(spec.default_value)) {
      parameter["unit"] = spec.unit;
      if (std::holds_alternative<std::int64_t>(spec.default_value))
        parameter["range"] = {static_cast<std::int64_t>(spec.min), static_cast<std::int64_t>(spec.max)};
      else
        parameter["range"] = {spec.min, spec.max};
    }
    if (!spec.choices.empty()) parameter["choices"] = spec.choices;
    if (!spec.help.empty()) parameter["help"] = spec.help;
    json["parameters"].push_back(std::move(parameter));
  }
  for (const Preset& preset : method.presets) {
    Json& values = json["presets"][preset.name] = Json::object();
    for (const Override& given : preset.overrides) values[given.parameter] = given.value;
  }
  json.update(layout_members(method.dataset));
  add("result", method.result, usual.result);
  add("depth_maps", method.depth_maps, usual.depth_maps);
  if (method.depths_along_z) json["depth_along"] = "z";
  if (method.metres_per_count > 0) json["metres_per_count"] = method.metres_per_count;
  add("stages", method.stages, usual.stages);
  add("unit", method.unit, usual.unit);
  if (method.timeout_s != usual.timeout_s) json["timeout_s"] = method.timeout_s;
  for (const auto& [name, value] : method.environment) json["env"][name] = value;
  add("cwd", method.working_folder, usual.working_folder);
  if (!method.reads.empty()) json["reads"] = method.reads;
  if (method.own_poses) json["poses"] = "own";
  if (method.own_intrinsics) json["intrinsics"] = "own";
  add("cameras", method.cameras, usual.cameras);
  if (!method.runs_in.kind.empty()) json["runs_in"] = to_json(method.runs_in);
  add("lock", method.lock, usual.lock);
  return json;
}

double metres_of(const MethodDeclaration& declaration) {
  return std::ranges::find(kUnits, declaration.unit, [](const auto& unit) { return std::string(unit.first); })
      ->second;
}

}  // namespace aqbench
