// Outputs that exist already: scored as a sweep of methods, by a pattern of `aqbench eval` or a project file.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using Given = UserFolder;

constexpr const char* kPattern = "r/{method}/{scene}/seed{seed}.xyz";

// Points of the scene flat_plane, lifted towards the cameras; `scale` and `shift_m` move them out of the
// world.
std::string plane(double bias_mm, double scale = 1, double shift_m = 0) {
  std::string text;
  for (int i = 0; i <= 20; ++i)
    for (int k = 0; k <= 20; ++k)
      text += fmt::format("{} {} {}\n", scale * (-0.2 + 0.02 * i) + shift_m,
                          scale * (-0.1 + 0.01 * k) + shift_m, scale * (1.178 - 0.001 * bias_mm) + shift_m);
  return text;
}

double mean_mm(const json& results, const std::string& name) {
  for (const json& record : results["records"])
    if (record["case"] == name) return record["metrics"]["accuracy_mean_mm"]["value"].get<double>();
  ADD_FAILURE() << name << " is missing in " << results["records"].size() << " records";
  return -1;
}

std::string status_of(const json& results, const std::string& name) {
  for (const json& record : results["records"])
    if (record["case"] == name) return record["status"].get<std::string>();
  return "missing";
}

TEST_F(Given, APatternScoresAllFilesAsMethodsOverScenesAndSeeds) {
  for (const auto& [name, bias_mm] : {std::pair("mine/flat_plane/seed1", 1.0),
                                      {"mine/flat_plane/seed02", 2.0},
                                      {"theirs/flat_plane/seed1", 3.0}}) {
    std::filesystem::create_directories(dir_ / "r" / std::filesystem::path(name).parent_path());
    write(fmt::format("r/{}.xyz", name), plane(bias_mm));
  }
  const ProgramResult scored = succeeded(run("eval {} --out b", kPattern));
  EXPECT_THAT(scored.err, HasSubstr("1 of 4 combinations of method, scene and seed have no file: skipped"));
  const json results = json_file(dir_ / "b/results.json");
  EXPECT_NEAR(mean_mm(results, "flat_plane/mine/seed=1"), 1, 1e-9);
  EXPECT_NEAR(mean_mm(results, "flat_plane/mine/seed=2"), 2, 1e-9);
  EXPECT_NEAR(mean_mm(results, "flat_plane/theirs/seed=1"), 3, 1e-9);
  EXPECT_EQ(status_of(results, "flat_plane/theirs/seed=2"), "skipped");
  EXPECT_TRUE(results["records"][0]["timing"]["cold_ms"].is_null());

  // The bundle is one like any other.
  succeeded(run("verify b"));
  succeeded(run("replay b --all"));
  succeeded(run("accept b --baseline f.json --leave-out-undefined"));
  succeeded(run("eval {} --out same --baseline f.json --gate", kPattern));
  // A file that became worse is found by its score, and by its hash.
  write("r/mine/flat_plane/seed1.xyz", plane(1.2));
  exits(run("replay b --all"), 4);
  exits(run("eval {} --out worse --baseline f.json --gate", kPattern), 1);
  // A file that is lacking fails the gate, too.
  std::filesystem::remove(dir_ / "r/mine/flat_plane/seed1.xyz");
  const ProgramResult lacking = run("eval {} --out less --baseline f.json --gate", kPattern);
  EXPECT_EQ(lacking.exit_code, 1);
  EXPECT_THAT(lacking.out, HasSubstr("flat_plane/mine/seed=1"));
}

TEST_F(Given, OneFileMakesABundleThatAllCommandsRead) {
  write("cloud.xyz", plane(1.5));
  succeeded(run("eval cloud.xyz --scene flat_plane --out b"));
  succeeded(run("eval cloud.xyz --scene flat_plane --out other"));
  EXPECT_NEAR(mean_mm(json_file(dir_ / "b/results.json"), "flat_plane/given/seed=42"), 1.5, 1e-9);
  succeeded(run("accept b --baseline f.json --leave-out-undefined"));
  for (const char* const line : {"gate other --baseline f.json", "compare b other", "report b", "trend b",
                                 "verify b", "export b --csv", "site b --out site"})
    EXPECT_EQ(run(line).exit_code, 0) << line;
  // What is written into a bundle would make that one wrong.
  EXPECT_THAT(exits(run("eval cloud.xyz --scene flat_plane --out b/inside"), 2).err,
              HasSubstr("lies in the bundle "));
  succeeded(run("verify b"));
  succeeded(run("eval cloud.xyz --scene step --out step"));
  EXPECT_THAT(exits(run("compare b step"), 4).out,
              ::testing::AllOf(HasSubstr("in A alone"), HasSubstr("not comparable: no common case")));
  write("cloud.xyz", "garbage\n");
  const ProgramResult bad = exits(run("eval cloud.xyz --scene flat_plane --out c"), 3);
  EXPECT_THAT(bad.out, HasSubstr("cloud.xyz"));
}

TEST_F(Given, BracesAndFilesThatDoNotFitAreRefused) {
  write("a.xyz", plane(1));
  write("b.xyz", plane(1));
  expect_refused(run("eval {} --scene flat_plane", "{run}.xyz"),
                 "{run} is unknown; known are {method}, {scene}, {seed}");
  expect_refused(run("eval {} --scene flat_plane", "r/{method}/c.xyz"), "no file matches");
  expect_refused(run("eval *.xyz --scene flat_plane"), "two files for one case");
  for (const char* const order : {"icp,cameras", "icp,sim3", "tanks-and-temples"})
    expect_refused(run("eval a.xyz --scene flat_plane --cameras c.txt --align {} --out o", order),
                   "--align: a bundle takes cameras, then icp or sim3");
  expect_refused(run("eval a.xyz --dataset {} --out o", "data/{scene}"), "{scene} is unknown");
  expect_refused(run("eval {} --dataset data --out o", "{scene}.xyz"), "lacks {scene}");
}

TEST_F(Given, AProjectDeclaresFilesWithUnitFrameAndAlignment) {
  write("flat.xyz", plane(1, 1000));
  write("own.xyz", plane(1, 0.5, 3));
  write("t.txt", "2 0 0 -6\n0 2 0 -6\n0 0 2 -6\n0 0 0 1\n");
  // x_own = 0.5 (x + 6): what nerfstudio would write of the same frame.
  write("dataparser_transforms.json", R"({"transform": [[1,0,0,6],[0,1,0,6],[0,0,1,6]], "scale": 0.5})");
  write("aqbench.json", R"({"version": 1, "methods": [
    {"name": "millimetres", "given": "flat.xyz", "unit": "mm"},
    {"name": "framed", "given": "own.xyz", "world_from_cloud": "t.txt"},
    {"name": "studio", "given": "own.xyz", "world_from_cloud": "dataparser_transforms.json"},
    {"name": "gone", "given": "{scene}/none.xyz"}]})");
  const json results = sweep(
      "out", words("--scene flat_plane --method millimetres --method framed --method studio --method gone"));
  EXPECT_NEAR(mean_mm(results, "flat_plane/millimetres/seed=42"), 1, 1e-6);
  EXPECT_NEAR(mean_mm(results, "flat_plane/framed/seed=42"), 1, 1e-9);
  EXPECT_NEAR(mean_mm(results, "flat_plane/studio/seed=42"), 1, 1e-9);
  EXPECT_EQ(status_of(results, "flat_plane/gone/seed=42"), "skipped");
  // ICP moves a cloud of a method with given poses, too, and hides its bias.
  const json aligned =
      sweep("icp", words("--scene flat_plane --method millimetres --set alignment.then=icp"));
  EXPECT_NEAR(mean_mm(aligned, "flat_plane/millimetres/seed=42"), 0, 1e-6);
  expect_mistake(run("sweep --scene flat_plane --method millimetres --set alignment.scale=one"),
                 "no method of this sweep has poses of its own");
}

}  // namespace
}  // namespace aqbench::testing
