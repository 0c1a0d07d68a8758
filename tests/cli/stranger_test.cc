// Bundles of strangers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "core/files.h"
#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Stranger : public UserFolder {
 protected:
  Stranger() {
    ::setenv("AQBENCH_ISOLATION", "off", 1);  // the programs leave a trace outside of {output}
    ::setenv("XDG_STATE_HOME", at("state").c_str(), 1);
  }
  ~Stranger() override {
    ::unsetenv("AQBENCH_ISOLATION");
    ::unsetenv("XDG_STATE_HOME");
  }
  std::string at(const std::string& name) const { return (dir_ / name).string(); }
  // A sweep of one case whose method is a program that leaves a trace; interrupted or whole.
  std::filesystem::path sweep_of_external(const Arguments& more, bool killed = false) {
    write("theirs.sh", "echo x >>" + at("trace") + "\n" + shell_cloud("$1/cloud.ply", {"0 0 1.18"}));
    ProgramOptions options;
    if (killed) options.kill_when = [&] { return bundle_lines(dir_ / "out", "journal.jsonl") >= 2; };
    const auto swept = run_program(
        with(words("sweep --scene flat_plane --rig single_pair --width 48 --method external --set "
                   "{} --out {}",
                   "external.command=/bin/sh " + at("theirs.sh") + " {output}", dir_ / "out"),
             more),
        options);
    EXPECT_EQ(swept.exit_code == 0, !killed) << swept.err;
    return only_bundle(dir_ / "out");
  }
  // From here on the bundle is a stranger's: nothing records that this user started it.
  void become_somebody_else() { std::filesystem::remove_all(dir_ / "state"); }
  std::size_t traces() const {
    std::ifstream file(dir_ / "trace");
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, 'x'));
  }
};

TEST_F(Stranger, CommandsRunOnlyOnRequest) {
  const auto bundle = sweep_of_external({});
  ASSERT_EQ(traces(), 1u);
  // The user's own bundle needs no permission in the folder where it was made.
  EXPECT_EQ(run_program({"replay", bundle, "--all"}).exit_code, 0);
  ASSERT_EQ(traces(), 2u);
  EXPECT_EQ(run_program({"replay", bundle, "--all"}, {.working_dir = dir_.path()}).exit_code, 2);
  become_somebody_else();
  const auto refused = run_program({"replay", bundle, "--all"});
  expect_mistake(refused, "  external.command: /bin/sh " + at("theirs.sh") + " {output}\n");
  EXPECT_THAT(refused.err, HasSubstr("refusing to run its commands"));
  EXPECT_EQ(traces(), 2u) << "nothing ran";
  EXPECT_THAT(succeeded(run_line("replay {} --all --run-its-commands", bundle)).err,
              HasSubstr("external.command: "));
  EXPECT_EQ(traces(), 3u);
  std::ofstream(bundle / "bench.log", std::ios::app) << "x";
  EXPECT_EQ(run_line("replay {} --all --run-its-commands", bundle).exit_code, 1) << "it does not verify";
  EXPECT_EQ(traces(), 3u);
}

TEST_F(Stranger, ASweepIsResumedByItsAuthor) {
  const auto bundle = sweep_of_external({"--repeat", "3"}, true);
  const auto begun = traces();
  ASSERT_LT(begun, 4u);
  std::filesystem::rename(dir_ / "state", dir_ / "kept");
  expect_mistake(run_program({"sweep", "--resume", bundle}), "external.command: ");
  EXPECT_EQ(traces(), begun);
  EXPECT_EQ(run_line("sweep --resume {} --dry-run", bundle).exit_code, 0);
  std::filesystem::rename(dir_ / "kept", dir_ / "state");
  succeeded(run_program({"sweep", "--resume", bundle}));
  EXPECT_EQ(run_program({"sweep", "--run-its-commands"}).exit_code, 2) << "only with --resume";
}

TEST_F(Stranger, AComparisonStartsNoProgramBeforeItsAuthorIsKnown) {
  const std::string spy = at("spy");
  write_program(spy, "#!/bin/sh\necho x >>" + at("trace") + "\nexec " AQBENCH_BINARY " \"$@\"\n");
  ProgramOptions interrupt;
  interrupt.interrupt_when = [&] { return bundle_lines(dir_ / "out", "journal.jsonl") >= 2; };
  exits(run_program(words("ab --a {} --b {} --scene flat_plane --method roma_like --set roma_like.points=500 "
                          "--repetitions 3 --pairs 24 --out {}",
                          spy, spy, at("out")),
                    interrupt),
        130);
  become_somebody_else();
  const auto before = traces();
  expect_mistake(run_program({"ab", "--resume", only_bundle(dir_ / "out")}),
                 "  A: " + spy + "\n  B: " + spy + "\n");
  EXPECT_EQ(traces(), before);
  interrupt.interrupt_when = [&] { return traces() > before + 2; };
  const auto allowed =
      run_program(words("ab --resume {} --run-its-commands", only_bundle(dir_ / "out")), interrupt);
  EXPECT_THAT(allowed.err, Not(HasSubstr("are not run")));
  EXPECT_GT(traces(), before);
}

// Resuming writes to the bundle: a link could redirect that to a file of the user, a FIFO never answers.
TEST_F(Stranger, NoLinkIsFollowedOutOfAResumedBundle) {
  const auto bundle = sweep_of_external({}, false);
  write("mine.txt", "mine\n");
  const auto refused = [&](const char* command, const std::string& file) {
    const auto ran = run_program({command, "--resume", bundle, "--run-its-commands"});
    EXPECT_EQ(ran.exit_code, 2) << command << " " << file << ": " << ran.err;
    EXPECT_THAT(ran.err, HasSubstr((bundle / file).string() + ": is ")) << command;
    EXPECT_THAT(ran.err, HasSubstr("a bundle holds folders and plain files alone")) << command;
  };
  for (const char* const file :
       {"results.json", "summary.md", "commands.txt", "bench.log", "journal.jsonl", "tiles", "mine.log"}) {
    const auto kept = dir_ / "kept";
    const bool there = std::filesystem::exists(bundle / file);
    if (there) std::filesystem::rename(bundle / file, kept);
    for (const bool link : {true, false}) {
      if (link)
        std::filesystem::create_symlink(dir_ / "mine.txt", bundle / file);
      else
        ASSERT_EQ(::mkfifo((bundle / file).c_str(), 0600), 0);
      for (const char* const command : {"sweep", "ab"}) refused(command, file);
      std::filesystem::remove(bundle / file);
    }
    if (there) std::filesystem::rename(kept, bundle / file);
  }
  EXPECT_EQ(read_file(dir_ / "mine.txt"), "mine\n");
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
}

}  // namespace
}  // namespace aqbench::testing
