// aqbench check: relations that need no truth.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Writes points on the lines between the cameras' centres, which move with the world. `order` adds what
// depends on which camera comes first, `names` what depends on the names and what does not move.
constexpr const char* kCheckedScript = R"(import json, sys
dataset, output, plant = sys.argv[1:4]
cameras = json.load(open(dataset + '/calibration.json'))['cameras']
centres = {}
for name, c in cameras.items():
    e = c.get('extrinsics', c)
    r, t = e['R'], e['t']
    t = [x[0] if isinstance(x, list) else x for x in t]
    centres[name] = [-sum(r[k][i] * t[k] for k in range(3)) for i in range(3)]
names = list(centres)
points = []
for a in sorted(names):
    for b in sorted(names):
        for s in range(0, 20):
            points.append([centres[a][i] + (centres[b][i] - centres[a][i]) * s / 20 for i in range(3)])
shift = [0, 0, 0]
if plant == 'order':
    shift = [0.05 * (centres[names[0]][i] - centres[names[-1]][i]) for i in range(3)]
if plant == 'names':
    shift = [0.05 * (centres[min(names)][i] - centres[max(names)][i]) for i in range(3)]
    shift[0] += 0.2
with open(output + '/cloud.ply', 'w') as f:
    f.write('ply\nformat ascii 1.0\nelement vertex %d\n' % len(points))
    f.write('property double x\nproperty double y\nproperty double z\nend_header\n')
    for p in points:
        f.write('%.17g %.17g %.17g\n' % tuple(p[i] + shift[i] for i in range(3)))
)";

class Check : public UserFolder {
 protected:
  Check() {
    write("mine.py", kCheckedScript);
    std::string methods;
    for (const char* const plant : {"none", "order", "names"})
      methods += std::string(methods.empty() ? "" : ",") + R"({"name": ")" + plant +
                 R"(", "command": "python3 mine.py {dataset} {output} )" + plant + "\"}";
    methods += R"(,{"name": "broken", "command": "false {output}"})";
    write("aqbench.json", R"({"version": 1, "datasets": {"reef": "data"}, "methods": [)" + methods + "]}");
    succeeded(run({"render", "flat_plane", "--rig", "arc6", "--width", "48", "--mesh-pitch-mm", "50", "--out",
                   "data"}));
  }
  // Corners of a board of 40 mm at z = 1.178 m, where the rig's cameras see them, said to be of 42 mm.
  void add_board() const {
    const Rig rig = read_calibration(dir_ / "data/calibration.json");
    json corners = json::array();
    for (int id = 0; id < 4; ++id) {
      json pixels;
      for (const Camera& camera : rig.cameras)
        if (const auto seen = project(refractive_camera(camera), {0.04 * (id % 2), 0.04 * (id / 2), 1.178})) {
          const Vec2 pixel = distort_pixel(camera.intrinsics, seen->pixel);
          pixels[camera.name] = {pixel.x(), pixel.y()};
        }
      corners.push_back({{"id", id}, {"pixels", pixels}});
    }
    std::ofstream(dir_ / "data/truth/board.json")
        << json{{"unit", "mm"}, {"squares_x", 3}, {"square_size", 42}, {"corners", corners}};
    std::ofstream(dir_ / "data/truth/truth.json") << R"({"charuco": "board.json"})";
  }
  // The names of the relations that do not hold.
  std::vector<std::string> broken_by(const std::string& method) {
    const auto checked = run("check {} --dataset reef --json", method);
    EXPECT_EQ(checked.exit_code, 1) << checked.err;
    report_ = json::parse(checked.out);
    std::vector<std::string> names;
    for (const json& one : report_["relations"])
      if (!one["holds"].get<bool>()) names.push_back(one["name"].get<std::string>());
    return names;
  }
  json report_;
};

TEST_F(Check, AMethodThatKeepsAllRelationsPasses) {
  add_board();
  const auto shown = succeeded(run("check none --dataset data --length cam00:cam01=1"));
  for (const char* const said :
       {"Relations say nothing of accuracy", "halves: stability, no accuracy",
        "scale by the known length: ", "scale by the board (4 sides between 4 corners): 1.05 x"})
    EXPECT_THAT(shown.out, HasSubstr(said));
}

TEST_F(Check, APlantedDependenceOnTheOrderOfImagesIsFound) {
  add_board();
  EXPECT_THAT(broken_by("order"), ::testing::AllOf(::testing::Contains("permuted"),
                                                   ::testing::Not(::testing::Contains("renamed"))));
  EXPECT_GT(report_["relations"][0]["difference"]["p95_mm"].get<double>(), 1);
  EXPECT_EQ(report_["is_accuracy"], false);
  EXPECT_NEAR(report_["scale_by_board"].get<double>(), 1.05, 1e-6);
  EXPECT_EQ(report_["relations"].size(), 5u);
  EXPECT_GT(report_["halves"]["p95_mm"].get<double>(), 0);
}

TEST_F(Check, DependencesOnNamesAndFrameAreFound) {
  EXPECT_THAT(broken_by("names"),
              ::testing::AllOf(::testing::Contains("renamed"), ::testing::Contains("moved"),
                               ::testing::Not(::testing::Contains("permuted"))));
}

TEST_F(Check, WhatCannotBeCheckedIsNamed) {
  const auto failed = exits(run("check broken --dataset reef"), 3);
  EXPECT_THAT(failed.err, HasSubstr("broken: failed: the command ended with exit code 1"));
  EXPECT_THAT(run("check none --dataset reef --length cam00:cam99=1").err, HasSubstr("cam99"));
  EXPECT_THAT(run({"check", "none"}).err, HasSubstr("--dataset is missing"));
}

}  // namespace
}  // namespace aqbench::testing
