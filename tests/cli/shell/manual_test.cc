// Manual pages: every flag of every command is there, and man's own formatter takes them without a warning.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/shell/manual.h"
#include "core/processes/process.h"
#include "tests/cli/program.h"

namespace aqbench::cli {
namespace {

using ::testing::HasSubstr;

TEST(Manual, HasEveryFlagOfEveryCommand) {
  for (const Command& command : commands()) {
    const std::string page = command_manual(command, "1.2.3");
    EXPECT_THAT(page, HasSubstr("aqbench 1.2.3"));
    for (const FlagText& flag : text_of(command).flags) {
      std::string name;
      for (const char c : std::string(flag.name)) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr("\\fB\\-\\-" + name + "\\fR")) << command.name;
    }
  }
}

TEST(Manual, IsFormattedWithoutWarnings) {
  const testing::TemporaryDir dir;
  const testing::ProgramResult written = testing::run_program({"man", "--out", (dir / "man").string()});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  EXPECT_TRUE(std::filesystem::exists(dir / "man" / "aqbench-sweep.1"));
  if (!ask_program({"sh", "-c", "command -v groff"}, 10).ok) GTEST_SKIP() << "no groff here";
  const std::string shown = ask_program({"sh", "-c",
                                         "cd '" + (dir / "man").string() +
                                             "' && for page in *.1; do groff -ww -man -T utf8 -P -cbou "
                                             "$page 2>&1 >text || exit 1; done; cat text"},
                                        60)
                                .output;
  EXPECT_THAT(shown, HasSubstr("aqbench-verify"));
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("warning")));
}

TEST(Manual, RefusesAnUnknownCommand) {
  const testing::ProgramResult unknown = testing::run_program({"man", "sweeep"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean sweep"));
}

TEST(Version, AsJsonSaysWhatItWasBuiltFromAndWhereItsModulesAre) {
  const testing::ProgramResult said = testing::run_program({"--version", "--json"});
  ASSERT_EQ(said.exit_code, 0) << said.err;
  const auto version = nlohmann::json::parse(said.out);
  EXPECT_EQ(version.at("program"), std::filesystem::canonical(AQBENCH_BINARY).string());
  EXPECT_THAT(version.at("modules").at("pipeline").get<std::string>(), HasSubstr("libaqbench_pipeline.so"));
  EXPECT_TRUE(version.at("libraries").contains("open3d"));
  EXPECT_EQ(testing::run_program({"--version", "--jsonn"}).exit_code, 2);
}

}  // namespace
}  // namespace aqbench::cli
