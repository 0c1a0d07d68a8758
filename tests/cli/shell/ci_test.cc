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

}  // namespace
}  // namespace aqbench::testing
