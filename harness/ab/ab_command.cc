#include "harness/ab/ab_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace aqbench {

Json to_json(const AbCommand& command) {
  Json environment = Json::object();
  for (const auto& [name, value] : command.environment) environment[name] = value;
  return {{"line", command.line},
          {"folder", command.folder},
          {"environment", environment},
          {"prepare", command.prepare},
          {"relink", command.relink}};
}

Json to_json(const AbCommandRules& rules) {
  Json json = {{"compare_output", rules.compare_output},
               {"any_exit_code", rules.any_exit_code},
               {"quick", rules.quick},
               {"layouts", rules.layouts}};
  if (rules.gbench) json["gbench"] = true;
  return json;
}

AbCommand ab_command_from_json(const JsonPlace& place) {
  place.allow_only({"line", "folder", "environment", "prepare", "relink"});
  AbCommand command;
  command.line = place.at("line").text();
  command.folder = place.at("folder").text();
  for (const auto& [name, value] : place.at("environment").members())
    command.environment.emplace_back(name, value.text());
  command.prepare = place.at("prepare").text();
  command.relink = place.at("relink").text();
  return command;
}

AbCommandRules ab_command_rules_from_json(const JsonPlace& place) {
  place.allow_only({"compare_output", "any_exit_code", "quick", "layouts", "gbench"});
  AbCommandRules rules;
  rules.compare_output = place.at("compare_output").text();
  rules.any_exit_code = place.at("any_exit_code").boolean();
  rules.quick = place.at("quick").boolean();
  rules.layouts = place.at("layouts").count();
  if (const auto gbench = place.find("gbench")) rules.gbench = gbench->boolean();
  if (rules.layouts > kMaxLayouts) place.at("layouts").fail(fmt::format("is above {}", kMaxLayouts));
  return rules;
}

}  // namespace aqbench
