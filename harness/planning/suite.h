#pragma once
// Named lists of cases: the built-in suites and a user's own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "harness/planning/axis.h"

namespace aqbench {

class JsonPlace;

// Largest width and height of images that can be asked for.
inline constexpr int kMaxImageSide_px = 16384;

// What images are made with. A member that was not asked for is empty.
struct ImageChoice {
  std::optional<std::string> rig, imaging;
  std::optional<int> width_px, height_px;
};

// Further cases of a suite: the product of these scenes, methods and axes with the suite's seeds, sets and
// images. The axes seed and rig cannot stand here.
struct SuitePart {
  std::vector<std::string> scenes, methods;
  std::vector<Axis> axes = {};
};

// A named list of cases: the product of scenes, methods, seeds and axes, the cases of its further parts, and
// the product of workloads, seeds and axes.
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
  // Warm runs of a workload where the request says neither their number nor their precision nor their time.
  std::vector<std::pair<std::string, int>> repetitions = {};
};

// Returns the built-in suites. To add one: add a row to a table in suite.cc.
const std::vector<Suite>& suite_registry();

// Return the scenes and the methods of a suite and of its further parts, each once.
std::vector<std::string> all_scenes(const Suite& suite);
std::vector<std::string> all_methods(const Suite& suite);

// Reads a suite from a file, `--suite-file FILE.json`:
//   {"name": "mine", "description": "one line", "scenes": ["undulating"], "methods": ["roma_like"],
//    "seeds": [42, 43], "axes": {"threads": [1, 2], "undulating.amplitude_m": "0.001:0.005:0.001"},
//    "set": {"roma_like.points": 5000}, "rig": "ring12", "imaging": "clean", "width": 480, "height": 360,
//    "more": [{"scenes": ["undulating"], "methods": ["sparse"], "axes": {"sparse.clahe": ["off", "on"]}}]}
// name is required, and scenes and methods, or "workloads": ["absorption"] beside or in place of them; all
// three may be patterns. "repetitions": {"absorption": 200} are warm runs of a workload, unless the request
// says how it is timed. An axis is an array of values or text of the --axis grammar. Throws Error(input)
// naming the file and the JSON path; unknown keys are refused.
Suite read_suite_file(const std::filesystem::path& path);

// Reads the keys rig, imaging, width and height of an object; each may be missing. Throws Error(input) naming
// the place.
ImageChoice images_from_json(const JsonPlace& root);

// Adds those of the keys rig, imaging, width and height that were asked for.
void add_images(Json& json, const ImageChoice& images);

// Returns {"NAME": ["VALUE", ...], ...}.
Json axes_json(const std::vector<Axis>& axes);

// Returns the suite as suite_from_json() reads it.
Json to_json(const Suite& suite);

// Reads a suite. Throws as read_suite_file(), with `source` for the file.
Suite suite_from_json(const Json& json, const std::string& source);

// Reads a suite in the same way at a place of a larger document.
Suite suite_at(const JsonPlace& root);

}  // namespace aqbench
