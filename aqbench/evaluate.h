#pragma once
// All of `aqbench eval` on clouds and meshes in memory: truths of every kind, alignment, crops, units and
// protocols, by the program itself (target aqbench::metrics; aqbench/scenes.h states the guarantee).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "aqbench/metric.h"

namespace aqbench::v1 {

// A cloud or mesh that stands for a file in the arguments of evaluate(), by its name.
struct Geometry {
  std::string name;                               // the one argument that stands for it: "cloud"
  std::span<const double> points;                 // n x 3, in the unit that the arguments name
  std::span<const double> normals = {};           // n x 3, unit, or empty; not of a mesh
  std::span<const std::uint32_t> triangles = {};  // m x 3 indices of a mesh, whose vertices are `points`
};

// What `aqbench eval` says.
struct Evaluation {
  std::string json;                // as with --json
  std::vector<Metric> metrics;     // of a cloud, mesh or depth map; protocols and boards are in `json` alone
  std::vector<std::string> notes;  // warnings and hints, such as on the extent and the unit
};

// Returns the path of the program: $AQBENCH_PROGRAM, that of this installation or build folder, or the one on
// the PATH. Throws Failure where there is none.
std::string program();

// Does what `aqbench eval ARGUMENTS` does, bit for bit:
//   evaluate({"cloud", "--truth", "scan", "--align", "icp"}, {{"cloud", points}, {"scan", scanned}})
// The program reads geometries from memory, where they are written once. Throws Failure with the program's
// line and exit code.
Evaluation evaluate(std::vector<std::string> arguments, std::span<const Geometry> geometries = {});

}  // namespace aqbench::v1
