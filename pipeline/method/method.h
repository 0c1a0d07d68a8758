#pragma once
// The definition of a method. Real methods see only an Observation. Simulated ones see the truth and have
// their own type; each of their records says so.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
#include "pipeline/method/declaration.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct SceneTruth;  // scenes/scene.h, included by simulated methods only

// The input of a real method: a dataset without its truth.
struct Observation {
  std::filesystem::path dataset_dir;  // contains calibration.json and images/ (layout: docs/dataset.md)
};

// The input of a run beside the observation or truth.
struct MethodInput {
  Parameters parameters;
  std::uint64_t seed = 0;
  std::string device = "cpu";
  // An empty folder for the method's own files, removed after the run except for the file kMethodLog.
  std::filesystem::path work_dir = {};
  // For a declared method: its declaration, and the folder of the project file, the base of relative paths.
  std::shared_ptr<const MethodDeclaration> declaration = {};
  std::filesystem::path project_dir = {};
  bool own_poses = false;  // of a declared method: the dataset has no poses, and it writes its own
  std::string scene = {};  // the name of the scene in patterns of given files: "tank" of "dataset:tank"
};

// Thrown where a method cannot run on this machine at all, which says nothing of the method: its case is
// skipped for this reason.
class CannotRunHere : public Error {
 public:
  explicit CannotRunHere(const std::string& why) : Error(ErrorKind::method, why) {}
};

// The error of an external program killed at its time limit or by a signal.
class ProgramFailure : public Error {
 public:
  enum class How { timeout, crashed };
  ProgramFailure(How how, const std::string& message) : Error(ErrorKind::method, message), how_(how) {}
  How how() const { return how_; }

 private:
  How how_;
};

// The file in MethodInput::work_dir with an external program's output.
inline constexpr const char* kMethodLog = "log.txt";

// The functions that run a real and a simulated method.
using RealMethod = Reconstruction (*)(const Observation&, const MethodInput&);
using SimulatedMethod = Reconstruction (*)(const SceneTruth&, const MethodInput&);

// Names the files and folders that a real method needs beside its dataset. Its process can read these, the
// dataset and system files, and nothing else.
using MethodReads = std::vector<std::filesystem::path> (*)(const Observation&, const MethodInput&);

// A file or container image that makes a program of the user what it is.
struct GuestPart {
  std::string name;            // as declared, or relative to the project
  std::filesystem::path file;  // a file, or a folder of which all files count; empty for an image by its name
  std::string sha256 = {};     // of an image; else empty: it is the hash of the file
};

// Names what makes the method's program what it is: program, script, `reads`, lock file, image.
using GuestParts = std::vector<GuestPart> (*)(const MethodInput&);

// A registered method.
struct MethodSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::vector<Preset> presets;      // may be empty; the first is the default
  std::vector<std::string> stages;  // names of the StageScopes that a run opens, outermost first
  std::variant<RealMethod, SimulatedMethod> run;
  // The number type that the result is computed from; "unknown" for an external program.
  std::string dtype = "float64";
  bool gives_depth_maps = false;
  bool uses_libtorch = false;     // whatever its parameters are
  bool starts_program = false;    // an external one: its parameter `command`, or declared
  bool tells_own_stages = false;  // reports stages beside those listed: a program or a model
  MethodReads reads = nullptr;    // nullptr: nothing
  GuestParts guest = nullptr;     // nullptr: aqbench's own
  std::shared_ptr<const MethodDeclaration> declaration = {};  // of a declared method

  bool simulated() const { return std::holds_alternative<SimulatedMethod>(run); }
};

// Returns all methods in listing order. To add one see CONTRIBUTING.md, "Add a method".
const std::vector<MethodSpec>& method_registry();

// Finds a method by name. Throws Error(usage) with similar names.
const MethodSpec& find_method(std::string_view name);

// Returns the spec of a declared method; its run and reads need MethodInput::declaration.
MethodSpec declared_method(const MethodDeclaration& declaration);

// The methods that need OpenCV or Open3D: in the module `pipeline` (core/module.h).
struct MethodsTable {
  RealMethod dense_flow, sparse, plane_sweep, torchscript;
};

// Returns the table, loading the module if necessary. Throws Error(input) if the module is not installed.
const MethodsTable& methods_table();

// A listed stage.
struct StageSpec {
  std::string name;
  std::string summary;  // one line
};

// Returns all stages; every name in MethodSpec::stages is one of them. To add a stage: open a scope of its
// name and add a row.
const std::vector<StageSpec>& stage_registry();

}  // namespace aqbench
