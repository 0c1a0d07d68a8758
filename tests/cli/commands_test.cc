// The program's front: help, lists, unknown names, failing output.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/options.h"
#include "cli/removed_flags.h"
#include "core/text.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

TEST(PrintJson, EscapesWhatSteersATerminalAndMeansTheSame) {
  const std::string text = "{\"a\":\"\u009b2J\u0080\u009f\u007f\u00a0\u00e9\"}\n";
  ::testing::internal::CaptureStdout();
  cli::print_json(text);
  std::fflush(stdout);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed, "{\"a\":\"\\u009b2J\\u0080\\u009f\\u007f\u00a0\u00e9\"}\n");
  EXPECT_EQ(nlohmann::json::parse(printed), nlohmann::json::parse(text));
}

TEST(Commands, SayInTheSameWordsThatABundleIsNotThere) {
  const TemporaryDir dir;
  const std::string none = dir / "none";
  for (const Arguments& command : {Arguments{"verify", none},
                                   {"report", none},
                                   {"gate", none},
                                   {"trend", none},
                                   {"compare", none, none},
                                   {"replay", none, "--all"},
                                   {"export", none, "--csv"},
                                   {"accept", none, "--baseline", "b.json"},
                                   {"merge", none, none}})
    expect_refused(run_program(command), none + ": no such file or folder");
}

TEST(RemovedFlags, SayWhatReplacesThem) {
  for (const auto& [flag, instead] : cli::kRemovedFlags)
    expect_mistake(run_program(std::string_view(flag).starts_with("--") ? Arguments{"verify", flag, "x"}
                                                                        : Arguments{flag, "x"}),
                   std::string(flag) + " was removed: " + instead);
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, line.size());
  return widest;
}

// The first words of the lines between "commands:" and the next empty line.
std::vector<std::string> commands_of(const std::string& help) {
  std::istringstream lines(help);
  std::string line;
  while (std::getline(lines, line) && line != "commands:") {
  }
  std::vector<std::string> names;
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    words >> names.emplace_back();
  }
  return names;
}

TEST(Commands, EveryCommandHasHelpThatFitsThePage) {
  const auto top = succeeded(run_program({"--help"}));
  const std::vector<std::string> commands = commands_of(top.out);
  EXPECT_THAT(commands, ::testing::IsSupersetOf({"sweep", "eval", "ab", "gate", "verify", "list"}));
  for (const std::string& command : commands) {
    const auto help = run_program({command, "--help"});
    EXPECT_EQ(help.exit_code, 0) << command;
    EXPECT_EQ(help.out.find("usage: aqbench "), 0u) << command;
    EXPECT_LE(widest_line(help.out), 100u) << help.out;
    EXPECT_LE(std::ranges::count(help.out, '\n'), 80) << command;  // two screens
  }
}

// What --help leaves out, --help-all has; what a task names is a flag of the command.
TEST(Commands, HelpOfManyOptionsIsByTask) {
  for (const char* const command : {"sweep", "ab", "eval"}) {
    const std::string some = run_program({command, "--help"}).out,
                      all = run_program({command, "--help-all"}).out;
    EXPECT_THAT(some, ::testing::HasSubstr(std::string("aqbench ") + command + " --help-all"));
    EXPECT_GT(std::ranges::count(all, '\n'), std::ranges::count(some, '\n')) << command;
    for (const HelpTask& task : help_tasks(command))
      for (const std::string_view flag : split_at(task.flags, ',')) {
        const auto has_flag = ::testing::ContainsRegex("\n  --" + std::string(flag) + " ");
        EXPECT_THAT(some, has_flag);
        EXPECT_THAT(all, has_flag);
      }
  }
  EXPECT_EQ(run_program({"gate", "--help-all"}).exit_code, 2);
}

TEST(Commands, TooManyArgumentsAreOneLineWithTheUsage) {
  for (const char* const command : {"eval", "gate", "ab", "list"}) {
    const auto reported = run_program({command, "a", "b", "c", "d"});
    expect_refused(reported, std::string("usage: aqbench ") + command);
    EXPECT_EQ(reported.err.find('?'), std::string::npos) << reported.err;  // a line break is shown as ?
  }
}

TEST(Commands, UnknownNamesAreExitTwoWithNearOnes) {
  expect_mistake(run_program({"sweeep"}), "did you mean sweep");
  expect_mistake(run_line("sweep --sut seed"), "--suite");
  EXPECT_EQ(run_program({}).exit_code, 2);
}

TEST(Commands, AnArgumentOfAnyLengthIsNamedInOneLineThatCanBeRead) {
  const auto result = exits(run_program({"list", std::string(100'000, 'x')}), 2);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1);
  EXPECT_LT(result.err.size(), 5000u);
  EXPECT_NE(result.err.find("xxx"), std::string::npos);
}

TEST(Commands, ListIsJsonWithUnitsDefaultsAndRanges) {
  const auto all = document_of(run_program({"list", "--json"}));
  for (const char* what : {"scenes", "rigs", "imaging", "methods", "suites", "metrics", "stages"})
    EXPECT_GT(all.at(what).size(), 0u) << what;
  for (const char* owner : {"scenes", "rigs", "imaging_parameters", "methods"})
    for (const auto& item : all.at(owner))
      for (const auto& parameter : item.at("parameters")) {
        EXPECT_TRUE(parameter.contains("default") && parameter.contains("unit") &&
                    parameter.contains("help"));
        EXPECT_TRUE(parameter.contains("min") || parameter.contains("choices")) << parameter;
      }
  const auto text = run_program({"list"});
  EXPECT_LE(widest_line(text.out), 100u);
  EXPECT_THAT(text.out, ::testing::StartsWith("scenes:\n"));
  EXPECT_THAT(text.out, ::testing::HasSubstr("\n\nmethods:\n  dense_flow "));
  EXPECT_LT(text.out.find("\nmethods:"), text.out.find("\nworkloads:"));
  std::size_t items = 0;
  for (const auto& listing : all) items += listing.size();
  EXPECT_EQ(std::ranges::count(text.out, '\n'),
            items + 2 * all.size() - 1);  // a line each, titles, blank lines
}

TEST(Commands, ListHasTheRestOfWhatIsNamed) {
  EXPECT_THAT(run_program({"list", "scenes"}).out, ::testing::HasSubstr("\n    undulating.amplitude_m "));
  const auto one = run_program({"list", "undulating"});
  EXPECT_THAT(one.out, ::testing::StartsWith("scenes:\n  undulating  "));
  EXPECT_THAT(one.out, ::testing::HasSubstr("\n    undulating.amplitude_m "));
  EXPECT_THAT(one.out, ::testing::Not(::testing::HasSubstr("flat_plane")));
  EXPECT_THAT(run_program({"list", "undulatin"}).err, ::testing::HasSubstr("did you mean undulating"));
}

TEST(Commands, DevicesAreListedWhereTheyAreAskedFor) {
  const auto devices = document_of(run_line("list devices --json")).at("devices");
  EXPECT_EQ(devices.at(0).at("name"), "cpu");
  EXPECT_THAT(devices.at(1).at("name").get<std::string>(), ::testing::StartsWith("opencl"));
  EXPECT_FALSE(nlohmann::json::parse(run_program({"list", "--json"}).out).contains("devices"));
}

TEST(Commands, OutputThatCannotBeWrittenIsExitSix) {
  for (const char* const line : {"list", "sweep --help-all"}) {
    const auto result = exits(run_program(words(line), {.stdout_to = "/dev/full"}), 6);
    EXPECT_NE(result.err.find("stdout"), std::string::npos) << line << result.err;
  }
}

TEST(Commands, FileSizeLimitIsExitSixWithOneLine) {
  const TemporaryDir dir;
  ProgramOptions options;
  options.file_size_limit_bytes = 500;
  const std::string rendered = dir / "rendered";
  for (const Arguments& arguments :
       {Arguments{"list"},
        words("render flat_plane --set ring12.width=64 --set ring12.height=48 --out {}", rendered)}) {
    const auto result = run_program(arguments, options);
    EXPECT_EQ(result.exit_code, 6) << arguments[0] << ": " << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find("File too large"), std::string::npos) << result.err;
  }
}

// The next opened file must not take the number of a closed standard stream.
TEST(Commands, ClosedStreamsAbortNothing) {
  const auto exit_code = [](const std::string& arguments) {
    const int status = std::system((std::string(AQBENCH_BINARY) + " " + arguments).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  };
  EXPECT_EQ(exit_code("list <&- >&- 2>&-"), 6);
  EXPECT_EQ(exit_code("list nonsense <&- >&- 2>&-"), 2);
  EXPECT_EQ(exit_code("--version >&-"), 6);
  EXPECT_EQ(exit_code("list <&- 2>&- >/dev/null"), 0);
  const TemporaryDir dir;
  const std::string bundle = dir / "out";
  EXPECT_EQ(
      exit_code("sweep --scene flat_plane --method lightglue_like --out " + bundle + " <&- 2>&- >/dev/null"),
      0);
  EXPECT_EQ(run_program({"verify", only_bundle(bundle)}).exit_code, 0);
}

}  // namespace

}  // namespace aqbench::testing
