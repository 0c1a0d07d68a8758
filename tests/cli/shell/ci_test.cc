// The shell of action.yml and of the other recipes, run as a CI runs it; installing and uninstalling.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "core/processes/process.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string shell_output(const std::string& command) {
  return ask_program({"sh", "-c", "(" + command + ") 2>&1; echo exit=$?"}, 100).output;
}

TEST(ContinuousIntegration, TheActionsShellSweepsGatesAndWritesTheSummary) {
  const TemporaryDir dir;
  const std::string variables = "AQBENCH='" AQBENCH_BINARY "' OUT='" + (dir / "out").string() +
                                "' GITHUB_OUTPUT='" + (dir / "output").string() + "' GITHUB_STEP_SUMMARY='" +
                                (dir / "summary").string() + "' ";
  write_file(dir / "tiny.json", R"({"name": "tiny", "description": "one case", "scenes": ["flat_plane"],
                                    "methods": ["roma_like"], "set": {"roma_like.points": 500}})");
  const std::string said =
      shell_output(variables + "BASELINE=none SUITE='" + (dir / "tiny.json").string() +
                   "' PROJECT=\"--note 'two words'\" bash '" AQBENCH_SOURCE_DIR "/scripts/ci_gate.sh'");
  EXPECT_THAT(said, HasSubstr("exit=0"));
  const std::filesystem::path bundle = only_bundle(dir / "out");
  EXPECT_EQ(read_file(dir / "output"), "bundle=" + bundle.string() + "\n");
  EXPECT_THAT(read_file(dir / "summary"), HasSubstr("flat_plane"));
  EXPECT_THAT(read_file(bundle / "notes.txt"), HasSubstr("two words"));

  const std::string refused =
      shell_output(variables + "SUITE=nonsense bash '" AQBENCH_SOURCE_DIR "/scripts/ci_gate.sh'");
  EXPECT_THAT(refused, HasSubstr("exit=2"));
}

// The gate of aqbench.json is found from any folder of the repository; what is missing is an annotation.
TEST(ContinuousIntegration, TheProjectsGateDecidesAndAMissingBaselineIsAnError) {
  const TemporaryDir dir;
  std::filesystem::create_directories(dir / "below");
  write_file(dir / "aqbench.json", R"({"version": 1,
    "suites": [{"name": "tiny", "description": "one case", "scenes": ["flat_plane"], "methods": ["roma_like"],
                "set": {"roma_like.points": 500}}],
    "gates": {"tiny": "accepted.json"}})");
  const std::string gate = "cd '" + (dir / "below").string() +
                           "' && GITHUB_ACTIONS=true AQBENCH='" AQBENCH_BINARY
                           "' SUITE=tiny bash '" AQBENCH_SOURCE_DIR "/scripts/ci_gate.sh'";
  const std::string missing = shell_output(gate);
  EXPECT_THAT(missing, HasSubstr("exit=2"));
  EXPECT_THAT(missing, HasSubstr("::error title=aqbench::aqbench: error: "));
  EXPECT_THAT(missing, HasSubstr("accepted.json: no such baseline"));
  const std::string open = shell_output("BASELINE=none; export BASELINE; " + gate);
  EXPECT_THAT(open, HasSubstr("exit=0"));
  EXPECT_THAT(open, HasSubstr("::notice title=aqbench::tiny: not gated, as asked"));
  const std::filesystem::path bundle = only_bundle(dir / "below" / "aqbench-out");
  succeeded(run_program({"accept", bundle.string(), "--baseline", (dir / "accepted.json").string()}));
  EXPECT_THAT(shell_output(gate), HasSubstr("exit=0"));
}

// A repository with a gate on its branch `main`, and in it what a pull request changes.
class PullRequest : public ::testing::Test {
 protected:
  void SetUp() override {
    write_file(dir_ / "aqbench.json", kProject);
    succeeded(
        run_program(words("sweep --suite tiny --out {}", dir_ / "first"), {.working_dir = dir_.path()}));
    succeeded(run_program({"accept", only_bundle(dir_ / "first"), "--baseline", dir_ / "accepted.json"}));
    const std::string git = "git -c user.name=a -c user.email=a@b.c ";
    const std::string made = shell("git init -q . && git add aqbench.json accepted.json && " + git +
                                   "commit -qm first && git update-ref refs/remotes/origin/main HEAD");
    if (made.find("exit=0") == std::string::npos) GTEST_SKIP() << "git does not work here: " << made;
  }
  std::string shell(const std::string& command) const {
    return shell_output("cd '" + dir_.path().string() + "' && " + command);
  }
  std::string gate(const std::string& variables) const {
    return shell("env GITHUB_BASE_REF=main OUT=out AQBENCH='" AQBENCH_BINARY "' SUITE=tiny " + variables +
                 " bash '" AQBENCH_SOURCE_DIR "/scripts/ci_gate.sh'");
  }

  static constexpr const char* kProject = R"({"version": 1,
    "suites": [{"name": "tiny", "description": "one case", "scenes": ["flat_plane"], "methods": ["roma_like"],
                "set": {"roma_like.points": 500}}],
    "gates": {"tiny": "accepted.json"}})";
  const TemporaryDir dir_;
};

TEST_F(PullRequest, IsGreenWhereTheGateOfTheBaseBranchPasses) { EXPECT_THAT(gate(""), HasSubstr("exit=0")); }

TEST_F(PullRequest, CannotDropOrReplaceTheGate) {
  // Its own gate, of values that it brings along, passes; the one of the base branch does not.
  write_file(dir_ / "lax.json", read_file(dir_ / "accepted.json"));
  auto better = json_file(dir_ / "accepted.json");
  nlohmann::json& value = better["cases"].begin().value()["metrics"]["accuracy_mean_mm"]["value"];
  value = 0.5 * value.get<double>();
  write_file(dir_ / "accepted.json", better.dump());
  std::string other = kProject;
  other.replace(other.find("accepted.json"), 13, "lax.json");
  write_file(dir_ / "aqbench.json", other);
  EXPECT_THAT(gate(""), HasSubstr("exit=1"));
  write_file(dir_ / "accepted.json", read_file(dir_ / "lax.json"));
  EXPECT_THAT(gate(""), HasSubstr("exit=0"));
  std::filesystem::remove(dir_ / "aqbench.json");
  EXPECT_THAT(gate(""), HasSubstr("exit=2"));
  EXPECT_THAT(gate("SUITE=seed"), HasSubstr("no aqbench.json names one"));
  EXPECT_THAT(gate("SUITE=seed"), HasSubstr("exit=2"));
}

TEST_F(PullRequest, IsRedWhereTheBaseBranchNamesNoGate) {
  ASSERT_THAT(shell("git update-ref -d refs/remotes/origin/main"), HasSubstr("exit=0"));
  EXPECT_THAT(gate(""),
              ::testing::AllOf(HasSubstr("of the base branch main cannot be read"), HasSubstr("exit=4")));
  EXPECT_THAT(gate("BASELINE=accepted.json"), HasSubstr("exit=0"));
}

TEST_F(PullRequest, IsRedWhereNothingWasGated) {
  for (const char* const variables :
       {"PROJECT=--dry-run", "PROJECT=--help", "AQBENCH=/bin/true", "PROJECT='--out elsewhere'"}) {
    const std::string said = gate(variables);
    EXPECT_THAT(said, Not(HasSubstr("exit=0"))) << variables;
  }
  EXPECT_THAT(gate("PROJECT=--dry-run BASELINE=none"), HasSubstr("no new bundle in out: nothing was gated"));
}

}  // namespace
}  // namespace aqbench::testing
