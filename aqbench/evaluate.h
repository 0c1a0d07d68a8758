#pragma once
// All of `aqbench eval`, in this process, on clouds and meshes in memory or in files: truths of every kind,
// alignment, crops, units and protocols (target aqbench::metrics; aqbench/scenes.h states the guarantee).

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
  std::string json;                // as with --json; `environment` says what is known without a process
  std::vector<Metric> metrics;     // of a cloud, mesh or depth map; protocols and boards are in `json` alone
  std::vector<std::string> notes;  // warnings and hints, such as on the extent and the unit
};

// Returns the path of the program: $AQBENCH_PROGRAM, that of this installation or build folder, or the one on
// the PATH. Throws Failure where there is none.
std::string program();

// Does what `aqbench eval ARGUMENTS` does, bit for bit:
//   evaluate({"cloud", "--truth", "scan", "--align", "icp"}, {{"cloud", points}, {"scan", scanned}})
// No process is started, and nothing is printed. Points without normals that no alignment moves to the
// surface are read where they are; other geometries are copied once. Calls may run at the same time;
// --threads then holds for all of them. Bundles (--out, patterns) are written by the program alone. Throws
// Failure with the program's line and exit code.
Evaluation evaluate(std::vector<std::string> arguments, std::span<const Geometry> geometries = {});

}  // namespace aqbench::v1
