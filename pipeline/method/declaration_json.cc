#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "pipeline/method/declaration.h"

namespace aqbench {

std::vector<std::pair<std::string, std::string>> unusual_members(const DeclaredLayout& dataset) {
  std::vector<std::pair<std::string, std::string>> members;
  if (dataset.layout != DeclaredLayout().layout) members.emplace_back("reads_layout", dataset.layout);
  if (dataset.ignores_refraction) members.emplace_back("refraction", "ignore");
  if (dataset.takes_ports) members.emplace_back("refraction", "ports");
  if (dataset.pinhole_at_m > 0)
    members.emplace_back("refraction", fmt::format("pinhole_at_m={}", dataset.pinhole_at_m));
  return members;
}

std::vector<ProtocolFile> protocol_files(const MethodDeclaration& method) {
  std::vector<ProtocolFile> files;
  if (method.gives != MethodDeclaration().gives)
    files.push_back({method.gives, method.given.empty() ? method.result : ""});
  if (!method.point_maps.empty()) files.push_back({"point_maps", method.point_maps});
  if (!method.images.empty()) files.push_back({"images", method.images});
  return files;
}

Json to_json(const MethodDeclaration& method) {
  const MethodDeclaration usual;
  Json json = {{"name", method.name}};
  const auto add = [&](const char* key, const std::string& text, const std::string& left_out) {
    if (text != left_out) json[key] = text;
  };
  add("command", method.command, usual.command);
  add("given", method.given, usual.given);
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
  add("reads_layout", method.dataset.layout, usual.dataset.layout);
  if (method.dataset.ignores_refraction) json["refraction"] = "ignore";
  if (method.dataset.takes_ports) json["refraction"] = "ports";
  if (method.dataset.pinhole_at_m > 0) json["refraction"] = {{"pinhole_at_m", method.dataset.pinhole_at_m}};
  if (method.dataset.most_depth_m > 0)
    json["depth_range_m"] = {method.dataset.least_depth_m, method.dataset.most_depth_m};
  add("result", method.result, usual.result);
  add("gives", method.gives, usual.gives);
  add("depth_maps", method.depth_maps, usual.depth_maps);
  add("point_maps", method.point_maps, usual.point_maps);
  add("images", method.images, usual.images);
  if (method.depths_along_z) json["depth_along"] = "z";
  if (method.metres_per_count > 0) json["metres_per_count"] = method.metres_per_count;
  add("stages", method.stages, usual.stages);
  add("unit", method.unit, usual.unit);
  if (method.timeout_s != usual.timeout_s) json["timeout_s"] = method.timeout_s;
  for (const auto& [name, value] : method.environment) json["env"][name] = value;
  add("cwd", method.working_folder, usual.working_folder);
  if (!method.reads.empty()) json["reads"] = method.reads;
  if (method.own_poses) json["poses"] = "own";
  if (!method.own_poses && method.gives == "poses") json["poses"] = "given";
  if (method.own_intrinsics) json["intrinsics"] = "own";
  add("cameras", method.cameras, usual.cameras);
  add("world_from_cloud", method.world_from_cloud, usual.world_from_cloud);
  if (!method.runs_in.kind.empty()) json["runs_in"] = {{method.runs_in.kind, method.runs_in.place}};
  add("lock", method.lock, usual.lock);
  return json;
}

}  // namespace aqbench
