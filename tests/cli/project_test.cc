// A user's repository: their method, suite and gate in aqbench.json.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
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

class ProjectRun : public ::testing::Test {
 protected:
  WithoutLibTorch program_;
  ProjectRun() {
    std::filesystem::create_directories(dir_ / "sub");
    write("aqbench.json", kProject);
    write("mine.sh",
          // Four points: a plane can be fitted, so that no value is undefined.
          "{ echo ply; echo format ascii 1.0; echo element vertex 4; echo property float x\n"
          "echo property float y; echo property float z; echo end_header\n"
          "for xy in '0 0' '10 0' '0 10' '12 9'; do echo $xy ${2%,}; done; } >$1/cloud.ply\n"
          "echo '{\"stages\": [{\"name\": \"writing\", \"ms\": 0.5}]}' >$1/stages.json\n");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(dir_ / name) << text; }
  ProgramResult run(const Arguments& arguments) const {
    return run_program(arguments, {.working_dir = dir_ / "sub"});
  }
  TemporaryDir dir_;
};

TEST_F(ProjectRun, AMethodOfTheProjectIsSweptGatedAndReplayed) {
  EXPECT_THAT(run({"list", "methods"}).out, HasSubstr("mine.depth_mm"));
  EXPECT_THAT(run({"list", "suites"}).out, HasSubstr("ours"));
  EXPECT_THAT(run({"sweep", "--suite", "our"}).err, HasSubstr("unknown suite 'our'; did you mean ours"));
  const auto no_baseline = run({"sweep", "--suite", "ours", "--gate"});
  EXPECT_EQ(no_baseline.exit_code, 2);
  EXPECT_THAT(no_baseline.err, HasSubstr("baselines/ours.json: no such baseline"));
  EXPECT_THAT(no_baseline.err, AllOf(HasSubstr("run `aqbench sweep --suite ours`, then `aqbench accept out/"),
                                     HasSubstr("baselines/ours.json`, and commit that file\n")));
  EXPECT_EQ(std::ranges::count(no_baseline.err, '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "sub/out")) << "nothing has run";

  const auto swept = run({"sweep", "--suite", "ours"});
  ASSERT_EQ(swept.exit_code, 0) << swept.err << swept.out;
  EXPECT_THAT(swept.out, HasSubstr("mine"));
  EXPECT_THAT(swept.out, Not(HasSubstr("/bin/sh")));
  const auto bundle = only_bundle(dir_ / "sub/out");
  std::ifstream file(bundle / "results.json");
  const json results = json::parse(file);
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
  EXPECT_EQ(run({"sweep", "--suite", "ours", "--gate", "--out", dir_ / "again"}).exit_code, 0);
  const auto worse =
      run({"sweep", "--suite", "ours", "--gate", "--out", dir_ / "worse", "--set", "mine.depth_mm=1181"});
  EXPECT_EQ(worse.exit_code, 4) << "other options: " << worse.out;

  // The bundle names the commands; elsewhere they need permission.
  const auto refused = run_program({"replay", bundle, "--all"}, {.working_dir = dir_.path()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("mine: /bin/sh mine.sh {output} {depth_mm}, a/b"));
  const auto replayed =
      run_program({"replay", bundle, "--all", "--run-its-commands"}, {.working_dir = dir_.path()});
  EXPECT_EQ(replayed.exit_code, 0) << replayed.err << replayed.out;
}

TEST_F(ProjectRun, AMethodOfTheProjectRunsOnADataset) {
  ASSERT_EQ(run({"render", "flat_plane", "--rig", "single_pair", "--set", "single_pair.width=48", "--set",
                 "single_pair.height=36", "--out", dir_ / "tank"})
                .exit_code,
            0);
  const auto ran = run({"run", "mine:good", "--dataset", dir_ / "tank", "--out", dir_ / "ran", "--json"});
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["records"][0]["method"], "mine");
  EXPECT_TRUE(std::filesystem::exists(dir_ / "ran/cloud.ply"));
  const auto absent = run({"run", "external", "--dataset", dir_ / "tank", "--out", dir_ / "none", "--set",
                           "external.command=/bin/sh gone.sh {output}"});
  EXPECT_EQ(absent.exit_code, 2);
  EXPECT_THAT(absent.err, HasSubstr("method external: gone.sh: no such file"));
}

TEST_F(ProjectRun, PresetsAxesAndSetsAreLikeOurs) {
  const auto planned = run({"sweep", "--dry-run", "--scene", "flat_plane", "--method", "mine:bad", "--axis",
                            "mine.depth_mm=1100:1200:50"});
  EXPECT_EQ(planned.out,
            "flat_plane/mine:bad/seed=42/mine.depth_mm=1100\nflat_plane/mine:bad/seed=42/mine.depth_mm=1150\n"
            "flat_plane/mine:bad/seed=42/mine.depth_mm=1200\n");
  const auto wrong =
      run({"sweep", "--dry-run", "--scene", "flat_plane", "--method", "mine", "--set", "mine.depth_mm=9"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("mine.depth_mm: 9 is outside 1000 to 2000 mm"));
  write("broken.json", R"({"version": 1, "methods": [{"name": "m", "command": "x"}]})");
  const auto broken = run({"sweep", "--project", "../broken.json"});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_THAT(broken.err, HasSubstr("../broken.json:1: methods[0].command: lacks {output}"));
}

TEST_F(ProjectRun, AMissingProgramIsNamedBeforeAnythingRuns) {
  write("absent.json", R"({"version": 1, "methods": [
      {"name": "a", "command": "/bin/sh absent.sh {output}"}, {"name": "b", "command": "./absent {output}"},
      {"name": "c", "command": "no-such-program {output}"},
      {"name": "d", "command": "/bin/sh mine.sh {output}", "cwd": "nowhere"},
      {"name": "e", "command": "/bin/sh {script} {output}",
       "parameters": [{"name": "script", "default": "mine.sh"}]}]})");
  const auto refused = [&](const std::string& method, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"sweep",   "--project",  "../absent.json", "--scene", "flat_plane",
                                      "--scene", "undulating", "--method",       method};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run(words);
    EXPECT_EQ(result.exit_code, 2) << method;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
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
  EXPECT_EQ(run({"ab", "--project", "../absent.json", "--scene", "flat_plane", "--method-a", "a",
                 "--method-b", "e"})
                .exit_code,
            2);
  EXPECT_EQ(run({"profile", "c", "--project", "../absent.json"}).exit_code, 2);
  EXPECT_EQ(run({"sweep", "--project", "../absent.json", "--method", "a", "--dry-run"}).exit_code, 0);
}

TEST_F(ProjectRun, ListShowsPresetsAndNoRangeWhereThereIsNone) {
  write("free.json",
        R"({"version": 1, "methods": [{"name": "free", "command": "x {output} {n} {share} {mode}",
    "parameters": [{"name": "n", "default": 3}, {"name": "share", "default": 0.5, "unit": "m"},
                   {"name": "mode", "default": "a", "choices": ["a", "b"]}],
    "presets": {"usual": {}, "fine": {"n": 9, "mode": "b"}}}]})");
  const auto listed = run({"list", "methods", "--project", "../free.json"});
  ASSERT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_THAT(listed.out, Not(HasSubstr("900719925474")));
  EXPECT_THAT(listed.out, ContainsRegex("free.n +3\n"));
  EXPECT_THAT(listed.out, ContainsRegex("free.share +0.5 m\n"));
  EXPECT_THAT(listed.out,
              ContainsRegex("free:usual +preset, the default: all parameters at their defaults\n"));
  EXPECT_THAT(listed.out, ContainsRegex("free:fine +preset: (mode=b, n=9|n=9, mode=b)\n"));
  EXPECT_THAT(listed.out, ContainsRegex("sparse:quality +preset: "));
  const auto methods = json::parse(run({"list", "methods", "--json", "--project", "../free.json"}).out);
  EXPECT_TRUE(methods["methods"].back()["parameters"][0]["min"].is_null());
  EXPECT_EQ(methods["methods"].back()["parameters"][0]["default"], 3);
}

TEST_F(ProjectRun, InitBeginsAProjectAndOverwritesNothing) {
  const std::filesystem::path fresh = dir_ / "fresh";
  std::filesystem::create_directories(fresh / "tank/images");
  std::ofstream(fresh / "tank/calibration.json") << "{}";
  ProgramOptions there;
  there.working_dir = fresh;
  EXPECT_EQ(run_program({"init", "--command", "run {dataset}"}, there).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(fresh / "aqbench.json"));
  for (const char* const wrong :
       {"{ window=7}", "{window=}", "{window", "{win dow=7}", "{2x=7}", "{window=7"}) {
    const auto refused =
        run_program({"init", "--command", std::string("run {dataset} {output} ") + wrong}, there);
    EXPECT_EQ(refused.exit_code, 2) << wrong;
    EXPECT_THAT(refused.err, HasSubstr(std::string("'") + wrong + "' is no placeholder")) << wrong;
  }
  const auto begun = run_program(
      {"init", "--command", "python3 run.py {dataset} {output} --window {window=7} --x {x=a b}"}, there);
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(begun.out, HasSubstr("dataset tank: images and calibration in tank"));
  EXPECT_THAT(read_file(fresh / ".github/workflows/aqbench.yml"),
              AllOf(HasSubstr("SUITE=mine OUT=out aqbench-ci-gate"),
                    HasSubstr("SUITE=mine-recordings OUT=out/recordings aqbench-ci-gate"),
                    HasSubstr("has to be committed first")));
  EXPECT_THAT(begun.out, HasSubstr("aqbench accept out/BUNDLE --baseline baselines/mine-recordings.json"));
  EXPECT_EQ(run_program({"sweep", "--suite", "mine", "--dry-run"}, there).out,
            "flat_plane/mine/seed=42/rig=arc6/width=480/height=360\n"
            "undulating/mine/seed=42/rig=arc6/width=480/height=360\n");
  EXPECT_EQ(
      run_program({"sweep", "--method", "mine", "--set", "mine.window=9", "--set", "mine.x=b", "--dry-run"},
                  there)
          .exit_code,
      0);
  EXPECT_THAT(run_program({"sweep", "--suite", "mine-recordings", "--dry-run"}, there).err,
              HasSubstr("tank/calibration.json: version: missing"));
  EXPECT_THAT(run_program({"list", "scenes"}, there).out, HasSubstr("dataset:tank"));
  const auto again = run_program({"init"}, there);
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("aqbench.json: exists"));
}

// What the workflow and the suites write is no part of the repository.
TEST_F(ProjectRun, InitWritesWhatGitIgnoresOrSaysWhatIsMissing) {
  const std::filesystem::path fresh = dir_ / "fresh", old = dir_ / "old";
  ProgramOptions there;
  for (const auto& folder : {fresh, old}) std::filesystem::create_directories(folder);
  there.working_dir = fresh;
  const auto begun = run_program({"init", "--command", "true {dataset} {output}"}, there);
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_EQ(read_file(fresh / ".gitignore"),
            "# Files written by aqbench and Python.\n/out/\n/junit.xml\n__pycache__/\n");
  EXPECT_THAT(begun.out,
              AllOf(HasSubstr("\n.gitignore: ignores"), HasSubstr("Commit aqbench.json, baselines/")));

  std::ofstream(old / ".gitignore") << "*.o\nout\n/junit.xml\r\n";
  there.working_dir = old;
  const auto beside = run_program({"init", "--command", "true {dataset} {output}"}, there);
  ASSERT_EQ(beside.exit_code, 0) << beside.err;
  EXPECT_EQ(read_file(old / ".gitignore"), "*.o\nout\n/junit.xml\r\n");
  EXPECT_THAT(beside.out, HasSubstr(".gitignore: exists and is left unchanged; add: __pycache__/\n"));

  // An unreadable one costs a line, not the next steps.
  const std::filesystem::path odd = dir_ / "odd";
  std::filesystem::create_directories(odd / ".gitignore");
  there.working_dir = odd;
  const auto unread = run_program({"init", "--command", "true {dataset} {output}"}, there);
  EXPECT_EQ(unread.exit_code, 0) << unread.err;
  EXPECT_THAT(unread.out, AllOf(HasSubstr(".gitignore: not a regular file; add: /out/ /junit.xml"),
                                HasSubstr("Commit aqbench.json, baselines/")));
}

// COLMAP's own layout: the images beside the model, which lies two folders below.
TEST_F(ProjectRun, InitNamesTheFolderThatHoldsImagesAndModel) {
  const std::filesystem::path fresh = dir_ / "fresh";
  std::filesystem::create_directories(fresh / "rec/images");
  std::filesystem::create_directories(fresh / "rec/sparse/0");
  for (const char* const name :
       {"rec/images/a.png", "rec/images/b.png", "rec/sparse/0/cameras.txt", "rec/sparse/0/images.txt"})
    std::ofstream(fresh / name) << "x";
  const auto begun = run_program({"init", "--command", "true {dataset} {output}"}, {.working_dir = fresh});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(begun.out, HasSubstr("dataset rec: a COLMAP model in rec\n"));
  EXPECT_THAT(begun.out, Not(HasSubstr("images without cameras")));
}

// Downloaded folders: their layout, cameras and truth, or what is wrong with them.
TEST_F(ProjectRun, InitSaysWhatDownloadedFoldersHold) {
  const std::filesystem::path fresh = dir_ / "fresh";
  std::filesystem::create_directories(fresh);
  for (const char* const name : {"tanks", "blendedmvs", "nerfstudio"})
    std::filesystem::copy(std::string(AQBENCH_SOURCE_DIR "/conformance/layouts/") + name, fresh / name,
                          std::filesystem::copy_options::recursive);
  std::filesystem::remove(fresh / "nerfstudio/images/view03.png");
  const auto begun = run_program({"init", "--command", "true {dataset} {output}"}, {.working_dir = fresh});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(begun.out, HasSubstr("dataset tanks: a scene of Tanks and Temples in tanks\n"
                                   "    4 cameras, 1 frame, truth: surface\n"));
  EXPECT_THAT(begun.out, HasSubstr("dataset blendedmvs: cameras of MVSNet in blendedmvs\n"
                                   "    3 cameras, 1 frame, truth: surface+depth\n"));
  EXPECT_THAT(begun.out, HasSubstr("dataset nerfstudio: transforms.json of nerfstudio or instant-ngp in "
                                   "nerfstudio\n    not readable yet: "));
  EXPECT_THAT(begun.out, HasSubstr("no such image 'images/view03.png'"));
}

// AquaMVS's layout: folders of the cameras' names beside the calibration.
TEST_F(ProjectRun, InitFindsFoldersOfCamerasBesideTheirCalibration) {
  const std::filesystem::path fresh = dir_ / "fresh";
  std::filesystem::create_directories(fresh / "photos/cam00");
  for (const char* const name : {"photos/calibration.json", "photos/cam00/000000.png"})
    std::ofstream(fresh / name) << "x";
  const auto begun = run_program({"init", "--command", "true {dataset} {output}"}, {.working_dir = fresh});
  ASSERT_EQ(begun.exit_code, 0) << begun.err;
  EXPECT_THAT(begun.out, HasSubstr("dataset photos: images and calibration in photos\n"));
}

TEST_F(ProjectRun, SchemasArePrinted) {
  EXPECT_EQ(json::parse(run({"schema", "project"}).out)["title"],
            "aqbench.json, the project file of aqbench");
  EXPECT_EQ(json::parse(run({"schema", "results"}).out)["title"], "aqbench results.json");
  EXPECT_EQ(run({"schema", "x"}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::testing
