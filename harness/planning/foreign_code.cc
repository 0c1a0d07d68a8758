#include "harness/planning/foreign_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

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

std::vector<std::string> foreign_code(std::span<const Case> cases) {
  // Parameters whose value is a program or a file with code.
  constexpr std::array kCodeOptions = {"external.command", "torchscript.model"};
  std::vector<std::string> found;
  const auto add = [&](std::string line) {
    if (std::ranges::find(found, line) == found.end()) found.push_back(std::move(line));
  };
  for (const Case& planned : cases) {
    if (!planned.declaration->empty()) add(declared_program(planned));
    for (const auto& [name, value] : planned.options) {
      if (std::ranges::find(kCodeOptions, name) == kCodeOptions.end()) continue;
      add(name + ": " + to_string(value));
    }
  }
  return found;
}

}  // namespace aqbench
