#include "pipeline/external/external.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "core/files.h"
#include "core/sandbox/sandbox.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST(SplitCommand, CutsWordsAsAShellWouldAndDoesNothingElse) {
  EXPECT_THAT(split_command("a  b\tc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_command(R"(run 'two words' "a \"b\" \n" c\ d e''f "")"),
              ElementsAre("run", "two words", R"(a "b" \n)", "c d", "ef", ""));
  EXPECT_THAT(split_command("echo $HOME * | cat > x; `ls`"),
              ElementsAre("echo", "$HOME", "*", "|", "cat", ">", "x;", "`ls`"));
  EXPECT_THAT(split_command("   "), ElementsAre());
  EXPECT_THAT(error_of(ErrorKind::usage, [] { split_command("a 'b"); }), HasSubstr("unterminated '"));
  EXPECT_THAT(error_of(ErrorKind::usage, [] { split_command("a\\"); }), HasSubstr("ends in a backslash"));
}

class External : public testing::Test {
 protected:
  // Runs the shell script `body` with $1 the dataset and $2 the output folder.
  Reconstruction run(const std::string& body, double timeout_s = 20) {
    const auto script = dir_.file("script.sh", body);
    return run_words("/bin/sh " + script.string() + " {dataset} {output} {threads}", timeout_s);
  }
  Reconstruction run_words(const std::string& command, double timeout_s = 20) {
    std::filesystem::create_directories(dir_ / "data");
    std::filesystem::create_directories(dir_ / "work");
    MethodInput input;
    input.parameters = resolve_parameters(
        "external", external_parameters(),
        {{"external", "command", command}, {"external", "timeout_s", std::to_string(timeout_s)}});
    input.work_dir = dir_ / "work";
    return run_external({dir_ / "data"}, input);
  }
  std::string failure(const std::string& body) {
    return error_of(ErrorKind::method, [&] { run(body); });
  }
  std::string log() const { return read_file(dir_ / "work/log.txt"); }

  TemporaryDirectory dir_;
};

constexpr const char* kWriteCloud = R"(
printf 'ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n' > "$2/cloud.ply"
printf 'end_header\n0 0 1.5\n0.25 0 1.25\n' >> "$2/cloud.ply"
)";

TEST_F(External, ReadsTheCloudThatItWrote) {
  const Reconstruction output =
      run(std::string("echo to out; echo to err >&2; test -d \"$1\" || exit 9\n") + kWriteCloud);
  ASSERT_EQ(output.cloud.points_m.size(), 2U);
  EXPECT_EQ(output.cloud.points_m[1], Vec3(0.25, 0, 1.25));
  EXPECT_EQ(log(), "to out\nto err\n");
}

TEST_F(External, AFailureIsTheReason) {
  EXPECT_EQ(failure("echo one; echo 'no licence' >&2; exit 3"),
            "the command ended with exit code 3; it said: no licence");
  const std::string raise = "python3 -c 'def f(): raise ValueError(\"no points\")\nf()'\n";
  EXPECT_EQ(failure(raise), "the command ended with exit code 1; it said: ValueError: no points");
  EXPECT_EQ(failure(raise + "echo cleaning up; exit 1"),
            "the command ended with exit code 1; it said: ValueError: no points; last: cleaning up");
  EXPECT_EQ(failure("sh -c 'kill -11 $$'; exit $?").substr(0, 74),
            "the command ended with exit code 139 (128 + signal 11: Segmentation fault)");
  EXPECT_EQ(failure("true"), "the command wrote no cloud.ply to its output folder");
  EXPECT_THAT(failure("echo nonsense > \"$2/cloud.ply\""), HasSubstr("cloud.ply"));
  EXPECT_THAT(error_of(ErrorKind::method, [&] { run_words("/nowhere/program {output}"); }),
              HasSubstr("could not be started: /nowhere/program: No such file"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { run_words(""); }), HasSubstr("external.command is empty"));
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { run_words("true {dataset}"); }), HasSubstr("lacks {output}"));
}

TEST_F(External, ASignalIsACrash) {
  try {
    run("kill -SEGV $$");
    FAIL();
  } catch (const ProgramFailure& failure) {
    EXPECT_EQ(failure.how(), ProgramFailure::How::crashed);
    EXPECT_THAT(failure.what(), HasSubstr("died of signal 11"));
  }
}

bool is_alive(pid_t process) {
  if (::kill(process, 0) != 0) return false;
  std::ifstream status("/proc/" + std::to_string(process) + "/stat");
  std::string pid, name, state;
  status >> pid >> name >> state;
  return state != "Z";
}

pid_t pid_in(const std::filesystem::path& file) {
  pid_t process = 0;
  std::ifstream(file) >> process;
  return process;
}

void expect_death(pid_t process) {
  ASSERT_GT(process, 1);
  for (int i = 0; i < 200 && is_alive(process); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(is_alive(process));
}

TEST_F(External, AHangIsATimeoutAndTheWholeGroupDies) {
  std::string reason;
  // On a busy machine half a second may pass before the shell has said anything: then it gets more.
  for (const double limit_s : {0.5, 4.0, 32.0}) {
    try {
      run("sleep 100 & echo $! > \"$2/background\"; echo waiting; sleep 100", limit_s);
      FAIL();
    } catch (const ProgramFailure& failure) {
      EXPECT_EQ(failure.how(), ProgramFailure::How::timeout);
      reason = failure.what();
    }
    if (!log().empty()) {
      EXPECT_EQ(reason,
                fmt::format("the command was killed after {} s, its time limit; it said: waiting", limit_s));
      break;
    }
  }
  EXPECT_EQ(log(), "waiting\n");
  expect_death(pid_in(dir_ / "work/output/background"));
}

TEST_F(External, WhatItLeavesRunningIsKilled) {
  run(std::string("sleep 100 > /dev/null 2>&1 & echo $! > \"$2/background\"\n") + kWriteCloud);
  expect_death(pid_in(dir_ / "work/output/background"));
}

TEST_F(External, DiesWithTheProcessThatRunsIt) {
  const pid_t runner = ::fork();
  if (runner == 0) {
    try {
      run("echo $$ > \"$2/pid\"; sleep 100");
    } catch (...) {
    }
    ::_exit(0);
  }
  const auto file = dir_ / "work/output/pid";
  pid_t command = 0;
  for (int i = 0; i < 500 && command <= 1; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    command = pid_in(file);
  }
  ASSERT_GT(command, 1);
  ::kill(runner, SIGKILL);
  expect_death(command);
  ::waitpid(runner, nullptr, 0);
}

TEST_F(External, ADaemonOfItsOwnSessionIsKilled) {
  run(std::string("setsid sh -c 'echo $$ > \"$0/daemon\"; exec sleep 100' \"$2\" &\n"
                  "while ! test -s \"$2/daemon\"; do sleep 0.01; done\n") +
      kWriteCloud);
  expect_death(pid_in(dir_ / "work/output/daemon"));
}

// What a process group in the background does to its terminal stops the whole group; in this test, that which
// runs the command has a terminal, as a user's shell has.
TEST_F(External, ATerminalIsNeitherReachedNorCanItKeepTheTimeLimitFromComing) {
  int terminal = -1;
  const pid_t user = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(user, 0);
  if (user == 0) {
    int code = 0;
    try {
      run("(stty -echo tostop < /dev/tty && echo changed) ; exec < /dev/tty; stty -echo; sleep 100", 1);
    } catch (const ProgramFailure& failure) {
      code = failure.how() == ProgramFailure::How::timeout ? 1 : 2;
    } catch (...) {
      code = 3;
    }
    ::_exit(code);
  }
  termios settings{};
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < 2000 && ended == 0; ++i) {
    ended = ::waitpid(user, &status, WNOHANG);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const bool has_settings = ::tcgetattr(terminal, &settings) == 0;
  if (ended == 0) ::kill(user, SIGKILL);
  ASSERT_EQ(ended, user) << "neither its end nor its time limit came";
  // It either ran into its limit or ended because there was no terminal to read from.
  EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 1 || WEXITSTATUS(status) == 3)) << status;
  EXPECT_TRUE(has_settings && (settings.c_lflag & ECHO) != 0) << "the user's terminal was changed";
  EXPECT_EQ(log().find("changed"), std::string::npos);
  ::close(terminal);
}

TEST_F(External, ItsEnvironmentNamesNothingOfTheHarness) {
  ::setenv("AQBENCH_CACHE_DIR", "/a/cache", 1);
  run(std::string("env | grep ^AQBENCH_; echo \"$TMPDIR\"; touch \"$TMPDIR/own\" || exit 3\n") + kWriteCloud);
  ::unsetenv("AQBENCH_CACHE_DIR");
  // Except for the place of its stages, which is in its own folder.
  EXPECT_EQ(log(), "AQBENCH_STAGES=" + (dir_ / "work/stages/lines").string() + "\n" +
                       (dir_ / "work/tmp").string() + "\n");
}

TEST_F(External, ItsEnvironmentHoldsNoSecretsOfTheUser) {
  ::setenv("GITHUB_TOKEN", "of the user", 1);
  ::setenv("OMP_PLACES", "cores", 1);
  run(std::string("echo \"$GITHUB_TOKEN,$OMP_PLACES,$HOME\"\n") + kWriteCloud);
  ::unsetenv("GITHUB_TOKEN");
  ::unsetenv("OMP_PLACES");
  EXPECT_EQ(log(), ",cores," + std::string(::getenv("HOME") == nullptr ? "" : ::getenv("HOME")) + "\n");
}

TEST_F(External, ReachesItsOwnFilesAndThoseThatItsCommandNames) {
  if (landlock_abi() == 0)
    GTEST_SKIP() << "no landlock; namespaces are entered before, by the method's process";
  const TemporaryDirectory other;
  const auto named = other.file("named", "named\n"), unnamed = other.file("unnamed", "unnamed\n");
  const auto script =
      dir_.file("spy.sh", "cat \"$3\" \"" + unnamed.string() + "\"; echo spoiled > \"$3\"; rm -f \"$3\"\n" +
                              "echo spoiled > \"$1/image\"\n" + kWriteCloud);
  run_words("sh " + script.string() + " {dataset} {output} " + named.string());
  EXPECT_THAT(log(), testing::StartsWith("named\n"));
  EXPECT_THAT(log(), Not(HasSubstr("unnamed\n")));
  EXPECT_EQ(read_file(named), "named\n");
  EXPECT_FALSE(std::filesystem::exists(dir_ / "data/image"));
}

TEST_F(External, AnEndlessLogIsKilled) {
  CommandOptions options{.timeout_s = 20, .log_file = dir_ / "log", .log_limit_bytes = 1 << 20};
  add_system_access(options.access);
  const CommandOutcome outcome =
      run_command({"/bin/sh", "-c", "while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done"}, options);
  EXPECT_EQ(outcome.end, CommandOutcome::End::log_limit);
  EXPECT_EQ(describe(outcome, options), "was killed after writing 1 MiB to its log");
}

}  // namespace
}  // namespace aqbench
