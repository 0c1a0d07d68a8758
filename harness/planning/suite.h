#pragma once
// Named lists of cases: the built-in suites and a user's own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "harness/planning/axis.h"

namespace aqbench {

class JsonPlace;

// The largest width and height of images.
inline constexpr int kMaxImageSide_px = 16384;

// Owner of the parameters of a suite's alignment (harness/planning/case_options.h): "alignment.then".
inline constexpr const char* kAlignmentOwner = "alignment";

// Owner of the lengths that scores depend on (harness/planning/case_options.h): "scoring.outlier_mm".
inline constexpr const char* kScoringOwner = "scoring";

// Owner of the protocols of other benchmarks (harness/planning/case_options.h): "protocols.names".
inline constexpr const char* kProtocolsOwner = "protocols";

// Image options; empty members are unset.
struct ImageChoice {
  std::optional<std::string> rig, imaging;
  std::optional<int> width_px, height_px;
};

// Additional cases of a suite: the product of these scenes, methods and axes with the suite's seeds, sets and
// images. The axes seed and rig are not allowed here.
struct SuitePart {
  std::vector<std::string> scenes, methods;
  std::vector<Axis> axes = {};
};

// A named list of cases: the product of scenes, methods, seeds and axes, the cases of its additional parts,
// and the product of workloads, seeds and axes.
struct Suite {
  std::string name;
  std::string description;  // one line
  std::vector<std::string> scenes = {};
  std::vector<std::string> methods = {};  // "name" or "name:preset"
  std::vector<std::uint64_t> seeds = {42};
  std::vector<Axis> axes = {};
  std::vector<Override> sets = {};
  std::vector<std::string> workloads = {};
  ImageChoice images = {};
  std::vector<SuitePart> more = {};
  // Warm runs of a workload if the request sets neither their number, precision nor time.
  std::vector<std::pair<std::string, int>> repetitions = {};
  // "own": its methods get no camera poses; "given": they get them; empty: as each method declares.
  std::string poses = {};
};

// Returns the built-in suites. To add one: add a row to a table in suite.cc.
const std::vector<Suite>& suite_registry();

// Return the scenes and methods of a suite and its additional parts, each once.
std::vector<std::string> all_scenes(const Suite& suite);
std::vector<std::string> all_methods(const Suite& suite);

// Reads a suite from a file, `--suite-file FILE.json`:
//   {"name": "mine", "description": "one line", "scenes": ["undulating"], "methods": ["roma_like"],
//    "seeds": [42, 43], "axes": {"threads": [1, 2], "undulating.amplitude_m": "0.001:0.005:0.001"},
//    "set": {"roma_like.points": 5000}, "rig": "ring12", "imaging": "clean", "width": 480, "height": 360,
//    "more": [{"scenes": ["undulating"], "methods": ["sparse"], "axes": {"sparse.clahe": ["off", "on"]}}]}
// "protocols": ["eth3d", "dtu"] are computed for all of its cases. "poses": "given" or "own", and
// "alignment": {"then": "icp"} for all of its cases (harness/planning/case_options.h). name is required, and
// scenes and methods, or "workloads": ["absorption"] beside or in place of them; all three may be patterns.
// "repetitions": {"absorption": 200} are warm runs of a workload, unless the request says how it is timed. An
// axis is an array of values or text of the --axis grammar. Throws Error(input) naming the file and the JSON
// path; unknown keys are refused.
Suite read_suite_file(const std::filesystem::path& path);

// Reads the optional keys rig, imaging, width and height of an object. Throws Error(input) naming the place.
ImageChoice images_from_json(const JsonPlace& root);

// Adds those of the keys rig, imaging, width and height that are set.
void add_images(Json& json, const ImageChoice& images);

// Returns {"NAME": ["VALUE", ...], ...}.
Json axes_json(const std::vector<Axis>& axes);

// Returns the suite in the form that suite_from_json() reads.
Json to_json(const Suite& suite);

// Reads a suite. Throws like read_suite_file(), with `source` for the file.
Suite suite_from_json(const Json& json, const std::string& source);

// Reads a suite at a place of a larger document.
Suite suite_at(const JsonPlace& root);

}  // namespace aqbench
