// The shell of action.yml and of the other recipes, run as a CI runs it; installing and uninstalling.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/files.h"
#include "core/processes/process.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

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
      shell_output(variables + "SUITE='" + (dir / "tiny.json").string() +
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

}  // namespace
}  // namespace aqbench::testing
