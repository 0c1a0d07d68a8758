#include "aqbench/evaluate.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "aqbench/failure.h"
#include "aqbench/hidden.h"
#include "core/module.h"
#include "core/processes/process.h"
#include "harness/eval/eval.h"
#include "harness/measuring/machine.h"

namespace aqbench::v1 {
namespace {

namespace fs = std::filesystem;

GivenGeometry given(const Geometry& geometry, const std::vector<std::string>& arguments) {
  if (std::ranges::count(arguments, geometry.name) != 1)
    throw Failure(2, geometry.name + ": must be one of the arguments, once");
  if (geometry.points.size() % 3 != 0) throw Failure(2, geometry.name + ": must hold n x 3 values");
  if (!geometry.normals.empty())
    require_length(geometry.name + ": normals", geometry.normals.size(), geometry.points.size());
  if (geometry.triangles.size() % 3 != 0)
    throw Failure(2, geometry.name + ": triangles: must hold m x 3 indices");
  return {geometry.name, as_points(geometry.points), as_points(geometry.normals), geometry.triangles};
}

}  // namespace

std::string program() {
  if (const char* const named = std::getenv("AQBENCH_PROGRAM"); named != nullptr && *named != '\0')
    return named;
  const fs::path folder = own_file().parent_path();
  const auto is_program = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  // A build folder; the wheel's or an installation's lib/; Debian's lib/x86_64-linux-gnu/.
  for (const char* const place : {"aqbench", "../bin/aqbench", "../../bin/aqbench"})
    if (const fs::path file = (folder / place).lexically_normal(); is_program(file)) return file;
  if (std::string found = find_in_path("aqbench"); found.find('/') != found.npos) return found;
  throw Failure(2, "the program aqbench is not on the PATH; install the wheel or the package aqbench");
}

Evaluation evaluate(std::vector<std::string> arguments, std::span<const Geometry> geometries) {
  return with_failures([&] {
    Evaluation found;
    EvalHost host;
    host.tell = [&](const std::string& line) { found.notes.push_back(line); };
    host.environment = [] { return JsonBox(machine_json()); };
    for (const Geometry& geometry : geometries) host.geometries.push_back(given(geometry, arguments));
    arguments.emplace_back("--json");
    try {
      const EvalAnswer answer = eval_answer(eval_request(arguments), arguments, std::move(host));
      found.json = answer.json;
      found.metrics = metrics_of(answer.metrics);
    } catch (const HelpWanted&) {
      throw usage_error("--help: is printed by the program alone");
    }
    return found;
  });
}

}  // namespace aqbench::v1
