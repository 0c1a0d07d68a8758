#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "core/files.h"
#include "pipeline/external/external.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Not;

class CommandReads : public testing::Test {
 protected:
  CommandReads() : root_(fs::canonical(dir_.path())) {
    for (const char* folder : {"venv", "venv/bin", "project", "data", "data/deep"})
      fs::create_directory(root_ / folder);
    dir_.file("venv/bin/python", "#!/bin/sh\n");
    dir_.file("project/run.py", "");
    dir_.file("data/weights", "");
    dir_.file("data/deep/config", "");
    fs::permissions(root_ / "venv/bin/python", fs::perms::owner_all);
  }
  std::string at(const char* name) const { return (root_ / name).string(); }

  TemporaryDirectory dir_;
  fs::path root_;
};

TEST_F(CommandReads, AProgramBringsItsFolderAndWhatLiesAroundBin) {
  const auto reads = command_reads({at("venv/bin/python"), at("project/run.py")});
  EXPECT_THAT(reads, Contains(root_ / "venv"));
  EXPECT_THAT(reads, Contains(root_ / "project"));
  EXPECT_THAT(reads, Not(Contains(root_)));
}

TEST_F(CommandReads, OtherFilesAreNamedAloneOrAfterAnEqualsSign) {
  const auto reads = command_reads({"env", "MODEL=" + at("data/weights"), at("project/run.py"),
                                    "--config=" + at("data/deep/config"), at("nowhere"), at("venv")});
  EXPECT_THAT(reads, Contains(root_ / "data/weights"));
  EXPECT_THAT(reads, Contains(root_ / "data/deep/config"));
  EXPECT_THAT(reads, Contains(root_ / "venv"));
  EXPECT_THAT(reads, Not(Contains(root_ / "data/deep")));
  EXPECT_THAT(reads, Not(Contains(root_ / "nowhere")));
}

TEST_F(CommandReads, AnInterpreterIsPartOfTheProgram) {
  dir_.file("project/tool", "#!" + at("venv/bin/python") + " -u\n");
  fs::permissions(root_ / "project/tool", fs::perms::owner_all);
  EXPECT_THAT(command_reads({at("project/tool")}), Contains(root_ / "venv"));
}

TEST_F(CommandReads, ASharedFolderBelongsToNoProgram) {
  fs::permissions(root_ / "project", fs::perms::all | fs::perms::sticky_bit);
  const auto reads = command_reads({"sh", at("project/run.py")});
  EXPECT_THAT(reads, Contains(root_ / "project/run.py"));
  EXPECT_THAT(reads, Not(Contains(root_ / "project")));
  const std::string home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  ::setenv("HOME", at("data/deep").c_str(), 1);
  EXPECT_THAT(command_reads({"sh", at("data/weights")}), Not(Contains(root_ / "data")));
  ::setenv("HOME", home.c_str(), 1);
}

// ~/.cargo/credentials.toml and ~/.local/share/keyrings lie beside programs in PATH.
TEST_F(CommandReads, OfAToolsHiddenFolderOnlyTheProgramsAreAdded) {
  for (const char* folder : {".tool", ".tool/bin", ".tool/lib", ".tool/share", ".venv", ".venv/bin"})
    fs::create_directory(root_ / "data" / folder);
  dir_.file("data/.tool/credentials.toml", "token");
  dir_.file("data/.tool/bin/run", "#!/bin/sh\n");
  dir_.file("data/.venv/pyvenv.cfg", "");
  const std::string path = ::getenv("PATH"), home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  ::setenv("HOME", at("data").c_str(), 1);
  ::setenv("PATH", (at("data/.tool/bin") + ":" + at("data/.venv/bin") + ":" + path).c_str(), 1);
  for (const auto& command :
       {std::vector<std::string>{"sh", at("project/run.py")}, {at("data/.tool/bin/run")}}) {
    const auto reads = command_reads(command);
    EXPECT_THAT(reads, Contains(root_ / "data/.tool/bin"));
    EXPECT_THAT(reads, Contains(root_ / "data/.tool/lib"));
    EXPECT_THAT(reads, Contains(root_ / "data/.venv")) << "an environment is a whole";
    for (const char* const closed : {"data", "data/.tool", "data/.tool/share", "data/.tool/credentials.toml"})
      EXPECT_THAT(reads, Not(Contains(root_ / closed)));
  }
  ::setenv("HOME", home.c_str(), 1);
  ::setenv("PATH", path.c_str(), 1);
}

TEST(Variables, AreThoseThatMethodsNeed) {
  for (const char* const needed : {"PATH", "HOME", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS",
                                   "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHASHSEED",
                                   "CONDA_PREFIX", "VIRTUAL_ENV", "HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME"})
    EXPECT_TRUE(is_passed_on(needed)) << needed;
  for (const char* const secret :
       {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "HF_TOKEN", "NVIDIA_API_KEY",
        "CONDA_PASSWORD", "CUDA_LICENSE_SECRET", "SSH_AUTH_SOCK", "https_proxy", "DATABASE_URL",
        "AQBENCH_CACHE_DIR", "DISPLAY", "PATHS", "GIT_ASKPASS", "DBUS_SESSION_BUS_ADDRESS", ""})
    EXPECT_FALSE(is_passed_on(secret)) << secret;
}

using testing::HasSubstr;

class CommandProblem : public testing::Test {
 protected:
  CommandProblem() {
    dir_.file("here.py", "");
    dir_.file("here", "");
    std::filesystem::permissions(dir_ / "here", std::filesystem::perms::owner_all);
    std::filesystem::create_directory(dir_ / "folder");
  }
  std::string of(const std::string& command, bool knows_path = true) {
    return command_problem(split_command(command), dir_ / "", knows_path);
  }
  TemporaryDirectory dir_;
};

TEST_F(CommandProblem, ExistingFilesAreNoProblem) {
  for (const char* const command :
       {"sh -c 'no-such-thing'", "./here", "sh here.py", "sh -e -o nounset here.py x", "env A=1 sh here.py",
        "python3 -m no_such_module", "perl -W here.py", "sh ls", "ls nothing-here", "sh",
        "sh folder/../here.py", "perl -S tool.pl", "env PATH=/nowhere no-such-program"})
    EXPECT_EQ(of(command), "") << command;
  EXPECT_EQ(of(std::string("sh ") + kUnknownWord + "/run.sh"), "") << "in {dataset} or {output}";
  EXPECT_EQ(of("no-such-program", false), "");
}

TEST_F(CommandProblem, MissingFilesAreNamed) {
  EXPECT_THAT(of("no-such-program x"), HasSubstr("no-such-program: no such program in PATH"));
  EXPECT_THAT(of("here x"),
              HasSubstr("here: no such program in PATH; write ./here for the file in this folder"));
  EXPECT_THAT(of("./absent x"), HasSubstr("/./absent: no such program"));
  EXPECT_THAT(of("./here.py x"), HasSubstr("/./here.py: no permission to execute"));
  EXPECT_THAT(of("./folder x"), HasSubstr("no permission to execute"));
  EXPECT_THAT(of("sh -e absent.sh x"), HasSubstr("/absent.sh: no such file (script of sh)"));
  EXPECT_THAT(of("env A=1 perl -w absent.pl"), HasSubstr("/absent.pl: no such file (script of perl"));
  EXPECT_THAT(of("env A=1 no-such-program"), HasSubstr("no-such-program: no such program in PATH"));
}

using testing::ElementsAre;

OwnCamera camera_of(const std::string& lens) {
  const TemporaryDirectory folder;
  const auto file = folder.file(
      "transforms.json",
      fmt::format(R"({{"w": 40, "h": 30, "fl_x": 50, {}, "frames": [{{"file_path": "a.png"}}]}})", lens));
  std::vector<OwnCamera> cameras = {{"a.png"}};
  read_own_intrinsics(file, cameras);
  return cameras.front();
}

// A lens that no camera here can hold fails no case: its focal length is compared all the same.
TEST(OwnIntrinsics, OfALensThatIsNotKnownAreWithoutIt) {
  for (const char* const lens :
       {R"("camera_model": "FISHEYE")", R"("k4": 0.1)", R"("camera_model": "OPENCV_FISHEYE", "p1": 0.1)"}) {
    const OwnCamera camera = camera_of(lens);
    ASSERT_TRUE(camera.intrinsics) << lens;
    EXPECT_EQ(camera.intrinsics->fx_px, 50);
    EXPECT_FALSE(camera.distortion) << lens;
  }
}

// Of 40 x 30 px; an axis without a focal length or an angle takes the other's.
TEST(OwnIntrinsics, HaveTheFocalLengthsOfEitherAxis) {
  const auto focal = [](const char* of) {
    const TemporaryDirectory folder;
    const auto file =
        folder.file("transforms.json",
                    fmt::format(R"({{"w": 40, "h": 30, {} "frames": [{{"file_path": "a.png"}}]}})", of));
    std::vector<OwnCamera> cameras = {{"a.png"}};
    read_own_intrinsics(file, cameras);
    const auto& found = cameras.front().intrinsics;
    return found ? std::pair(found->fx_px, found->fy_px) : std::pair(0.0, 0.0);
  };
  const double x = 20 / std::tan(0.4), y = 15 / std::tan(0.3);
  EXPECT_EQ(focal(R"("camera_angle_x": 0.8,)"), std::pair(x, x));
  EXPECT_EQ(focal(R"("camera_angle_y": 0.6,)"), std::pair(y, y));
  EXPECT_EQ(focal(R"("camera_angle_x": 0.8, "camera_angle_y": 0.6,)"), std::pair(x, y));
  EXPECT_EQ(focal(R"("fl_x": 50, "camera_angle_y": 0.6,)"), std::pair(50.0, y));
  EXPECT_EQ(focal(R"("fl_y": 52,)"), std::pair(52.0, 52.0));
  EXPECT_EQ(focal(""), std::pair(0.0, 0.0)) << "unknown";
}

TEST(OwnIntrinsics, HaveTheCoefficientsOfTheLens) {
  EXPECT_THAT(*camera_of(R"("k1": 0.1, "p2": 0.2)").distortion, ElementsAre(0.1, 0, 0, 0.2, 0));
  EXPECT_THAT(*camera_of(R"("is_fisheye": true, "k4": 0.1)").distortion, ElementsAre(0, 0, 0, 0.1));
}

class ProgramStages : public testing::Test {
 protected:
  // "name start-end lane", of a run from 1000 ms to 2000 ms.
  std::string read(const std::string& lines, const std::string& file = "") {
    std::filesystem::remove(dir_ / "lines");
    std::filesystem::remove(dir_ / "file");
    if (!lines.empty()) dir_.file("lines", lines);
    if (!file.empty()) dir_.file("file", file);
    const ReportedStages reported =
        read_program_stages({dir_ / "lines", dir_ / "file", "stages.json", 1'000'000'000, 2'000'000'000});
    open_ = reported.open;
    std::string text;
    for (const ProgramStage& stage : reported.stages)
      text += stage.name + " " + std::to_string(stage.start_ns / 1'000'000) + "-" +
              std::to_string(stage.end_ns / 1'000'000) + " " + std::to_string(stage.lane) +
              (stage.calls > 1 ? "x" + std::to_string(stage.calls) : "") + "; ";
    return text;
  }
  std::string refused(const std::string& lines, const std::string& file = "") {
    return error_of(ErrorKind::method, [&] { read(lines, file); });
  }
  TemporaryDirectory dir_;
  std::string open_;
};

TEST_F(ProgramStages, NoReportGivesNoStages) { EXPECT_EQ(read(""), ""); }

TEST_F(ProgramStages, LinesNestByThread) {
  EXPECT_EQ(
      read("B 1100000000 5.5 all of it\nB 1200000000 5.5 inner\nB 1250000000 5.7 other\nE 1300000000 5.7\n"
           "E 1400000000 5.5\nE 1900000000 5.5\n"),
      "all of it 1100-1900 0; inner 1200-1400 0; other 1250-1300 1; ");
  EXPECT_EQ(open_, "");
  // Programs run one after the other by a script form one lane; a concurrent one does not.
  EXPECT_EQ(read("B 1100000000 5.5 a\nE 1200000000 5.5\nB 1300000000 6.6 b\nE 1400000000 6.6\n"
                 "B 1350000000 7.7 c\nE 1500000000 7.7\n"),
            "a 1100-1200 0; b 1300-1400 0; c 1350-1500 1; ");
  // Open stages of a killed program end with it; a truncated line is ignored.
  EXPECT_EQ(read("B 1100000000 5.5 a\nB 1200000000 5.5 b\nE 13"), "a 1100-2000 0; b 1200-2000 0; ");
  EXPECT_EQ(open_, "b");
}

TEST_F(ProgramStages, WrongLinesAreNamed) {
  EXPECT_THAT(
      refused("B 1100000000 5.5 a\nX\n"),
      HasSubstr(
          "AQBENCH_STAGES: line 2: expected 'B NS PROCESS.THREAD NAME' or 'E NS PROCESS.THREAD', got 'X'"));
  EXPECT_THAT(refused("B 1100000000 5.5 \n"), HasSubstr("line 1: expected"));
  EXPECT_THAT(refused("E 1100000000 5.5\n"), HasSubstr("line 1: ends a stage, but none is open"));
  EXPECT_THAT(refused("B 7 5.5 a\n"), HasSubstr("line 1: 7 ns is outside this run; use CLOCK_MONOTONIC"));
}

// Lines written during the run take precedence over the profile of another tool.
TEST_F(ProgramStages, LinesCountWhereAFileIsThere) {
  const std::string lines = "B 1100000000 5.5 a\nE 1200000000 5.5\n";
  EXPECT_EQ(read(lines, R"({"stages": [{"name": "b", "ms": 500}]})"), "a 1100-1200 0; ");
  EXPECT_EQ(read(lines, "no JSON"), "a 1100-1200 0; ");
  EXPECT_THAT(refused("X\n", R"({"stages": [{"name": "b", "ms": 500}]})"),
              HasSubstr("AQBENCH_STAGES: line 1: expected"));
}

TEST_F(ProgramStages, AListOfTimesIsLaidOut) {
  EXPECT_EQ(
      read("", R"({"stages": [{"name": "a", "ms": 500}, {"name": "b", "ms": 200, "parent": "a", "calls": 3},
                                    {"name": "c", "ms": 100, "parent": "a"}, {"name": "d", "ms": 50}]})"),
      "a 1000-1500 0; b 1000-1200 0x3; c 1200-1300 0; d 1500-1550 0; ");
  EXPECT_THAT(refused("", R"({"stages": [{"name": "a", "ms": 5}, {"name": "b", "ms": 6, "parent": "a"}]})"),
              HasSubstr("stages.json: stages[1].ms: the stages in 'a' take longer than it"));
  EXPECT_THAT(refused("", R"({"stages": [{"name": "b", "ms": 6, "parent": "a"}]})"),
              HasSubstr("unknown stage 'a' above"));
  EXPECT_THAT(refused("", R"({"stages": [{"name": "b", "ms": 6000}]})"),
              HasSubstr("its stages take 6.000 s, the program ran for 1.000 s"));
  EXPECT_THAT(refused("", "{"), HasSubstr("stages.json:1:2: "));
  EXPECT_THAT(refused("", "{}"), HasSubstr("has neither stages nor traceEvents"));
}

TEST_F(ProgramStages, ATraceIsReadAndMovedToTheRun) {
  // As torch.profiler writes it: operators stand beside the ranges that a user marked.
  EXPECT_EQ(read("", R"({"traceEvents": [
      {"ph": "X", "cat": "user_annotation", "name": "net", "pid": 9, "tid": 9, "ts": 5000, "dur": 300000},
      {"ph": "X", "cat": "user_annotation", "name": "conv", "pid": 9, "tid": 9, "ts": 6000, "dur": 1000},
      {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 9, "tid": 9, "ts": 6000, "dur": 10},
      {"ph": "M", "name": "process_name", "pid": 9}, {"ph": "i", "name": "mark", "ts": 1, "s": "g"}]})"),
            "net 1000-1300 0; conv 1001-1002 0; ");
  // As Perfetto's: begin and end, names for processes; on the run's own clock nothing is moved.
  EXPECT_EQ(read("", R"([{"ph": "B", "name": "a", "pid": "p", "tid": 1, "ts": 1100000},
                        {"ph": "E", "pid": "p", "tid": 1, "ts": 1200000}])"),
            "a 1100-1200 0; ");
  EXPECT_THAT(refused("", R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 10},
                             {"ph": "X", "name": "b", "pid": 1, "tid": 1, "ts": 5, "dur": 10}])"),
              HasSubstr("stages.json: stages 'a' and 'b' overlap on one thread"));
  EXPECT_THAT(refused("", R"([{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0}])"),
              HasSubstr("'dur' is missing"));
}

}  // namespace

}  // namespace aqbench
