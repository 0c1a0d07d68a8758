// A host that answers `eval` in its own process gets what the program prints, of files and of its memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/error.h"
#include "harness/eval/eval.h"
#include "scenes/cloud/ply.h"
#include "scenes/registry.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"
#include "tests/core/error_matcher.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

// Without what differs between two runs of the program itself, and the machine, which a host does not
// describe.
nlohmann::ordered_json comparable(const std::string& text) {
  auto shown = nlohmann::ordered_json::parse(text);
  shown.erase("environment");
  if (shown.contains("run"))
    for (const char* const time : {"id", "started_utc", "finished_utc"}) shown["run"].erase(time);
  return shown;
}

class InProcess : public UserFolder {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(dir_.path());
    const Scene scene = make_scene("step", {});
    points_.resize(2000);
    scene.truth.surface->sample_positions(1, 0, points_);
    for (Vec3& point : points_) point = 1000 * (point + Vec3(0, 0, 0.0004 * std::sin(100 * point.x())));
    for (const Vec3& point : points_) normals_.push_back(Vec3(0.1 * std::sin(point.x()), 0, -1));
    write_ply_cloud("cloud.ply", {points_, {}, {}});
    write_ply_cloud("normals.ply", {points_, normals_, {}});
    std::vector<Vec3> truth = points_;
    for (Vec3& point : truth) point = point / 1000 + Vec3(0.0003, 0, 0.0002);
    write_ply_cloud("scan.ply", {truth, {}, {}});
    mesh_ = scene.truth.surface->mesh(0.01);
  }
  void TearDown() override { std::filesystem::current_path(before_); }

  // What the program prints of a line, once its files `in_memory` exist, and what this process answers
  // without them.
  void expect_the_programs(const std::string& line, const std::vector<GivenGeometry>& in_memory = {}) {
    SCOPED_TRACE(line);
    const ProgramResult printed = run(with({"eval"}, with(words(line), {"--json"})));
    succeeded(printed);
    for (const GivenGeometry& one : in_memory) std::filesystem::rename(one.name, one.name + ".away");
    std::string told;
    EvalHost host;
    host.tell = [&](const std::string& one) { told += one + "\n"; };
    host.geometries = in_memory;
    const Arguments arguments = with(words(line), {"--json"});
    const EvalAnswer answer = eval_answer(eval_request(arguments), arguments, host);
    for (const GivenGeometry& one : in_memory) std::filesystem::rename(one.name + ".away", one.name);
    EXPECT_EQ(comparable(answer.json), comparable(printed.out));
    EXPECT_EQ(told, printed.err);
    EXPECT_TRUE(answer.shown.empty());
    if (comparable(printed.out).contains("records")) {
      EXPECT_EQ(answer.metrics.size(), comparable(printed.out)["records"][0]["metrics"].size());
    }
  }

  std::filesystem::path before_;
  std::vector<Vec3> points_, normals_;
  TriangleMesh mesh_;
};

TEST_F(InProcess, FilesAreAnsweredAsTheProgramAnswersThem) {
  write_ply_mesh("mesh.ply", mesh_);
  write("board.xyz", "0 0 1\n0.01 0 1\n0.02 0 1\n");
  write("seen.xyz", "0 0 1.0001\n0.01 0 1\n0.02 0.0002 1\n");
  for (const char* const line :
       {"cloud.ply --unit mm --scene step",
        "cloud.ply --unit mm --scene step --rig ring12 --set step.height_m=0.01",
        "cloud.ply --unit mm --truth scan.ply --align icp --thresholds 1mm,3mm --crop z:1,1.3",
        "mesh.ply --mesh mesh.ply --max-distance 5mm --threads 1",
        "mesh.ply --truth mesh.ply --protocol scannet-mesh",
        "cloud.ply --unit mm --truth scan.ply --explain eth3d,dtu",
        "cloud.ply --unit mm --truth scan.ply --which-protocol 0.4", "--charuco seen.xyz --board board.xyz"})
    expect_the_programs(line);
}

TEST_F(InProcess, DatasetsAreFoundByTheirNamesAndDepthMapsScored) {
  succeeded(run(words("render step --rig single_pair --width 48 --mesh-pitch-mm 50 --out data")));
  write("aqbench.json", R"({"version": 1, "datasets": {"tank": "data"}})");
  expect_the_programs("cloud.ply --unit mm --dataset tank");
  std::string camera;
  for (const auto& entry : std::filesystem::directory_iterator("data/truth"))
    if (entry.is_directory()) camera = entry.path().filename().string();
  expect_the_programs("--depth data/truth/" + camera + "/depth.npy --camera " + camera + " --dataset data");
}

TEST_F(InProcess, GeometriesInMemoryAreThoseOfTheirFiles) {
  write_ply_mesh("mesh.ply", mesh_);
  std::vector<std::uint32_t> corners;
  for (const auto& triangle : mesh_.triangles)
    corners.insert(corners.end(), triangle.begin(), triangle.end());
  const GivenGeometry cloud{"cloud.ply", points_}, with_normals{"normals.ply", points_, normals_},
      mesh{"mesh.ply", mesh_.vertices_m, {}, corners};
  expect_the_programs("cloud.ply --unit mm --scene step --rig ring12", {cloud});
  expect_the_programs("cloud.ply --unit mm --scene step --align icp", {cloud});
  expect_the_programs("normals.ply --unit mm --scene step", {with_normals});
  expect_the_programs("cloud.ply --unit mm --mesh mesh.ply", {cloud, mesh});
  expect_the_programs("cloud.ply --unit mm --truth mesh.ply --protocol eth3d", {cloud, mesh});
  expect_the_programs("cloud.ply --unit mm --truth-cloud normals.ply --truth-unit mm --tile 20mm",
                      {cloud, with_normals});
}

TEST_F(InProcess, MistakesAreTheProgramsLine) {
  for (const char* const line :
       {"cloud.ply --scene step", "cloud.ply --scene stepp", "none.ply --scene step", "cloud.ply --scen step",
        "cloud.ply --unit mm", "cloud.ply --unit mm --scene step --align cameras"}) {
    const Arguments arguments = words(line);
    const ProgramResult refused = run(with({"eval"}, arguments));
    std::string said;
    try {
      eval_answer(eval_request(arguments), arguments, {});
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(exit_code(error.kind())), refused.exit_code) << line;
      said = error.what();
    }
    EXPECT_EQ("aqbench: error: " + said + "\n", refused.err);
  }
  EXPECT_THAT(error_of(ErrorKind::usage,
                       [&] {
                         const Arguments into = words("cloud.ply --scene step --out b");
                         eval_answer(eval_request(into), into, {});
                       }),
              HasSubstr("only by the program"));
}

}  // namespace
}  // namespace aqbench::testing
