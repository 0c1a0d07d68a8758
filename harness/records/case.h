#pragma once
// One point of a sweep. Plain data, made by harness/planning/plan.h, run by harness/running/run_case.h.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "harness/records/fault.h"
#include "harness/records/named_values.h"
#include "harness/records/timing_plan.h"

namespace aqbench {

// The prefix of scenes that are recordings: "dataset:LABEL".
inline constexpr std::string_view kDatasetPrefix = "dataset:";

// The image options of a case (scenes/dataset/dataset.h).
struct CaseImages {
  std::string rig = "ring12";
  std::string imaging = "default";         // a variant
  std::optional<int> width_px, height_px;  // one of them keeps the rig's ratio; none: the rig's size

  template <class Row>
  static void members(const Row& row) {
    row("rig", &CaseImages::rig);
    row("imaging", &CaseImages::imaging);
    row("width_px", &CaseImages::width_px);
    row("height_px", &CaseImages::height_px);
  }
};

// A case: everything that determines its result, so that the hash of its JSON identifies it.
struct Case {
  // "undulating/roma_like/seed=43"; with preset "scene/method:preset/seed=.."; then "/axis=value" for rig,
  // imaging, width and height other than the default, and for swept axes, but never for `--threads`. A
  // workload's axes come first: "absorption/variant=fused/size=512/seed=42".
  std::string name;
  std::string scene;     // registry name or "mesh:FILE.ply"
  std::string method;    // empty for a workload
  std::string preset;    // empty: the method's default preset, if it has any
  std::string workload;  // empty for a scene x method case
  std::uint64_t seed = 42;
  int threads = 1;
  std::string device = "cpu";
  bool simulated = false;            // the method sees the truth
  std::optional<CaseImages> images;  // none if nothing uses images
  NamedValues axes;                  // other axes swept, in the order given
  std::vector<Override> overrides;   // --set and axes that are parameters
  // The effective values, "undulating.amplitude_m": those that differ from the parameter's default or have
  // none, and those at their defaults. A new parameter does not change the former.
  NamedValues options, defaults;
  std::vector<Fault> faults;  // --inject
  TimingPlan timing;          // number of runs
  // The user's declaration of the method (pipeline/method/declaration.h); an empty object for aqbench's own.
  JsonBox declaration = {};
  // The folder of its project file. Not in the JSON: it does not affect the result.
  std::string project_dir = {};

  template <class Row>
  static void members(const Row& row) {
    row("case", &Case::name);
    row("scene", &Case::scene);
    row("method", &Case::method);
    row("preset", &Case::preset);
    row("workload", &Case::workload);
    row("seed", &Case::seed);
    row("threads", &Case::threads);
    row("device", &Case::device);
    row("simulated", &Case::simulated);
    row("images", &Case::images);
    row("axes", &Case::axes);
    row("overrides", &Case::overrides);
    row("options", &Case::options);
    row("faults", &Case::faults);
    row("defaults", &Case::defaults, kLeftOut);
    row("timing", &Case::timing, kLeftOut);
    row("declaration", &Case::declaration, kLeftOut);
  }
};

// Returns all members in a fixed order; "timing" only if the case is not only timed cold, "declaration" only
// for a declared method.
Json to_json(const Case& planned);

// Reads what to_json() wrote; writing it again gives the same text. Throws Error(input) naming `source` and
// the place.
Case case_from_json(const Json& json, const std::string& source);

// Adds the parameters of `owner` to the options or defaults of the case.
void add_options(Case& planned, std::string_view owner, const Parameters& parameters);

// Returns the value of an option, at its default or not; nullptr if the case does not have it.
const ParameterValue* find_option(const Case& planned, std::string_view name);

// Returns "OWNER.PARAMETER=VALUE", which parse_override() reads back.
std::string override_text(const Override& given);

}  // namespace aqbench
