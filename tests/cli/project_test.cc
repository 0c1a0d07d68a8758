// A user's repository: their method, suite and gate in aqbench.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const kProject = R"({
  "version": 1,
  "methods": [{"name": "mine", "command": "/bin/sh mine.sh {output} {depth_mm}, a/b",
    "parameters": [{"name": "depth_mm", "unit": "mm", "default": 1178, "range": [1000, 2000]}],
    "presets": {"good": {"depth_mm": 1178}, "bad": {"depth_mm": 1190}}, "unit": "mm"}],
  "suites": [{"name": "ours", "scenes": ["flat_plane"], "methods": ["mine"], "rig": "single_pair", "width": 48}],
  "gates": {"ours": "baselines/ours.json"}
})";

class ProjectRun : public UserFolder {
 protected:
  ProjectRun() {
    begin_in("sub");
    write("aqbench.json", kProject);
    write("mine.sh", shell_plane("$1/cloud.ply", "${2%,}", 1000) +
                         "echo '{\"stages\": [{\"name\": \"writing\", \"ms\": 0.5}]}' >$1/stages.json\n");
  }
  // Goes to a folder below.
  void begin_in(const std::string& folder) {
    where_ = dir_ / folder;
    std::filesystem::create_directories(where_);
  }
  // Begins a project in a folder below.
  ProgramResult init(const std::string& folder) {
    begin_in(folder);
    return succeeded(run({"init", "--command", "true {dataset} {output}"}));
  }
};

TEST_F(ProjectRun, AMethodOfTheProjectIsSweptGatedAndReplayed) {
  EXPECT_THAT(run({"list", "methods"}).out, HasSubstr("mine.depth_mm"));
  EXPECT_THAT(run({"list", "suites"}).out, HasSubstr("ours"));
  EXPECT_THAT(run("sweep --suite our").err, HasSubstr("unknown suite 'our'; did you mean ours"));
  const auto no_baseline = run("sweep --suite ours --gate");
  expect_mistake(no_baseline, "baselines/ours.json: no such baseline");
  EXPECT_THAT(no_baseline.err, AllOf(HasSubstr("run `aqbench sweep --suite ours`, then `aqbench accept out/"),
                                     HasSubstr("baselines/ours.json`, and commit that file\n")));
  EXPECT_EQ(std::ranges::count(no_baseline.err, '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "sub/out")) << "nothing has run";

  const auto swept = succeeded(run("sweep --suite ours"));
  EXPECT_THAT(swept.out, HasSubstr("mine"));
  EXPECT_THAT(swept.out, Not(HasSubstr("/bin/sh")));
  const auto bundle = only_bundle(dir_ / "sub/out");
  const json results = json_file(bundle / "results.json");
  const json& record = results.at("records").at(0);
  EXPECT_EQ(record["case"], "flat_plane/mine/seed=42/rig=single_pair/width=48");
  EXPECT_EQ(record["defaults"]["mine.depth_mm"], 1178);
  EXPECT_NEAR(record["metrics"]["accuracy_mean_mm"]["value"].get<double>(), 0, 1e-3) << "millimetres";
  EXPECT_EQ(record["stages"][2]["name"], "writing");
  EXPECT_EQ(record["stages"][2]["parent"], "external_command");
  EXPECT_GT(record["program"]["minor_faults"], 0);
  // It does not use {dataset}, so nothing is rendered for it. What the rig sees is known without images.
  EXPECT_THAT(swept.err, Not(HasSubstr("rendering ")));
  EXPECT_FALSE(record.contains("dataset_sha256"));
  EXPECT_TRUE(record["metrics"].contains("completeness_seen2_2mm_pct"));
  EXPECT_EQ(results["run"]["requested"]["project"]["methods"][0]["name"], "mine");
  EXPECT_EQ(run({"verify", bundle}).exit_code, 0);

  ASSERT_EQ(run({"accept", bundle, "--baseline", dir_ / "baselines/ours.json"}).exit_code, 0);
  EXPECT_EQ(run({"gate", bundle}).exit_code, 4) << "the baseline was found, and is of these very results";
  EXPECT_EQ(run("sweep --suite ours --gate --out {}", dir_ / "again").exit_code, 0);
  const auto worse = run("sweep --suite ours --gate --out {} --set mine.depth_mm=1181", dir_ / "worse");
  EXPECT_EQ(worse.exit_code, 4) << "other options: " << worse.out;

  // The bundle names the commands; elsewhere they need permission.
  expect_mistake(run_program({"replay", bundle, "--all"}, {.working_dir = dir_.path()}),
                 "mine: /bin/sh mine.sh {output} {depth_mm}, a/b");
  succeeded(run_program(words("replay {} --all --run-its-commands", bundle), {.working_dir = dir_.path()}));
}

TEST_F(ProjectRun, AMethodOfTheProjectRunsOnADataset) {
  succeeded(
      run("render flat_plane --rig single_pair --set single_pair.width=48 --set single_pair.height=36 "
          "--out {}",
          dir_ / "tank"));
  const json result =
      document_of(run("run mine:good --dataset {} --out {} --json", dir_ / "tank", dir_ / "ran"));
  EXPECT_EQ(result["records"][0]["method"], "mine");
  EXPECT_TRUE(std::filesystem::exists(dir_ / "ran/cloud.ply"));
  expect_mistake(run("run external --dataset {} --out {} --set {}", dir_ / "tank", dir_ / "none",
                     "external.command=/bin/sh gone.sh {output}"),
                 "method external: gone.sh: no such file");
}

TEST_F(ProjectRun, PresetsAxesAndSetsAreLikeOurs) {
  const auto planned =
      run("sweep --dry-run --scene flat_plane --method mine:bad --axis mine.depth_mm=1100:1200:50");
  EXPECT_EQ(planned.out,
            "flat_plane/mine:bad/seed=42/mine.depth_mm=1100\nflat_plane/mine:bad/seed=42/mine.depth_mm=1150\n"
            "flat_plane/mine:bad/seed=42/mine.depth_mm=1200\n");
  expect_mistake(run("sweep --dry-run --scene flat_plane --method mine --set mine.depth_mm=9"),
                 "mine.depth_mm: 9 is outside 1000 to 2000 mm");
  write("broken.json", R"({"version": 1, "methods": [{"name": "m", "command": "x"}]})");
  expect_mistake(run("sweep --project ../broken.json"),
                 "../broken.json:1: methods[0].command: lacks {output}");
}

TEST_F(ProjectRun, AMissingProgramIsNamedBeforeAnythingRuns) {
  write("absent.json", R"({"version": 1, "methods": [
      {"name": "a", "command": "/bin/sh absent.sh {output}"}, {"name": "b", "command": "./absent {output}"},
      {"name": "c", "command": "no-such-program {output}"},
      {"name": "d", "command": "/bin/sh mine.sh {output}", "cwd": "nowhere"},
      {"name": "e", "command": "/bin/sh {script} {output}",
       "parameters": [{"name": "script", "default": "mine.sh"}]}]})");
  const auto refused = [&](const std::string& method, const Arguments& more = {}) {
    const auto result = run(with(
        words("sweep --project ../absent.json --scene flat_plane --scene undulating --method {}", method),
        more));
    expect_refused(result, "method " + method + ": ");
    return result.err;
  };
  const std::string folder = std::filesystem::canonical(dir_.path()).string();
  EXPECT_THAT(refused("a"), HasSubstr("method a: " + folder + "/absent.sh: no such file"));
  EXPECT_THAT(refused("b"), HasSubstr("/absent: no such program"));
  EXPECT_THAT(refused("c"), HasSubstr("method c: no-such-program: no such program in PATH"));
  EXPECT_THAT(refused("d"), HasSubstr("method d: working folder " + folder + "/nowhere does not exist"));
  EXPECT_THAT(refused("e", {"--set", "e.script=other.sh"}), HasSubstr("/other.sh: no such file"));
  EXPECT_THAT(refused("external", {"--set", "external.command=/bin/sh gone.sh {output}"}),
              HasSubstr("method external: gone.sh: no such file"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "sub/out")) << "no bundle was started";
  EXPECT_EQ(run("ab --project ../absent.json --scene flat_plane --method-a a --method-b e").exit_code, 2);
  EXPECT_EQ(run("profile c --project ../absent.json").exit_code, 2);
  EXPECT_EQ(run("sweep --project ../absent.json --method a --dry-run").exit_code, 0);
}

TEST_F(ProjectRun, ListShowsPresetsAndNoRangeWhereThereIsNone) {
  write("free.json",
        R"({"version": 1, "methods": [{"name": "free", "command": "x {output} {n} {share} {mode}",
    "parameters": [{"name": "n", "default": 3}, {"name": "share", "default": 0.5, "unit": "m"},
                   {"name": "mode", "default": "a", "choices": ["a", "b"]}],
    "presets": {"usual": {}, "fine": {"n": 9, "mode": "b"}}}]})");
  const auto listed = succeeded(run("list methods --project ../free.json"));
  EXPECT_THAT(listed.out, Not(HasSubstr("900719925474")));
  EXPECT_THAT(listed.out, ContainsRegex("free.n +3\n"));
  EXPECT_THAT(listed.out, ContainsRegex("free.share +0.5 m\n"));
  EXPECT_THAT(listed.out,
              ContainsRegex("free:usual +preset, the default: all parameters at their defaults\n"));
  EXPECT_THAT(listed.out, ContainsRegex("free:fine +preset: (mode=b, n=9|n=9, mode=b)\n"));
  EXPECT_THAT(listed.out, ContainsRegex("sparse:quality +preset: "));
  const auto methods = json::parse(run("list methods --json --project ../free.json").out);
  EXPECT_TRUE(methods["methods"].back()["parameters"][0]["min"].is_null());
  EXPECT_EQ(methods["methods"].back()["parameters"][0]["default"], 3);
}

TEST_F(ProjectRun, InitBeginsAProjectAndOverwritesNothing) {
  begin_in("fresh");
  std::filesystem::create_directories(where_ / "tank/images");
  write("fresh/tank/calibration.json", "{}");
  EXPECT_EQ(run({"init", "--command", "run {dataset}"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(where_ / "aqbench.json"));
  for (const char* const wrong :
       {"{ window=7}", "{window=}", "{window", "{win dow=7}", "{2x=7}", "{window=7"})
    expect_mistake(run({"init", "--command", std::string("run {dataset} {output} ") + wrong}),
                   std::string("'") + wrong + "' is no placeholder");
  const auto begun = succeeded(
      run({"init", "--command", "python3 run.py {dataset} {output} --window {window=7} --x {x=a b}"}));
  EXPECT_THAT(begun.out, HasSubstr("dataset tank: images and calibration in tank"));
  EXPECT_THAT(read_file(where_ / ".github/workflows/aqbench.yml"),
              AllOf(HasSubstr("SUITE=mine OUT=out aqbench-ci-gate"),
                    HasSubstr("SUITE=mine-recordings OUT=out/recordings aqbench-ci-gate"),
                    HasSubstr("has to be committed first")));
  EXPECT_THAT(begun.out, HasSubstr("aqbench accept out/BUNDLE --baseline baselines/mine-recordings.json"));
  EXPECT_EQ(run("sweep --suite mine --dry-run").out,
            "flat_plane/mine/seed=42/rig=arc6/width=480/height=360\n"
            "undulating/mine/seed=42/rig=arc6/width=480/height=360\n");
  succeeded(run("sweep --method mine --set mine.window=9 --set mine.x=b --dry-run"));
  EXPECT_THAT(run("sweep --suite mine-recordings --dry-run").err,
              HasSubstr("tank/calibration.json: 'version' is missing"));
  EXPECT_THAT(run({"list", "scenes"}).out, HasSubstr("dataset:tank"));
  expect_mistake(run({"init"}), "aqbench.json: exists");
}

// What the workflow and the suites write is no part of the repository.
TEST_F(ProjectRun, InitWritesAWorkflowForTheBenchmarksOfALibrary) {
  begin_in("library");
  const Arguments words = {"init", "--benchmark", "build/bench --fast", "--build", "make -C 'x y' bench"};
  const auto begun = succeeded(run(words));
  EXPECT_THAT(begun.out, HasSubstr(".github/workflows/benchmarks.yml"));
  const std::string text = read_file(where_ / ".github/workflows/benchmarks.yml");
  EXPECT_THAT(text,
              AllOf(HasSubstr("(cd \"$RUNNER_TEMP/base\" && make -C 'x y' bench)"),
                    HasSubstr("--gbench-b 'build/bench --fast' --label-a base"), HasSubstr("--github")));
  EXPECT_FALSE(std::filesystem::exists(where_ / "aqbench.json"));
  exits(run(words), 2);  // exists
  succeeded(run({"init", "--benchmark", "b", "--build", "make", "--ci", "gitlab"}));
  EXPECT_THAT(read_file(where_ / "benchmarks.gitlab-ci.yml"), HasSubstr("--gbench-a b --gbench-b b"));
  EXPECT_THAT(exits(run({"init", "--benchmark", "b", "--build", "make", "--ci", "jenkins"}), 2).err,
              HasSubstr("--ci 'jenkins': expected github or gitlab"));
  exits(run({"init", "--benchmark", "b"}), 2);
  exits(run({"init", "--benchmark", "b", "--build", "make", "--engine", "slurm"}), 2);
}

TEST_F(ProjectRun, InitWritesWhatGitIgnoresOrSaysWhatIsMissing) {
  const auto begun = init("fresh");
  EXPECT_EQ(read_file(where_ / ".gitignore"),
            "# Files written by aqbench and Python.\n/out/\n/junit.xml\n__pycache__/\n");
  EXPECT_THAT(begun.out,
              AllOf(HasSubstr("\n.gitignore: ignores"), HasSubstr("Commit aqbench.json, baselines/")));

  write("old/.gitignore", "*.o\nout\n/junit.xml\r\n");
  const auto beside = init("old");
  EXPECT_EQ(read_file(where_ / ".gitignore"), "*.o\nout\n/junit.xml\r\n");
  EXPECT_THAT(beside.out, HasSubstr(".gitignore: exists and is left unchanged; add: __pycache__/\n"));

  // An unreadable one costs a line, not the next steps.
  std::filesystem::create_directories(dir_ / "odd/.gitignore");
  const auto unread = init("odd");
  EXPECT_THAT(unread.out, AllOf(HasSubstr(".gitignore: not a regular file; add: /out/ /junit.xml"),
                                HasSubstr("Commit aqbench.json, baselines/")));
}

// COLMAP's own layout: the images beside the model, which lies two folders below.
TEST_F(ProjectRun, InitNamesTheFolderThatHoldsImagesAndModel) {
  for (const char* const name :
       {"rec/images/a.png", "rec/images/b.png", "rec/sparse/0/cameras.txt", "rec/sparse/0/images.txt"})
    write(std::string("fresh/") + name, "x");
  const auto begun = init("fresh");
  EXPECT_THAT(begun.out, HasSubstr("dataset rec: a COLMAP model in rec\n"));
  EXPECT_THAT(begun.out, Not(HasSubstr("images without cameras")));
}

// Downloaded folders: their layout, cameras and truth, or what is wrong with them.
TEST_F(ProjectRun, InitSaysWhatDownloadedFoldersHold) {
  begin_in("fresh");
  for (const char* const name : {"tanks", "blendedmvs", "nerfstudio", "eth3d"})
    std::filesystem::copy(std::string(AQBENCH_SOURCE_DIR "/conformance/layouts/") + name, where_ / name,
                          std::filesystem::copy_options::recursive);
  std::filesystem::remove(where_ / "nerfstudio/images/view03.png");
  std::filesystem::remove(where_ / "eth3d/images/dslr_images_undistorted/view05.png");
  const auto begun = init("fresh");
  EXPECT_THAT(begun.out, HasSubstr("dataset tanks: a scene of Tanks and Temples in tanks\n"
                                   "    4 cameras, 1 frame, truth: surface\n"));
  EXPECT_THAT(begun.out, HasSubstr("dataset blendedmvs: cameras of MVSNet in blendedmvs\n"
                                   "    3 cameras, 1 frame, truth: surface+depth\n"));
  EXPECT_THAT(begun.out,
              HasSubstr("dataset nerfstudio: transforms.json of nerfstudio or instant-ngp in "
                        "nerfstudio\n    3 cameras, 1 frame, truth: none; 1 more camera without an "
                        "image: left out\n"));
  EXPECT_THAT(begun.out, HasSubstr("dataset eth3d: a scene of ETH3D in eth3d\n    not readable yet: "));
  EXPECT_THAT(begun.out, HasSubstr("no such image 'dslr_images_undistorted/view05.png'"));
}

// AquaMVS's layout: folders of the cameras' names beside the calibration.
TEST_F(ProjectRun, InitFindsFoldersOfCamerasBesideTheirCalibration) {
  for (const char* const name : {"photos/calibration.json", "photos/cam00/000000.png"})
    write(std::string("fresh/") + name, "x");
  const auto begun = init("fresh");
  EXPECT_THAT(begun.out, HasSubstr("dataset photos: images and calibration in photos\n"));
}

// A calibration without images is no recording; recordings below it are found.
TEST_F(ProjectRun, InitNamesRigsWithoutImages) {
  std::filesystem::create_directories(dir_ / "fresh/my tank");
  std::filesystem::copy(AQBENCH_SOURCE_DIR "/tests/scenes/optics/aquacal_small/ground_truth.json",
                        dir_ / "fresh/my tank/ground_truth.json");
  for (const char* const name : {"photos/calibration.json", "photos/cam00/000000.png"})
    write(std::string("fresh/my tank/") + name, "x");
  const auto begun = init("fresh");
  EXPECT_THAT(begun.out, HasSubstr("1 recording found\n"));
  EXPECT_THAT(begun.out, HasSubstr("cameras: a rig without images in my tank\n    2 cameras: "
                                   "aqbench render undulating --rig 'my tank' --out DIR\n"));
  EXPECT_THAT(begun.out, HasSubstr("dataset photos: images and calibration in my tank/photos\n"));
  const json datasets = json::parse(read_file(where_ / "aqbench.json"))["datasets"];
  EXPECT_EQ(datasets.size(), 1U) << datasets;
}

TEST_F(ProjectRun, SchemasArePrinted) {
  EXPECT_EQ(json::parse(run({"schema", "project"}).out)["title"],
            "aqbench.json, the project file of aqbench");
  EXPECT_EQ(json::parse(run({"schema", "results"}).out)["title"], "aqbench results.json");
  EXPECT_EQ(run({"schema", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
