// aqbench ab --quick: every form ends within its minute with a statement.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/ab/first_pairs.h"
#include "tests/cli/ab_fixture.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AbQuick : public Ab {
 protected:
  WithoutLibTorch program_;
  // A project with a program that takes `slow` seconds and writes four points, the same each time, at a
  // height that its parameter sets.
  void make_project(const std::string& slow) {
    script("run.sh", "sleep " + slow + "\n" + shell_plane("$2/cloud.ply", "1.$3"));
    write("aqbench.json", R"({"version": 1, "methods": [{"name": "mine",
      "command": "/bin/sh run.sh {dataset} {output} {height}", "parameters": [{"name": "height", "default": 178}]},
      {"name": "other", "command": "/bin/sh run.sh {dataset} {output} 180"}]})");
  }
  // With a minute of so many seconds.
  ProgramResult quick(double minute_s, const Arguments& more) {
    ::setenv("AQBENCH_QUICK_S", std::to_string(minute_s).c_str(), 1);
    const auto start = std::chrono::steady_clock::now();
    ProgramResult ran = run(with(with({"ab"}, more), {"--quick", "--out", dir_ / "out"}));
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ::unsetenv("AQBENCH_QUICK_S");
    EXPECT_LT(seconds_, minute_s + 20);  // on a busy machine
    return ran;
  }
  double seconds_ = 0;
};

// A pair takes 2 s of 8: a usual unit has no room. Each unit is one run, and the trial counts.
TEST_F(AbQuick, SettingsOfASlowProgramAreComparedByOneRunASide) {
  make_project("1");
  const auto ran = exits(quick(8, words("--variant mine.height=178,180 --scene flat_plane --rig single_pair "
                                        "--width 48 --metric accuracy_mean_mm")),
                         5);
  EXPECT_THAT(ran.err, HasSubstr("the outputs of the first pair differ: accuracy_mean_mm "));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("fitted into a minute, a verdict on time needs"), HasSubstr(": final"),
                             HasSubstr("to settle it: aqbench ab --variant"), HasSubstr("B / A ")));
  succeeded(run_program({"verify", only_bundle(dir_ / "out")}));
}

TEST_F(AbQuick, ARunThatDoesNotEndWithTheMinuteIsNamed) {
  make_project("100");
  EXPECT_THAT(
      exits(
          quick(4, words("--method-a mine --method-b other --scene flat_plane --rig single_pair --width 48")),
          5)
          .out,
      AllOf(HasSubstr("INCONCLUSIVE: --quick: a run of "), HasSubstr("was not done"),
            HasSubstr("to settle it: aqbench ab --method-a mine")));
}

TEST_F(AbQuick, ProgramsAndVariantsAreQuick) {
  const auto variant = quick(
      10,
      words(
          "--variant roma_like.points=200,20000 --scene flat_plane --method roma_like --allow-inconclusive"));
  EXPECT_THAT(variant.err, ::testing::ContainsRegex("aqbench: up to [0-9]+ pairs of 1 case within 0:10"));
  EXPECT_NE(variant.exit_code, 2) << variant.err;
  const auto programs =
      quick(10, words("--a {} --b {} --scene flat_plane --method roma_like --allow-inconclusive",
                      AQBENCH_BINARY, AQBENCH_BINARY));
  EXPECT_NE(programs.exit_code, 2) << programs.err;
  EXPECT_THAT(programs.out, Not(HasSubstr("REGRESSED")));
}

// A pair of commands takes 4.6 s of 6: the two runs of the trial are the pair.
TEST_F(AbQuick, SlowCommandsAreShownByTheirTrial) {
  EXPECT_THAT(exits(quick(6, {"--cmd-a", "sleep 2", "--cmd-b", "sleep 2.6"}), 5).out,
              AllOf(HasSubstr("1 pair fitted into a minute"), HasSubstr("B / A 1."),
                    HasSubstr("to settle it: aqbench ab --cmd-a 'sleep 2'")));
}

// The runs of the trial take three times as long as later ones: there is time for more pairs than it says.
TEST_F(AbQuick, TheClockEndsItAndNotTheTimeOfTheTrial) {
  script("work.sh", "sleep 0.1; test -s slow || exit 0; sed -i 1d slow; sleep 0.2");
  write("slow", "1\n2\n3\n4\n");
  const std::string command = "sh " + (dir_ / "work.sh").string();
  const auto ran = exits(quick(7, {"--cmd-a", command, "--cmd-b", command, "--cwd-a", dir_.path().string(),
                                   "--cwd-b", dir_.path().string(), "--tau", "0.01%", "--delta", "0.02%"}),
                         5);
  const std::size_t planned = ran.err.find("up to ");
  ASSERT_NE(planned, std::string::npos) << ran.err;  // twice as many as fitted by the trial
  EXPECT_GT(2 * (pair_lines(only_bundle(dir_ / "out")) - 1), std::stoi(ran.err.substr(planned + 6)))
      << ran.err;
  succeeded(run_program({"verify", only_bundle(dir_ / "out")}));
}

TEST_F(AbQuick, OutputsThatDifferAreNoticedInTheFirstRun) {
  const auto ran = exits(run_program({"ab", "--cmd-a", "sleep 0.3; echo one", "--cmd-b",
                                      "sleep 0.3; echo two", "--out", dir_ / "out"}),
                         1);
  EXPECT_THAT(ran.err, HasSubstr("the outputs of the first runs differ"));
  EXPECT_THAT(ran.out, HasSubstr("INVALID"));
  EXPECT_EQ(pair_lines(only_bundle(dir_ / "out")), 2);  // the header and one pair
}

// By hand: z 2.9 + 1.3, 72 pairs, runs of 1 and e^0.2: a spread of 0.2 / sqrt(2) in logarithms.
TEST(LoadWarning, SaysWhichChangeThePairsCanSee) {
  AbDocument document;
  document.run.pairs_per_look = 12;
  document.settings.policy.looks = 6;
  cli::FirstUnits units;
  const double more = std::exp(0.2);
  for (const AbSide side : {AbSide::a, AbSide::b})
    units[{0, side}] = CaseResult{unit_of_times({5, 5}, {1, more}), {}};
  const double seen = 100 * 4.2 * std::sqrt(2 * 3.14159265358979 / 3 / 72) * 0.2 / std::sqrt(2);
  EXPECT_EQ(cli::load_warning({9.5, 2}, document, units),
            fmt::format(
                "a load of 9.5 on 2 processors: runs take longer and vary; by the first ones, 72 pairs see a "
                "change of about {:.2g} % in CPU time and 0 % in wall time",
                seen));
  EXPECT_EQ(cli::load_warning({9.5, 2}, document, {}),
            "a load of 9.5 on 2 processors: runs take longer and vary");
}

}  // namespace
}  // namespace aqbench::testing
