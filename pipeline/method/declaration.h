#pragma once
// Methods declared in a user's project file: an external program with parameters, presets and labels.

#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "pipeline/method/declared_layout.h"
#include "pipeline/method/runs_in.h"

namespace aqbench {

// A named set of parameter values of one method.
struct Preset {
  std::string name;                 // "fast", "balanced", "quality"
  std::vector<Override> overrides;  // owner left empty
};

// The limit of a parameter's values if a declaration gives no range: from -kNoRange to kNoRange. Beyond it a
// double does not represent every integer.
inline constexpr double kNoRange = 0x1p53;

// A program run as a method. Paths are relative to the folder of the project file, those of results to
// {output}.
struct MethodDeclaration {
  std::string name;
  std::string summary;  // one line
  std::string command;  // with {dataset}, {output}, {threads}, {seed}, {device}, {project}, {PARAMETER}
  std::vector<ParameterSpec> parameters;
  std::vector<Preset> presets;
  std::string result = "cloud.ply";    // a cloud or a mesh, in any format of eval
  std::string depth_maps;              // folder of depth maps; empty: none
  bool depths_along_z = false;         // else along the ray
  double metres_per_count = 0;         // of depth maps of integers; 0: there are none
  std::string stages = "stages.json";  // read if the program wrote it
  std::string unit = "m";              // of points and depths: m, cm or mm
  double timeout_s = 540;
  std::vector<std::pair<std::string, std::string>> environment;  // values with the placeholders of `command`
  std::string working_folder;                                    // empty: that of the project file
  std::vector<std::string> reads;  // files and folders needed beside its dataset
  bool own_poses = false;          // it gets no camera poses, finds them itself and writes them to `cameras`
  bool own_intrinsics = false;     // with own_poses: it gets no intrinsics either
  RunsIn runs_in = {};             // the environment of the command
  std::string lock;                // file that fixes its packages, recorded; empty: a usual one, if any
  std::string cameras = ".";       // of own poses: file or folder in {output} (scenes/cloud/camera_poses.h)
  DeclaredLayout dataset;
};

// Reads a declaration and checks all of it: names, units, that the command has {output} and no unknown
// placeholder, that every parameter has a default within its range and occurs in the command or in a value of
// `env`, that presets name parameters. Throws Error(input) naming the place.
MethodDeclaration declaration_from_json(const JsonPlace& place);

// Returns the declaration in the form that declaration_from_json() reads, without members at their defaults.
Json to_json(const MethodDeclaration& declaration);

// Returns the length of a declared result's unit in metres: 0.001 for "mm".
double metres_of(const MethodDeclaration& declaration);

}  // namespace aqbench
