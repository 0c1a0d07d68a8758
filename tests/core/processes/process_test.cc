#include "core/processes/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "core/descriptor.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

TEST(AskProgram, GivesTheOutputOrTheProblem) {
  EXPECT_EQ(ask_program({"echo", "a b", "$HOME"}, 5).output, "a b $HOME\n");
  EXPECT_THAT(ask_program({"no-such-program-here"}, 5).problem, HasSubstr("no-such-program-here"));
  EXPECT_THAT(ask_program({"ls", "/nowhere"}, 5).problem, HasSubstr("/nowhere"));
  EXPECT_FALSE(ask_program({"sleep", "30"}, 0.1).ok);
  EXPECT_FALSE(ask_program({"false"}, 5).ok);
}

TEST(AskProgram, SaysHowTheProgramEnded) {
  EXPECT_EQ(ask_program({"no-such-program-here"}, 5).problem,
            "no-such-program-here: No such file or directory");
  EXPECT_EQ(ask_program({"sh", "-c", "exit 3"}, 5).problem, "sh failed with exit code 3");
  EXPECT_EQ(ask_program({"sh", "-c", "echo why >&2; exit 3"}, 5).problem, "why");
  EXPECT_THAT(ask_program({"sh", "-c", "kill -9 $$"}, 5).problem, HasSubstr("sh died of signal 9"));
}

// As the shell and execvp() do; posix_spawn() alone refuses it.
TEST(AskProgram, RunsAScriptWithoutAnInterpreterLine) {
  const TemporaryDirectory folder;
  const auto script = folder.file("script-without-interpreter", "echo \"$1\"\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  EXPECT_EQ(ask_program({script.string(), "a b"}, 5).output, "a b\n");
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  EXPECT_EQ(ask_program({"script-without-interpreter", "c"}, 5).output, "c\n");
  ::setenv("PATH", path.c_str(), 1);
}

TEST(RunToEnd, GivesTheExitCodeOfAShell) {
  EXPECT_EQ(run_to_end({"true"}), 0);
  EXPECT_EQ(run_to_end({"sh", "-c", "exit 3"}), 3);
  EXPECT_EQ(run_to_end({"sh", "-c", "kill -9 $$"}), 128 + 9);
  EXPECT_EQ(run_to_end({"no-such-program-here"}), 127);
}

TEST(ProgramStart, PassesOnOnlyWhatIsGiven) {
  Pipe answer("a pipe");
  ProgramStart program(
      {"sh", "-c",
       "cat; open=$(ls /proc/$$/fd | tr '\\n' ' '); echo \" $open\" >&5; kill -PIPE $$; echo no >&5"});
  program.give(answer.write.get(), 5);
  program.close_stdin();
  program.reset_sigpipe();
  ::signal(SIGPIPE, SIG_IGN);
  pid_t process = -1;
  ASSERT_EQ(program.start(process), 0);
  ::signal(SIGPIPE, SIG_DFL);
  answer.write.reset();
  std::array<char, 256> said{};
  std::string text;
  for (ssize_t count = 0; (count = ::read(answer.read.get(), said.data(), said.size())) > 0;)
    text.append(said.data(), static_cast<std::size_t>(count));
  const int status = wait_for_end(process);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
  EXPECT_THAT(text, HasSubstr(" 5 "));
  EXPECT_THAT(text, testing::Not(HasSubstr(" " + std::to_string(answer.read.get()) + " ")));
  EXPECT_THAT(text, testing::Not(HasSubstr("no")));
  EXPECT_EQ(ProgramStart({"/nowhere/x"}).start(process), ENOENT);
}

// A foreign repository with commands in its configuration and in that of its submodule.
TEST(AskGit, RunsNoCommandOfARepository) {
  const TemporaryDirectory folder;
  const auto repository = folder / "repository", sub = repository / "sub", ran = folder / "ran";
  const std::string set_up = R"(
    set -e
    export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
    evil="echo ran >> '$2'; cat"
    for place in "$1/sub" "$1"; do
      mkdir -p "$place"; git -C "$place" init -q
      echo one > "$place/file"; echo '* filter=a=b.c' > "$place/.gitattributes"
      git -C "$place" add -A 2>/dev/null; git -C "$place" commit -q -m m
      printf '[filter "a=b.c"]\n\tclean = "%s"\n\tprocess = "%s"\n\trequired = true\n[core]\n\tfsmonitor = "%s"\n' \
        "$evil" "$evil" "$evil" >> "$place/.git/config"
      echo two > "$place/file"; touch -d 2030-01-01 "$place/.gitattributes"
    done)";
  ASSERT_EQ(run_to_end({"sh", "-c", set_up, "sh", repository.string(), ran.string()}), 0);
  const ProgramAnswer status = ask_git(repository, {"status", "--porcelain", "--untracked-files=no"});
  EXPECT_TRUE(status.ok) << status.problem;
  EXPECT_EQ(status.output, " M file") << "what changed is still seen";
  EXPECT_TRUE(ask_git(sub, {"rev-parse", "HEAD"}).ok);
  EXPECT_FALSE(std::filesystem::exists(ran));
}

}  // namespace
}  // namespace aqbench
