#pragma once
// What a method is. Real methods see an Observation and nothing else; simulated ones see the truth through an
// interface of their own, and every record of theirs says so.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
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

struct MethodInput {
  Parameters parameters;
  std::uint64_t seed = 0;
  std::string device = "cpu";
  // An empty folder for files of the method's own, removed after the run; a file kMethodLog in it is kept.
  std::filesystem::path work_dir = {};
  // Given by hand with `aqbench run --depth-range`; a scored case never has one.
  std::optional<ManualDepthRange> depth_range_m = {};
};

// A program of somebody else's that did not end by itself.
class ProgramFailure : public Error {
 public:
  enum class How { timeout, crashed };
  ProgramFailure(How how, const std::string& message) : Error(ErrorKind::method, message), how_(how) {}
  How how() const { return how_; }

 private:
  How how_;
};

inline constexpr const char* kMethodLog = "log.txt";

using RealMethod = Reconstruction (*)(const Observation&, const MethodInput&);
using SimulatedMethod = Reconstruction (*)(const SceneTruth&, const MethodInput&);

struct Preset {
  std::string name;                 // "fast", "balanced", "quality"
  std::vector<Override> overrides;  // owner left empty
};

struct MethodSpec {
  std::string name;
  std::string summary;  // one line
  std::vector<ParameterSpec> parameters;
  std::vector<Preset> presets;      // may be empty; the first is the default
  std::vector<std::string> stages;  // names of the StageScopes that a run opens, outermost first
  std::variant<RealMethod, SimulatedMethod> run;
  bool takes_depth_range = false;  // looks at MethodInput::depth_range_m

  bool simulated() const { return std::holds_alternative<SimulatedMethod>(run); }
};

// To add a method: write its run function, add a row to the table in registry.cc, add its test.
const std::vector<MethodSpec>& method_registry();

// Throws Error(usage) naming near names.
const MethodSpec& find_method(std::string_view name);

}  // namespace aqbench
