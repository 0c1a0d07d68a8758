#include "pipeline/external/external.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/stage_scope.h"
#include "harness/measuring/stage_recorder.h"
#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset_truth.h"
#include "scenes/dataset/recording.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/core/error_matcher.h"
#include "tests/scenes/images/small_png.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const std::string kClients = AQBENCH_SOURCE_DIR "/clients";
const std::string kCloud =
    "printf 'ply\\nformat ascii 1.0\\nelement vertex 1\\nproperty float x\\nproperty float y\\nproperty "
    "float z\\n"
    "end_header\\n1 2 3\\n' >\"$1/cloud.ply\"\n";

// Stores a program's report.
struct ReportKeeper final : StageObserver {
  void enter(const char*) override {}
  void leave(const char*) noexcept override {}
  void program_ended(const ProgramReport& report) override { kept = report; }
  ProgramReport kept;
};

class Declared : public testing::Test {
 protected:
  Declared() {
    for (const char* folder : {"data", "work", "project", "project/tools"})
      std::filesystem::create_directories(dir_ / folder);
  }
  // Runs script.sh, in the project's folder, whose $1 is {output}.
  Reconstruction run(const std::string& body, Json more = Json::object()) {
    dir_.file("project/script.sh", body);
    Json json = {{"name", "mine"}, {"command", "/bin/sh script.sh {output}"}};
    json.update(more);
    MethodInput input;
    input.declaration =
        std::make_shared<const MethodDeclaration>(declaration_from_json(JsonPlace(json, "f")));
    input.parameters = resolve_parameters("mine", input.declaration->parameters, sets_);
    input.work_dir = dir_ / "work";
    input.project_dir = dir_ / "project";
    input.seed = 7;
    return run_external({dir_ / "data"}, input);
  }
  // Returns the error of such a run.
  std::string run_error(ErrorKind kind, const std::string& body, const Json& more = Json::object()) {
    return error_of(kind, [&] { run(body, more); });
  }
  std::string log() const { return read_file(dir_ / "work" / kMethodLog); }

  TemporaryDirectory dir_;
  std::vector<Override> sets_;
};

TEST_F(Declared, FillsEveryPlaceholderAsPartOfOneWord) {
  sets_ = {{"mine", "text", "a b, /c 'd"}};
  run("printf '%s|' \"$@\"; echo \"$MINE $PWD\"\n" + kCloud,
      {{"command", "/bin/sh script.sh {output} {seed} --x={text} '{{x}}' {project}"},
       {"parameters", {{{"name", "text"}, {"default", "t"}}, {{"name", "n"}, {"default", 3}}}},
       {"env", {{"MINE", "n={n}"}}}});
  EXPECT_EQ(log(), (dir_ / "work/output").string() + "|7|--x=a b, /c 'd|{x}|" + (dir_ / "project").string() +
                       "|n=3 " + (dir_ / "project").string() + "\n");
}

TEST_F(Declared, RunsInItsFolderAndMayReadItsProject) {
  dir_.file("project/model", "weights");
  run("cat ../model; pwd\n" + kCloud, {{"cwd", "tools"}, {"command", "/bin/sh ../script.sh {output}"}});
  EXPECT_EQ(log(), "weights" + (dir_ / "project/tools").string() + "\n");
  EXPECT_THAT(run_error(ErrorKind::usage, kCloud, {{"cwd", "nowhere"}}), HasSubstr("nowhere does not exist"));
}

TEST_F(Declared, MillimetresBecomeMetres) {
  const std::vector<float> depths = {500, 600, 700, 800, 900, 1000};
  write_npy(dir_ / "project/cam.npy", std::span<const float>(depths), std::array<std::size_t, 2>{2, 3});
  const Reconstruction output =
      run("mkdir $1/maps; cp cam.npy $1/maps/left.npy\n" + kCloud, {{"unit", "mm"}, {"depth_maps", "maps"}});
  EXPECT_TRUE(output.cloud.points_m[0].isApprox(Vec3(0.001, 0.002, 0.003)));
  ASSERT_EQ(output.depth_maps.size(), 1u);
  EXPECT_EQ(output.depth_maps[0].camera, "left");
  EXPECT_EQ(output.depth_maps[0].width, 3);
  EXPECT_FLOAT_EQ(output.depth_maps[0].depth_along_ray_m[5], 1.0F);
  EXPECT_THAT(run_error(ErrorKind::method, kCloud, {{"depth_maps", "maps"}}),
              HasSubstr("the command created no folder maps for depth maps"));
}

// ---- Other layouts ----

// A dataset that a method gets, from a recording made by formula.
void write_dataset_of(const std::string& layout, const std::filesystem::path& to) {
  write_observation(
      read_recording(std::filesystem::path(AQBENCH_SOURCE_DIR) / "conformance" / "layouts" / layout), 0, to);
}

TEST_F(Declared, FindsItsDatasetInTheLayoutThatItReads) {
  write_dataset_of("tanks", dir_ / "data");
  const std::string list = "cd $2; find . -type f | LC_ALL=C sort | tr '\\n' ' '\n" + kCloud;
  const auto files = [&](Json more) {
    more["command"] = "/bin/sh script.sh {output} {dataset}";
    run(list, more);
    return log();
  };
  EXPECT_THAT(files({{"reads_layout", "colmap"}}),
              AllOf(HasSubstr("./images/000000.png "), HasSubstr("./sparse/0/cameras.txt ")));
  EXPECT_THAT(files({{"reads_layout", "transforms"}}),
              AllOf(HasSubstr("./images/000003.png "), HasSubstr("./transforms.json ")));
  EXPECT_THAT(files({{"reads_layout", "mvsnet"}, {"depth_range_m", {0.5, 2}}}),
              AllOf(HasSubstr("./cams/00000003_cam.txt "), HasSubstr("./pair.txt ")));
}

TEST_F(Declared, WaterIsIgnoredOnlyIfTheDeclarationSaysSo) {
  Rig rig = make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
  write_calibration(dir_ / "data/calibration.json", rig, {"d", "s", "h"});
  for (const Camera& camera : rig.cameras) {
    std::filesystem::create_directories(dir_ / "data/images" / camera.name);
    dir_.file("data/images/" + camera.name + "/000000.png", "x");
  }
  EXPECT_THAT(run_error(ErrorKind::method, kCloud, {{"reads_layout", "colmap"}}),
              HasSubstr("the cameras look through water, which the layout colmap does not have"));
  run("test -f ../work/dataset/sparse/0/images.txt\n" + kCloud,
      {{"reads_layout", "colmap"}, {"refraction", "ignore"}});
  run("! grep PORT ../work/dataset/sparse/0/cameras.txt\n" + kCloud,
      {{"reads_layout", "colmap"}, {"refraction", "ignore"}});
  run("test $(grep -c FLATPORT ../work/dataset/sparse/0/cameras.txt) = 2\n" + kCloud,
      {{"reads_layout", "colmap"}, {"refraction", "ports"}});
}

TEST_F(Declared, DepthMapsOfOtherFormatsAreReadAsDeclared) {
  write_dataset_of("blendedmvs", dir_ / "data");
  const auto maps_of = [&](const std::string& body, Json more) {
    more["depth_maps"] = "maps";
    return run("mkdir $1/maps\n" + body + "\n" + kCloud, more).depth_maps;
  };
  const std::filesystem::path source =
      std::filesystem::path(AQBENCH_SOURCE_DIR) / "conformance/layouts/blendedmvs/rendered_depth_maps";
  std::filesystem::copy_file(source / "00000002.pfm", dir_ / "project/map.pfm");
  const DepthMap truth =
      read_depth_map(source / "00000002.pfm", read_recording(source / "..").rig.cameras[2]);
  const auto along_z = maps_of("cp map.pfm $1/maps/00000002.pfm", {{"depth_along", "z"}});
  ASSERT_EQ(along_z.size(), 1U);
  EXPECT_EQ(along_z[0].camera, "00000002");
  EXPECT_FLOAT_EQ(along_z[0].depth_along_ray_m[100], truth.depth_along_ray_m[100]);
  const auto along_ray = maps_of("cp map.pfm $1/maps/00000002.pfm", Json::object());
  EXPECT_LT(along_ray[0].depth_along_ray_m[100], truth.depth_along_ray_m[100]);
  const auto numbered =
      maps_of("cp map.pfm $1/maps/00000001.pfm", {{"reads_layout", "mvsnet"}, {"depth_range_m", {0.5, 2}}});
  EXPECT_EQ(numbered[0].camera, "00000001") << "the second camera";
  const auto refusal = [&](const std::string& body, const Json& more) {
    return error_of(ErrorKind::method, [&] { maps_of(body, more); });
  };
  EXPECT_THAT(refusal("cp map.pfm $1/maps/left.pfm", {{"depth_along", "z"}}),
              HasSubstr("left.pfm: the dataset has no camera 'left'"));
  EXPECT_THAT(refusal("cp map.pfm $1/maps/00000002.pfm", {{"metres_per_count", 0.001}}),
              HasSubstr("holds lengths, but \"metres_per_count\" is declared"));
  EXPECT_THAT(refusal("cp map.pfm $1/maps/a.pfm; cp map.pfm $1/maps/a.exr", Json::object()),
              HasSubstr("a second map of camera 'a' beside a.exr"));
}

TEST_F(Declared, CountsBecomeMetres) {
  dir_.file("project/map.png", small_png());
  const auto output = run("mkdir $1/maps; cp map.png $1/maps/left.png\n" + kCloud,
                          {{"depth_maps", "maps"}, {"metres_per_count", 0.001}, {"unit", "mm"}});
  ASSERT_EQ(output.depth_maps.size(), 1U);
  EXPECT_FLOAT_EQ(output.depth_maps[0].depth_along_ray_m[2], 1.0F) << "1000 counts";
}

TEST_F(Declared, AnyCloudOrMeshIsAResult) {
  const auto output =
      run("printf 'v 0 0 1\\nv 1 0 1\\nv 0 1 1\\nf 1 2 3\\n' > $1/mesh.obj\n", {{"result", "mesh.obj"}});
  ASSERT_TRUE(output.mesh);
  EXPECT_EQ(output.mesh->triangles.size(), 1U);
}

TEST_F(Declared, ItsStagesNestInTheCommand) {
  StageRecorder recorder;
  {
    const ScopedObserver observe(recorder);
    run("PYTHONPATH=" + kClients +
            " python3 -c '\nfrom aqbench_stages import stage\nimport time, threading\n"
            "def other():\n  with stage(\"beside\"): time.sleep(0.02)\n"
            "with stage(\"matching\"):\n  time.sleep(0.03)\n  for i in range(2):\n"
            "    with stage(\"a filter\"): time.sleep(0.01)\n"
            "  t = threading.Thread(target=other); t.start(); t.join()\n'\n" +
            kCloud,
        {{"reads", {kClients}}});
  }
  recorder.finish_repetition();
  const auto stages = recorder.stages();
  std::vector<std::string> names;
  for (const StageRecord& stage : stages) names.push_back(stage.parent + ">" + stage.name);
  EXPECT_EQ(names, (std::vector<std::string>{">pipeline", "pipeline>external_command",
                                             "external_command>matching", "matching>a filter", ">beside"}));
  EXPECT_EQ(stages[3].calls, 2u);
  EXPECT_GE(stages[3].wall_ms[0], 20);
  EXPECT_GE(stages[2].wall_ms[0], 70);
  EXPECT_NEAR(stages[2].self_ms[0], stages[2].wall_ms[0] - stages[3].wall_ms[0], 1e-6);
  EXPECT_NEAR(stages[1].self_ms[0], stages[1].wall_ms[0] - stages[2].wall_ms[0], 1e-6);
  EXPECT_TRUE(stages[4].other_thread);
}

TEST_F(Declared, AFailureNamesTheStageAndWrongStagesFailTheRun) {
  const std::string begun =
      "read up rest </proc/uptime\necho \"B $(python3 -c 'import time; print(time.monotonic_ns())') 5.5 "
      "fusion\" >>$AQBENCH_STAGES\n";
  EXPECT_THAT(run_error(ErrorKind::method, begun + "echo no memory; exit 3\n"),
              HasSubstr("ended with exit code 3, in its stage 'fusion'; it said: no memory"));
  EXPECT_THAT(run_error(ErrorKind::method, "echo x >$1/stages.json\n" + kCloud),
              HasSubstr("stages.json:1:1: "));
}

// Its memory was looked at only as it started.
TEST_F(Declared, TheMemoryOfAProgramThatEndsAtOnceIsUnknown) {
  ReportKeeper report;
  {
    const ScopedObserver observe(report);
    run(kCloud);
  }
  ASSERT_TRUE(report.kept.use.has_value());
  const auto peak = report.kept.use->peak_resident_bytes;
  EXPECT_TRUE(!peak || *peak > 1'000'000U) << *peak;
}

TEST_F(Declared, TheMemoryAndTimeOfAllItsProcessesCount) {
  ReportKeeper report;
  {
    const ScopedObserver observe(report);
    // The child of a child holds the memory; bytes are written so that they are resident.
    run("sh -c 'python3 -c \"import time; block = bytearray(b\\\"x\\\") * 500000000; time.sleep(0.5)\"'\n"
        "dd if=/dev/zero of=$1/zeros bs=1000000 count=5 2>/dev/null\n" +
        kCloud);
  }
  ASSERT_TRUE(report.kept.use.has_value());
  const ProgramUse& use = *report.kept.use;
  ASSERT_TRUE(use.peak_resident_bytes.has_value());
  EXPECT_NEAR(static_cast<double>(*use.peak_resident_bytes), 5.0e8, 0.05 * 5.0e8);
  EXPECT_GT(use.cpu_user_s + use.cpu_system_s, 0.02);
  ASSERT_TRUE(use.written_bytes.has_value());
  EXPECT_GE(*use.written_bytes, 5'000'000u);
  EXPECT_LT(*use.written_bytes, 6'000'000u);
  EXPECT_GE(*use.read_bytes, 5'000'000u);
  EXPECT_GT(use.minor_faults, 1000u);
  EXPECT_GT(use.voluntary_switches, 0u);
}

// Compiles a program against the header, and returns its report; it must also run without a listener.
std::string told_by(const std::string& compiler, const char* file, const char* source) {
  const TemporaryDirectory dir;
  dir.file(file, source);
  const std::string program = (dir / "program").string(), lines = (dir / "lines").string();
  EXPECT_EQ(
      std::system((compiler + " -Wall -Wextra -Wpedantic -Werror -I" + kClients + " -o " + program + " " +
                   (dir / file).string() + " && AQBENCH_STAGES=" + lines + " " + program + " && " + program)
                      .c_str()),
      0);
  return read_file(lines);
}

TEST(Clients, TheHeaderReportsTheSameAsThePythonFile) {
  const std::string text =
      told_by("cc -std=c99", "c.c",
              "#include <stdio.h>\n#include \"aqbench_stages.h\"\nint main(void) { aqbench_stage_begin(\"a "
              "b\"); aqbench_stage_begin(\"c\"); aqbench_stage_end(); aqbench_stage_end(); return 0; }\n");
  std::string kinds;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) kinds += text[at];
  EXPECT_EQ(kinds, "BBEE");
  EXPECT_THAT(text, HasSubstr(" a b\n"));
}

TEST(Clients, NeedNoMoreThanCpp11AndPython38) {
  const std::string text = told_by("c++ -std=c++11", "c.cc",
                                   "#include \"aqbench_stages.h\"\nint main() { { aqbench::Stage "
                                   "outer(\"outer\"); aqbench::Stage inner(\"inner\"); } return 0; }\n");
  EXPECT_THAT(text, HasSubstr(" inner\nE "));
  EXPECT_EQ(
      std::system(
          ("python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))' " +
           kClients + "/aqbench_stages.py")
              .c_str()),
      0);
}

}  // namespace
}  // namespace aqbench
