#include "harness/planning/foreign_code.h"

#include <algorithm>
#include <array>

namespace aqbench {

std::vector<std::string> foreign_code(std::span<const Case> cases) {
  // Parameters whose value is a program, or a file with code.
  constexpr std::array kCodeOptions = {"external.command", "torchscript.model"};
  std::vector<std::string> found;
  for (const Case& planned : cases)
    for (const auto& [name, value] : planned.options) {
      if (std::ranges::find(kCodeOptions, name) == kCodeOptions.end()) continue;
      std::string line = name + ": " + to_string(value);
      if (std::ranges::find(found, line) == found.end()) found.push_back(std::move(line));
    }
  return found;
}

}  // namespace aqbench
