#pragma once
// Named lists of cases: the built-in suites and a user's own.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/axis.h"
#include "scenes/core/json_fwd.h"
#include "scenes/core/parameters.h"

namespace aqbench {

// The product of scenes, methods, seeds and axes, and that of workloads, seeds and axes.
struct Suite {
  std::string name;
  std::string description;  // one line
  std::vector<std::string> scenes;
  std::vector<std::string> methods;  // "name" or "name:preset"
  std::vector<std::uint64_t> seeds = {42};
  std::vector<Axis> axes;
  std::vector<Override> sets;
  std::vector<std::string> workloads = {};
};

// To add one: add a row to the table in suite.cc.
const std::vector<Suite>& suite_registry();

// A suite in a file, `--suite-file FILE.json`:
//   {"name": "mine", "description": "one line", "scenes": ["undulating"], "methods": ["roma_like"],
//    "seeds": [42, 43], "axes": {"threads": [1, 2], "undulating.amplitude_m": "0.001:0.005:0.001"},
//    "set": {"roma_like.points": 5000}}
// name is required, and scenes and methods, or "workloads": ["absorption"] beside or in place of them; all
// three may be patterns. An axis is an array of values or text of the --axis grammar. Throws Error(input)
// naming the file and the JSON path; unknown keys are refused.
Suite read_suite_file(const std::filesystem::path& path);

Json to_json(const Suite& suite);
Suite suite_from_json(const Json& json, const std::string& source);

}  // namespace aqbench
