// Modules from outside: what starts without them, and the message if one is missing or from another build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/processes/process.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Standard output and error of a shell command, then "exit=CODE".
std::string shell(const std::string& command) {
  return ask_program({"sh", "-c", "(" + command + ") 2>&1; echo exit=$?"}, 60).output;
}

// A copy of the program without its modules, and without the user's cache of datasets.
class ProgramAlone : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::copy_file(AQBENCH_BINARY, dir_ / "aqbench"); }

  std::string run(const std::string& arguments) const {
    return shell("cd '" + dir_.path().string() + "' && AQBENCH_CACHE_DIR=cache ./aqbench " + arguments);
  }

  TemporaryDir dir_;
};

TEST(Modules, TheProgramItselfIsNotLinkedWithHeavyLibraries) {
  const std::string libraries = shell(std::string("ldd ") + AQBENCH_BINARY);
  EXPECT_THAT(libraries, HasSubstr("libc.so"));
  for (const char* heavy : {"torch", "Open3D", "opencv", "embree", "openblas"})
    EXPECT_THAT(libraries, Not(HasSubstr(heavy)));
}

// As it is installed: bin/aqbench and share/aqbench/baselines.
TEST(Installed, ABaselineIsFoundByItsNameBySweepAndGate) {
  const TemporaryDir dir;
  std::filesystem::create_directories(dir / "bin");
  std::filesystem::create_directories(dir / "share/aqbench/baselines");
  std::filesystem::copy_file(AQBENCH_BINARY, dir / "bin/aqbench");
  const auto run = [&](const std::string& arguments) {
    return shell("cd '" + dir.path().string() + "' && bin/aqbench " + arguments);
  };
  const std::string sweep = "sweep --scene flat_plane --method roma_like --set roma_like.points=300 --out ";
  EXPECT_THAT(run(sweep + "first"), HasSubstr("exit=0"));
  EXPECT_THAT(run("accept first/* --baseline share/aqbench/baselines/mine.json --leave-out-undefined"),
              HasSubstr("exit=0"));
  EXPECT_THAT(run(sweep + "second --baseline mine --gate"), HasSubstr("exit=0"));
  EXPECT_THAT(run("gate second/* --baseline mine"), HasSubstr("exit=0"));
}

TEST_F(ProgramAlone, DoesWhatNeedsNone) {
  for (const char* arguments : {"--help", "list", "sweep --help", "sweep --suite seed --dry-run"})
    EXPECT_THAT(run(arguments), HasSubstr("exit=0")) << arguments;
  std::ofstream(dir_ / "cloud.xyz") << "0 0 1.178\n0.01 0 1.178\n0 0.01 1.179\n";
  EXPECT_THAT(run("eval cloud.xyz --scene flat_plane"), HasSubstr("exit=0"));
  const std::string swept = run("sweep --scene flat_plane --method roma_like --out out");
  EXPECT_THAT(swept, HasSubstr("exit=0"));
  EXPECT_THAT(run("verify out/*"), HasSubstr("exit=0"));
}

// As in the wheel: programs of users, images and depth maps by their own libraries; what is missing says
// where it is.
TEST_F(ProgramAlone, SweepsYourProgramAndReadsTiff) {
  EXPECT_THAT(run("demo"), HasSubstr("exit=0"));
  const std::string corpus = AQBENCH_SOURCE_DIR "/tests/fuzz/corpus/depth/";
  const std::string depth = "' --protocol depth --truth '" + corpus + "float.tif'";
  EXPECT_THAT(run("eval '" + corpus + "float.tif" + depth), HasSubstr("exit=0"));
  for (const std::string& asked :
       {"eval '" + corpus + "plain.exr" + depth, std::string("render undulating --out tank")}) {
    const std::string said = run(asked);
    EXPECT_THAT(said, HasSubstr("libaqbench_images.so is missing in ")) << asked;
    EXPECT_THAT(said, HasSubstr("not in the wheel")) << asked;
    EXPECT_THAT(said, HasSubstr("exit=2")) << asked;
  }
}

TEST_F(ProgramAlone, SaysWhichModuleIsMissing) {
  const std::string said = run("sweep --workload absorption --out out");
  EXPECT_THAT(said, HasSubstr("libaqbench_pipeline.so is missing in "));
  EXPECT_THAT(said, HasSubstr("exit=2"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
}

TEST_F(ProgramAlone, RunsMethodsOfImagesWithoutLibTorch) {
  const std::filesystem::path modules = std::filesystem::path(AQBENCH_BINARY).parent_path();
  for (const char* const module : {"libaqbench_images.so", "libaqbench_pipeline.so"})
    std::filesystem::copy_file(modules / module, dir_ / module);
  EXPECT_THAT(shell("ldd '" + (dir_ / "libaqbench_pipeline.so").string() + "'"), Not(HasSubstr("torch")));
  EXPECT_THAT(run("sweep --scene undulating --method sparse --rig arc6 --width 320 --out out"),
              HasSubstr("exit=0"));
  EXPECT_THAT(run("sweep --workload absorption --out timed"),
              HasSubstr("libaqbench_torch.so is missing in "));
}

TEST_F(ProgramAlone, RefusesATruncatedModule) {
  const std::filesystem::path whole =
      std::filesystem::path(AQBENCH_BINARY).parent_path() / "libaqbench_pipeline.so";
  std::filesystem::copy_file(whole, dir_ / "libaqbench_pipeline.so");
  for (const std::uintmax_t bytes :
       {std::filesystem::file_size(whole) - 1, std::uintmax_t{5000}, std::uintmax_t{0}}) {
    std::filesystem::resize_file(dir_ / "libaqbench_pipeline.so", bytes);
    const std::string said = run("sweep --workload absorption --out out");
    EXPECT_THAT(said, HasSubstr("libaqbench_pipeline.so: truncated or unreadable")) << bytes;
    EXPECT_THAT(said, HasSubstr("exit=2")) << bytes;
  }
}

TEST_F(ProgramAlone, RefusesAnotherBuildsModule) {
  const std::filesystem::path modules = std::filesystem::path(AQBENCH_BINARY).parent_path();
  std::filesystem::copy_file(modules / "libaqbench_images.so", dir_ / "libaqbench_pipeline.so");
  const std::string said = run("sweep --workload absorption --out out");
  EXPECT_THAT(said, HasSubstr("libaqbench_pipeline.so: belongs to another build of aqbench"));
  EXPECT_THAT(said, HasSubstr("exit=2"));
}

TEST_F(ProgramAlone, SkipsTheCasesOfDevicesWhoseModuleCannotBeLoaded) {
  const std::filesystem::path modules = std::filesystem::path(AQBENCH_BINARY).parent_path();
  for (const char* const module : {"libaqbench_pipeline.so", "libaqbench_torch.so"})
    std::filesystem::copy_file(modules / module, dir_ / module);
  std::ofstream(dir_ / "libaqbench_opencl.so") << "no library";
  const std::string said = run("sweep --workload absorption --device opencl --out out");
  EXPECT_THAT(said, HasSubstr("absorption/seed=42: skipped: "));
  EXPECT_THAT(said, HasSubstr("opencl"));
  EXPECT_THAT(said, HasSubstr("0 of 1 case ran"));
}

}  // namespace
}  // namespace aqbench::testing
