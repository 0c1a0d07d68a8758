#pragma once
// Named lists of cases: the built-in suites and a user's own.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "harness/planning/axis.h"

namespace aqbench {

inline constexpr int kMaxImageSide_px = 16384;

// What images are made with, as far as asked for.
struct ImageChoice {
  std::optional<std::string> rig, imaging;
  std::optional<int> width_px, height_px;
};

// Further cases: a product of its own with the suite's seeds, sets and images. Axes seed and rig are the
// suite's alone.
struct SuitePart {
  std::vector<std::string> scenes, methods;
  std::vector<Axis> axes = {};
};

// The product of scenes, methods, seeds and axes, those of its further parts, and that of workloads, seeds
// and axes.
struct Suite {
  std::string name;
  std::string description;  // one line
  std::vector<std::string> scenes;
  std::vector<std::string> methods;  // "name" or "name:preset"
  std::vector<std::uint64_t> seeds = {42};
  std::vector<Axis> axes;
  std::vector<Override> sets;
  std::vector<std::string> workloads = {};
  ImageChoice images = {};
  std::vector<SuitePart> more = {};
};

// To add one: add a row to the table in suite.cc.
const std::vector<Suite>& suite_registry();

// A suite in a file, `--suite-file FILE.json`:
//   {"name": "mine", "description": "one line", "scenes": ["undulating"], "methods": ["roma_like"],
//    "seeds": [42, 43], "axes": {"threads": [1, 2], "undulating.amplitude_m": "0.001:0.005:0.001"},
//    "set": {"roma_like.points": 5000}, "rig": "ring12", "imaging": "clean", "width": 480, "height": 360,
//    "more": [{"scenes": ["undulating"], "methods": ["sparse"], "axes": {"sparse.clahe": ["off", "on"]}}]}
// name is required, and scenes and methods, or "workloads": ["absorption"] beside or in place of them; all
// three may be patterns. An axis is an array of values or text of the --axis grammar. Throws Error(input)
// naming the file and the JSON path; unknown keys are refused.
Suite read_suite_file(const std::filesystem::path& path);

// The keys rig, imaging, width and height of an object, none of them required.
class JsonPlace;
ImageChoice images_from_json(const JsonPlace& root);
void add_images(Json& json, const ImageChoice& images);

Json to_json(const Suite& suite);
Suite suite_from_json(const Json& json, const std::string& source);

}  // namespace aqbench
