#pragma once
// What a method is. Real methods see an Observation and nothing else. Simulated ones see the truth, and have
// a type of their own; every record of theirs says so.

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

// What a real method is given: a dataset without its truth.
struct Observation {
  std::filesystem::path dataset_dir;  // with calibration.json and images/, laid out as docs/dataset.md says
};

// Depths to search, metres along the refracted ray from the water surface.
struct ManualDepthRange {
  double min_m = 0;
  double max_m = 0;
};

// The input of a run beside what is observed or true.
struct MethodInput {
  Parameters parameters;
  std::uint64_t seed = 0;
  std::string device = "cpu";
  // An empty folder for files of the method's own, removed after the run; only the file kMethodLog in it is
  // kept.
  std::filesystem::path work_dir = {};
  // The range that the user gave with `aqbench run --depth-range`; a scored case never has one.
  std::optional<ManualDepthRange> depth_range_m = {};
  // Of a method that a user declared, and the folder of the project file, which relative paths are read from.
  std::shared_ptr<const MethodDeclaration> declaration = {};
  std::filesystem::path project_dir = {};
};

// The error of somebody else's program that was killed after its time limit or by a signal.
class ProgramFailure : public Error {
 public:
  enum class How { timeout, crashed };
  ProgramFailure(How how, const std::string& message) : Error(ErrorKind::method, message), how_(how) {}
  How how() const { return how_; }

 private:
  How how_;
};

// The file in MethodInput::work_dir that holds what an external program printed.
inline constexpr const char* kMethodLog = "log.txt";

// The function that runs a real method.
using RealMethod = Reconstruction (*)(const Observation&, const MethodInput&);

// The function that runs a simulated method.
using SimulatedMethod = Reconstruction (*)(const SceneTruth&, const MethodInput&);

// The function that names the files and folders which a real method needs beside its dataset: the process
// that runs the method can read these, the dataset, the files of the system, and nothing else.
using MethodReads = std::vector<std::filesystem::path> (*)(const Observation&, const MethodInput&);

// A method as it is registered.
struct MethodSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::vector<Preset> presets;      // may be empty; the first is the default
  std::vector<std::string> stages;  // names of the StageScopes that a run opens, outermost first
  std::variant<RealMethod, SimulatedMethod> run;
  // The type of the numbers that the result is computed from; "unknown" for somebody else's program.
  std::string dtype = "float64";
  bool takes_depth_range = false;  // looks at MethodInput::depth_range_m
  bool gives_depth_maps = false;   // in every case
  bool starts_program = false;     // somebody else's: its parameter `command`, or declared
  bool tells_own_stages = false;   // beside those that are listed: of a program or a model
  MethodReads reads = nullptr;     // nullptr: nothing
  std::shared_ptr<const MethodDeclaration> declaration = {};  // of a method that a user declared

  bool simulated() const { return std::holds_alternative<SimulatedMethod>(run); }
};

// Returns all methods, in the order in which they are listed. CONTRIBUTING.md, "Add a method", says how to
// add one.
const std::vector<MethodSpec>& method_registry();

// Finds a method by name. Throws Error(usage) naming near names.
const MethodSpec& find_method(std::string_view name);

// Returns the method that a user declared; its run and its reads need MethodInput::declaration.
MethodSpec declared_method(const MethodDeclaration& declaration);

}  // namespace aqbench
