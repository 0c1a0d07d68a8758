#pragma once
// One point of a sweep with its faults and its number of runs. Plain data, made by harness/planning/plan.h,
// run by harness/running/run_case.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/members.h"
#include "core/parameters.h"
#include "harness/records/record.h"

namespace aqbench {

// The maximum number of faults per case.
inline constexpr std::size_t kMaxFaultsPerCase = 64;

// The largest seed.
inline constexpr auto kMaxSeed = static_cast<std::uint64_t>(INT64_MAX);

// Injected faults: `--inject [CASE_GLOB:]STAGE=+5%|20ms|throw|abort|hang|oom|corrupt`. They test the harness;
// the record counts their strikes.
//   +5%      the stage takes 5 % longer (busy), counted in its wall time
//   20ms     (or us, s) the stage sleeps 20 ms at its end, counted in its wall time
//   throw    Error(method) when the stage is entered
//   abort    the process aborts when the stage is entered
//   hang     the stage never ends
//   oom      the stage takes memory until it is killed
//   corrupt  after the run every point, mesh vertex and depth is moved by 5 mm along +Z

// A fault planned for one case (harness/running/measured_case.h carries it out).
struct Fault {
  std::string stage;   // a stage of the method, or "*" for the outermost ones
  std::string effect;  // as given: "+5%", "20ms", "throw", "abort", "hang", "oom", "corrupt"

  template <class Row>
  static void members(const Row& row) {
    row("stage", &Fault::stage);
    row("effect", &Fault::effect);
  }
};

// One --inject argument. The stage is between the last ':' and the last '='; "*" means the outermost stages.
// Without a glob every case is meant.
struct Inject {
  std::string case_glob;
  Fault fault;
};

// Parses such an argument. Throws Error(usage) quoting it.
Inject parse_inject(std::string_view argument);

// Returns a text that parse_inject() reads back as the same.
std::string to_string(const Inject& inject);

// The effect of a fault (the list above, in its order).
enum class FaultKind { slow_down, sleep, throw_error, abort, hang, out_of_memory, corrupt };

// The effect of a fault and its amount.
struct FaultEffect {
  FaultKind kind{};
  double amount = 0;  // a share of the stage's time for slow_down, seconds for sleep
};

// Parses Fault::effect. Throws Error(usage) quoting the text.
FaultEffect parse_fault_effect(std::string_view text);

// A case runs once cold (the first call of its process), then `warmup` discarded calls, then warm
// repetitions, each of which is a sample. They continue until there are `repetitions` of them, they sum up to
// `min_time_s` and, if `precision` is given, half the 95 % confidence interval of their median is at most
// that share of the median; they stop at `max_repetitions` or `max_time_s` in any case.
struct TimingPlan {
  int repetitions = 0;  // 0, without min_time_s and precision: only the cold call
  int warmup = 0;
  double min_time_s = 0;
  double precision = 0;  // a share: 0.02 = 2 %; 0: not requested
  int max_repetitions = 1000;
  double max_time_s = 60;
  int blocks =
      1;  // processes of the case; each carries out this plan; processes of different cases alternate

  bool times_warm() const { return repetitions > 0 || min_time_s > 0 || precision > 0; }
  bool operator==(const TimingPlan&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("repetitions", &TimingPlan::repetitions, kNotNegative);
    row("warmup", &TimingPlan::warmup, kNotNegative);
    row("min_time_s", &TimingPlan::min_time_s);
    row("precision", &TimingPlan::precision);
    row("max_repetitions", &TimingPlan::max_repetitions, kNotNegative);
    row("max_time_s", &TimingPlan::max_time_s);
    row("blocks", &TimingPlan::blocks, kNotNegative);
  }
};

// The timing options of the command line; effective_timing() fills the rest.
struct TimingRequest {
  std::optional<int> repetitions, warmup, max_repetitions, blocks;
  std::optional<double> min_time_s, precision, max_time_s;

  bool operator==(const TimingRequest&) const = default;

  template <class Row>
  static void members(const Row& row) {
    row("repetitions", &TimingRequest::repetitions);
    row("warmup", &TimingRequest::warmup);
    row("min_time_s", &TimingRequest::min_time_s);
    row("precision", &TimingRequest::precision);
    row("max_repetitions", &TimingRequest::max_repetitions);
    row("max_time_s", &TimingRequest::max_time_s);
    row("blocks", &TimingRequest::blocks);
  }
};

// Throws Error(usage) naming the flag for negative counts, a precision of 100 % or more, and a maximum below
// the number it limits.
void check(const TimingRequest& request);

// Returns the plan of a request. By default methods run only cold, workloads with 2 warm-up calls and 10
// repetitions.
TimingPlan effective_timing(const TimingRequest& request, bool workload);

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
