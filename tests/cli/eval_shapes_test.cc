// `aqbench eval` against meshes of every shape: closed, welded or not, with faces twice, in the wrong unit.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Places = std::vector<std::array<double, 3>>;
using Point = std::array<double, 3>;
using nlohmann::json;
using EvalShapes = Folder;
using EvalFarFromTheOrigin = Folder;

std::string text_of(const std::vector<Point>& points, double per_metre = 1, const char* before = "") {
  std::string text;
  char line[128];
  for (const auto& [x, y, z] : points) {
    std::snprintf(line, sizeof line, "%s%.17g %.17g %.17g\n", before, per_metre * x, per_metre * y,
                  per_metre * z);
    text += line;
  }
  return text;
}

// A box from 0.5 to 1.5 along each axis whose six quadrilaterals share no vertex; wound outwards, or inwards,
// and each as many times as said, every second time turned over.
std::string box_obj(bool turned, int times, double per_metre = 1) {
  std::string text;
  int vertex = 1;
  for (int copy = 0; copy < times; ++copy)
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {0.5, 1.5}) {
        std::vector<Point> corners(4);
        const double u[] = {0.5, 1.5, 1.5, 0.5}, v[] = {0.5, 0.5, 1.5, 1.5};
        for (int k = 0; k < 4; ++k) {
          corners[k][axis] = side;
          corners[k][(axis + 1) % 3] = u[k];
          corners[k][(axis + 2) % 3] = v[k];
        }
        const bool outwards = (side > 1) != turned;
        if (outwards == (copy % 2 == 1)) std::swap(corners[1], corners[3]);
        text += text_of(corners, per_metre, "v ");
        text += "f " + std::to_string(vertex) + " " + std::to_string(vertex + 1) + " " +
                std::to_string(vertex + 2) + " " + std::to_string(vertex + 3) + "\n";
        vertex += 4;
      }
  return text;
}

// Points 2 mm outside of the box: beside faces, edges and corners.
std::vector<Point> around_the_box(std::size_t count) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<Point> points;
  while (points.size() < count) {
    Point out = {u(random), u(random), u(random)}, point{};
    double length = 0;
    const std::size_t beyond = 1 + points.size() % 3;  // along so many axes
    for (std::size_t axis = 0; axis < beyond; ++axis) length += out[axis] * out[axis];
    for (std::size_t axis = 0; axis < 3; ++axis)
      point[(axis + points.size()) % 3] =
          1 + (axis < beyond ? std::copysign(0.5, out[axis]) + 0.002 * out[axis] / std::sqrt(length)
                             : 0.5 * out[axis]);
    points.push_back(point);
  }
  return points;
}

TEST_F(EvalShapes, AClosedBoxIsPositiveOutside) {
  write("cloud.xyz", text_of(around_the_box(3000)));
  for (const bool turned : {false, true})
    for (const int times : {1, 2}) {
      write("box.obj", box_obj(turned, times));
      const Arguments command = {"eval", "cloud.xyz", "--truth", "box.obj"};
      const auto shown = succeeded(run(command));
      EXPECT_THAT(shown.out, Not(HasSubstr("cameras")));
      EXPECT_THAT(shown.out, HasSubstr("positive = outside of closed parts, else -z"));
      EXPECT_EQ(shown.out.find("truth: 12 of 24 triangles count: 12 repeat another one") != std::string::npos,
                times == 2)
          << shown.out;
      const Arguments with_json = with(command, {"--json", "--max-distance", "1m"});
      const json document = document_of(run(with_json));
      EXPECT_NEAR(metric_of(document, "bias_mean_mm"), 2, 1e-9);
      EXPECT_NEAR(metric_of(document, "accuracy_max_mm"), 2, 1e-9);
      EXPECT_EQ(metric_of(document, "points_beyond_border"), 0);
      const json& scoring = document.at("run").at("effective").at("scoring");
      EXPECT_EQ(scoring.at("truth_faces").at("triangles"), 12 * times);
      EXPECT_EQ(scoring.at("truth_faces").at("repeated"), 12 * (times - 1));
    }
}

// The mesh as the reconstruction: one part without a border, however its file holds it.
TEST_F(EvalShapes, AReconstructedBoxIsOnePartWithoutABorder) {
  write("truth.obj", box_obj(false, 1));
  for (const int times : {1, 2}) {
    write("box.obj", box_obj(true, times));
    const json document = document_of(run("eval box.obj --truth truth.obj --json"));
    EXPECT_EQ(metric_of(document, "mesh_components"), 1);
    EXPECT_EQ(metric_of(document, "mesh_boundary_mm"), 0);
    EXPECT_EQ(metric_of(document, "mesh_nonmanifold_edges"), 0);
    EXPECT_NEAR(metric_of(document, "mesh_area_ratio"), 1, 1e-12);
    EXPECT_EQ(document.at("run").at("effective").at("mesh_faces").at("repeated"), 12 * (times - 1));
  }
}

TEST_F(EvalShapes, AWrongUnitIsRefusedAgainstAMesh) {
  write("cloud.xyz", text_of(around_the_box(1000)));
  write("mm.xyz", text_of(around_the_box(1000), 1000));
  write("box.obj", box_obj(false, 1));
  write("box_mm.obj", box_obj(false, 1, 1000));
  const auto refusal = [&](const char* cloud, const char* truth, const Arguments& more = {}) {
    const ProgramResult ran = run(with({"eval", cloud, "--truth", truth}, more));
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), ran.exit_code == 0 ? 0 : 1) << ran.err;
    return ran.err;
  };
  EXPECT_EQ(refusal("cloud.xyz", "box.obj"), "");
  EXPECT_EQ(refusal("cloud.xyz", "box_mm.obj", {"--truth-unit", "mm"}), "");
  EXPECT_THAT(refusal("mm.xyz", "box.obj"), HasSubstr("give --unit mm"));
  EXPECT_THAT(refusal("cloud.xyz", "box_mm.obj"), HasSubstr("give --truth-unit mm"));
  EXPECT_THAT(refusal("cloud.xyz", "box.obj", {"--unit", "mm"}), HasSubstr("give --unit m"));
}

// Points of a square of two triangles: its four vertices are near none of them.
TEST_F(EvalShapes, ProtocolsTakeTheFacesOfAMesh) {
  write("square.obj", "v 0 0 1\nv 0.4 0 1\nv 0.4 0.3 1\nv 0 0.3 1\nf 1 2 3 4\n");
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> u(0, 1);
  std::vector<Point> points;
  for (int i = 0; i < 60000; ++i)
    points.push_back({0.4 * u(random), 0.3 * u(random), i % 4 == 0 ? 1.01 : 1.0});
  write("cloud.xyz", text_of(points));
  for (const char* protocol : {"tanks-and-temples", "dtu"}) {
    const json shown = document_of(run("eval cloud.xyz --truth square.obj --protocol {} --json", protocol))
                           .at("protocols")
                           .at(0);
    EXPECT_GE(shown.at("counts").at("truth_points"), protocol[0] == 'd' ? 250000 : 240) << protocol;
    for (const json& value : shown.at("values")) {
      // Three of four points lie on the square. Tanks and Temples take one a voxel: of the voxels in it 1 -
      // exp(-2.34) have a point, of those beside it 1 - exp(-0.78). DTU leaves out points within 0.2 mm of
      // others, few of these.
      const double share = value.at("value").is_number() ? value.at("value").get<double>() : -1;
      const bool dtu = protocol[0] == 'd';
      if (value.at("name") == "precision") {
        EXPECT_NEAR(share, dtu ? 0.75 : 0.904 / (0.904 + 0.542), 0.015) << protocol;
      } else if (value.at("name") == "recall") {
        EXPECT_GT(share, dtu ? 0.6 : 0.999) << protocol;
      }
    }
  }
}

// A square of 20 mm has as many samples as any other truth, and what they leave open is said.
TEST_F(EvalShapes, ASmallTruthIsSampledAsFinelyAsALargeOne) {
  write("chip.obj", "v 0 0 1\nv 0.02 0 1\nv 0.02 0.02 1\nv 0 0.02 1\nf 1 2 3 4\n");
  std::vector<Point> points;
  for (int i = 0; i < 400; ++i) points.push_back({0.0005 + 0.001 * (i % 20), 0.0005 + 0.001 * (i / 20), 1.0});
  write("cloud.xyz", text_of(points));
  const json document = document_of(run("eval cloud.xyz --truth chip.obj --thresholds 0.2mm --json")),
             effective = document.at("run").at("effective");
  EXPECT_EQ(effective.at("scoring").at("completeness_samples"), 250000);
  // 400 discs of radius 0.2 mm in 400 mm2.
  const double expected = 100 * M_PI * 0.04,
               error =
                   effective.at("completeness_sampling_se_pct").at("completeness_0.2mm_pct").get<double>();
  EXPECT_NEAR(metric_of(document, "completeness_0.2mm_pct"), expected, 4 * error);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, std::sqrt(expected * (100 - expected) / 250000));  // that of samples drawn alone
}

// A scan of 1 000 points in a square millimetre is thinned, and says so.
TEST_F(EvalShapes, AThinnedScanIsSaidToBe) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> u(0, 0.05);
  std::vector<Point> points;
  for (int i = 0; i < 20000; ++i) points.push_back({u(random), u(random), 1.0});
  write("scan.xyz", text_of(points));
  const Arguments command = words("eval scan.xyz --truth-cloud scan.xyz --spacing 2mm");
  const ProgramResult shown = run(command);
  EXPECT_THAT(shown.out, HasSubstr(" of the 20000 true points, one in each cube of 2 mm; see --spacing"))
      << shown.err;
  const ProgramResult all = run({"eval", "scan.xyz", "--truth-cloud", "scan.xyz"});
  EXPECT_THAT(all.out, Not(HasSubstr("true points, one in")));
}

// The normals of splats are zero: no angle, here and by protocol.
TEST_F(EvalShapes, NormalsThatAreZeroAreNone) {
  std::string vertices;
  for (int i = 0; i < 100; ++i)
    vertices += std::to_string(0.01 * (i % 10)) + " " + std::to_string(0.01 * (i / 10)) + " 1.178 0 0 0\n";
  write("splat.ply",
        "ply\nformat ascii 1.0\nelement vertex 100\nproperty float x\nproperty float y\nproperty float z\n"
        "property float nx\nproperty float ny\nproperty float nz\nend_header\n" +
            vertices);
  const json metric = document_of(run("eval splat.ply --scene flat_plane --json"))
                          .at("records")
                          .at(0)
                          .at("metrics")
                          .at("normal_mean_deg");
  EXPECT_TRUE(metric.at("value").is_null());
  EXPECT_EQ(metric.at("reason"), "no scored point has a normal: all are zero or not finite");
  const ProgramResult protocol = run("eval splat.ply --truth-cloud splat.ply --protocol normals");
  EXPECT_THAT(protocol.out, HasSubstr("the cloud has no normals")) << protocol.err;
}

// ---- `aqbench eval` of coordinates as maps have them, far from the origin. ----

double worst_error_mm(const ProgramResult& result) {
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const json metrics = json::parse(result.out).at("records").at(0).at("metrics");
  return metrics.at("accuracy_max_mm").at("value").get<double>();
}

// Rows of numbers as "x y z", one for each place.
std::string lines_of(const Places& places, const char* separator = " ") {
  std::string text;
  for (const auto& [x, y, z] : places) text += fmt::format("{}{}{}{}{}\n", x, separator, y, separator, z);
  return text;
}

// A file of 32 bits at the coordinates of UTM has steps of 0.5 m there.
TEST_F(EvalFarFromTheOrigin, StepsOfNumbersOf32BitsAreSaid) {
  Places exact, rounded;
  for (int i = 0; i < 400; ++i) {
    exact.push_back({500000.501 + i % 20, 4500000.501 + i / 20, 12.001});
    rounded.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) rounded.back()[k] = static_cast<float>(exact.back()[k]);
  }
  write("exact.xyz", lines_of(exact));
  write("rounded.xyz", lines_of(rounded));
  const ProgramResult quiet = run("eval exact.xyz --truth exact.xyz --json");
  EXPECT_EQ(quiet.err, "");
  EXPECT_LT(worst_error_mm(quiet), 1e-5);
  for (const auto& [cloud, truth] : {std::pair("rounded.xyz", "exact.xyz"), {"exact.xyz", "rounded.xyz"}}) {
    const ProgramResult warned = run({"eval", cloud, "--truth", truth});
    EXPECT_THAT(warned.err,
                HasSubstr("rounded.xyz: its coordinates are numbers of 32 bits, which have steps of 0.5 m at "
                          "4.5e+06 m"));
  }
}

// The truth is turned by a milliradian about a far origin: the matrix as it is printed brings the cloud
// there.
TEST_F(EvalFarFromTheOrigin, PrintedMatricesHaveTheDigitsOfFarCoordinates) {
  const auto turned = [](const Places& places) {
    auto result = places;
    for (auto& [x, y, z] : result)
      std::tie(x, y) =
          std::pair(std::cos(1e-3) * x - std::sin(1e-3) * y, std::sin(1e-3) * x + std::cos(1e-3) * y);
    return result;
  };
  Places cloud,
      cameras = {{500000, 4500000, 0}, {500005, 4500000, 0}, {500000, 4500007, 0}, {500001, 4500001, 3}};
  for (int i = 0; i < 400; ++i) cloud.push_back({500000.123 + i % 20, 4500000.321 + i / 20, 12.5});
  const auto named = [](const Places& places) {
    std::string text, name = "a camera,";
    for (const auto& place : places) text += (name += "x") + " " + lines_of({place});
    return text;
  };
  write("cloud.xyz", lines_of(cloud));
  write("truth.xyz", lines_of(turned(cloud)));
  write("cameras.txt", named(cameras));
  write("true_cameras.txt", named(turned(cameras)));
  const auto aligned =
      succeeded(run("eval cloud.xyz --truth truth.xyz --align cameras --cameras cameras.txt --truth-cameras "
                    "true_cameras.txt"));
  std::string matrix;
  std::istringstream out(aligned.out);
  for (std::string line; std::getline(out, line);)
    if (line.starts_with("  [")) matrix += line.substr(3, line.size() - 4) + "\n";
  write("t.txt", matrix);
  EXPECT_LT(worst_error_mm(run("eval cloud.xyz --truth truth.xyz --transform t.txt --json")), 1e-3) << matrix;
}

}  // namespace
}  // namespace aqbench::testing
