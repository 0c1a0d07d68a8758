// Completion as a user meets it: what the program offers, and what real shells make of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/shell/candidates.h"
#include "core/files.h"
#include "core/processes/process.h"
#include "harness/measuring/build_info.h"
#include "tests/cli/program.h"

namespace aqbench::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Words = std::vector<std::string>;

Words offered(const std::string& line) {
  Words words;
  for (const Candidate& candidate : candidates(shell_words(line))) words.push_back(candidate.text);
  return words;
}

TEST(Completion, SplitsWordsAsAShellDoes) {
  EXPECT_THAT(shell_words("aqbench  eval 'my cloud.ply' --sc"),
              ElementsAre("aqbench", "eval", "my cloud.ply", "--sc"));
  EXPECT_THAT(shell_words("aqbench my\\ file \"a'b\" "), ElementsAre("aqbench", "my file", "a'b", ""));
  EXPECT_THAT(shell_words(""), ElementsAre(""));
}

TEST(Completion, OffersWhatTheRegistriesHave) {
  EXPECT_THAT(offered("aqbench sw"), ElementsAre("sweep"));
  EXPECT_THAT(offered("aqbench sweep --scene und"), ElementsAre("undulating"));
  EXPECT_THAT(offered("aqbench sweep --scene=und"), ElementsAre("--scene=undulating"));
  EXPECT_THAT(offered("aqbench run plane_sweep:"), Contains("plane_sweep:balanced"));
  EXPECT_THAT(offered("aqbench sweep --suite se"), Contains("seed"));
  EXPECT_THAT(offered("aqbench sweep --set undulating.ampl"), ElementsAre("undulating.amplitude_m="));
  EXPECT_THAT(offered("aqbench sweep --set und"), ElementsAre("undulating."));
  EXPECT_THAT(offered("aqbench sweep --axis thr"), ElementsAre("threads="));
  EXPECT_THAT(offered("aqbench list sc"), ElementsAre("scenes"));
  EXPECT_THAT(offered("aqbench list da"), ElementsAre("datasets"));
  EXPECT_THAT(offered("aqbench compare a --a-method plane_sweep:"), Contains("plane_sweep:balanced"));
  EXPECT_THAT(offered("aqbench chec"), ElementsAre("check"));
  EXPECT_THAT(offered("aqbench eval --border="), ElementsAre("--border=score", "--border=leave-out"));
  EXPECT_THAT(offered("aqbench eval --align "),
              ElementsAre("none", "icp", "sim3", "cameras", "tanks-and-temples"));
  EXPECT_THAT(offered("aqbench sweep --dry"), ElementsAre("--dry-run"));
  EXPECT_THAT(offered("aqbench sweep --dry-run --dry"), IsEmpty());  // is given once at most
  EXPECT_THAT(offered("aqbench nonsense --"), IsEmpty());
}

TEST(Completion, OffersBundlesAndTheirCases) {
  const std::string bundle = AQBENCH_SOURCE_DIR "/docs/bundles/seed";
  EXPECT_THAT(offered("aqbench verify " AQBENCH_SOURCE_DIR "/docs/bundles/se"), Contains(bundle));
  EXPECT_THAT(offered("aqbench replay " + bundle + " --case flat"),
              Contains(HasSubstr("flat_plane/roma_like")));
  EXPECT_THAT(offered("aqbench replay /no/such/bundle --case "), IsEmpty());
}

// A file, folder or bundle is offered whatever its flag is called; what cannot be known has one of these
// names.
TEST(Completion, EveryFlagHasValuesOrIsKnownToHaveNone) {
  const std::set<std::string> free_values = {"N",
                                             "S",
                                             "PX",
                                             "GIB",
                                             "PCT",
                                             "i/n",
                                             "TEXT",
                                             "MM",
                                             "K",
                                             "SHARE",
                                             "P",
                                             "LO:HI",
                                             "JSON",
                                             "RUN",
                                             "NAME=x,y",
                                             "PATTERN",
                                             "NAME",
                                             "T",
                                             "ARG",
                                             "CMD",
                                             "LIST",
                                             "X",
                                             "NAME=VALUE",
                                             "A,B",
                                             "X,Y,Z",
                                             "A,B,C,D",
                                             "[NAME=]X[%]",
                                             "METRIC=X[%]",
                                             "LENGTH",
                                             "DELTA",
                                             "REGION",
                                             "CAMERA=FILE",
                                             "[=failed]",
                                             "CAM:CAM=M",
                                             "UNIT",
                                             "COMMIT",
                                             "X0,Y0,Z0,X1,Y1,Z1"};
  for (const Command& command : commands())
    for (const FlagText& flag : text_of(command).flags) {
      const std::string kind = flag.value_name == nullptr ? "" : flag.value_name;
      if (kind.empty() || free_values.contains(kind) || kind.find('|') != std::string::npos) continue;
      EXPECT_NE(value_source(flag.name, kind), nullptr) << command.name << " --" << flag.name;
    }
}

// ---- Real shells ----

std::string shell_says(const std::string& shell, const std::string& script) {
  const testing::TemporaryDir dir;
  const ProgramAnswer answer = ask_program({"sh", "-c", "command -v " + shell}, 10);
  if (!answer.ok) return "";
  write_file(dir / "script", script);
  const std::string folder = std::filesystem::path(AQBENCH_BINARY).parent_path().string();
  const ProgramAnswer said =
      ask_program({"sh", "-c",
                   "PATH='" + folder + "':$PATH; cd '" + AQBENCH_SOURCE_DIR "' && exec " + shell + " '" +
                       (dir / "script").string() + "' 2>&1"},
                  30);
  return said.ok ? said.output : said.problem;
}

// Bash as it completes a line: COMP_LINE is what was typed, COMP_WORDS are its words with "=" and ":" apart.
std::string bash_completes(const std::string& line) {
  return shell_says(
      "bash", "source <(aqbench completion bash)\nCOMP_LINE='" + line +
                  "' COMP_POINT=${#COMP_LINE} COMP_WORDS=(aqbench)\n"
                  "complete -p aqbench >/dev/null || exit 1\n_aqbench\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
}

TEST(Completion, BashReplacesWhatStandsBehindItsWordBreaks) {
  EXPECT_EQ(bash_completes("aqbench sweep --scene und"), "undulating\n");
  EXPECT_EQ(bash_completes("aqbench sweep --scene=und"), "undulating\n");
  EXPECT_EQ(bash_completes("aqbench run plane_sweep:bal"), "balanced\n");
  EXPECT_EQ(bash_completes("aqbench verify docs/bundles/sens"), "docs/bundles/sensitivity\n");
}

TEST(Completion, FishShowsCandidatesWithTheirHelp) {
  const std::string said =
      shell_says("fish", "aqbench completion fish | source\ncomplete -C 'aqbench sweep --scene und'\n");
  if (said.empty()) GTEST_SKIP() << "no fish here";
  EXPECT_THAT(said, ::testing::StartsWith("undulating\t"));
}

// An interactive zsh in a terminal of its own (zsh/zpty), with a tab typed into it.
TEST(Completion, ZshCompletesInATerminal) {
  const std::string said = shell_says("zsh", R"(zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit && compinit -u -D; source <(aqbench completion zsh); echo rea""dy'
zpty -r shell out '*ready*'
zpty -w -n shell $'aqbench sweep --scene undu\t --dry-run | wc -l; echo fini""shed\n'
zpty -r shell out '*finished*'
print -r -- $out
zpty -d shell
)");
  if (said.empty()) GTEST_SKIP() << "no zsh here";
  EXPECT_THAT(said, HasSubstr("undulating"));
  EXPECT_THAT(said, Not(HasSubstr("error")));
}

// Manual pages: every flag of every command is there, and man's own formatter takes them without a warning.

TEST(Manual, HasEveryFlagOfEveryCommandAndIsFormattedWithoutWarnings) {
  const testing::TemporaryDir dir;
  const testing::ProgramResult written = testing::run_program({"man", "--out", (dir / "man").string()});
  EXPECT_EQ(written.exit_code, 0) << written.err;
  for (const Command& command : commands()) {
    const std::string page = read_file(dir / "man" / (std::string("aqbench-") + command.name + ".1"));
    EXPECT_THAT(page, HasSubstr("\"aqbench " + build_info().version));
    for (const FlagText& flag : text_of(command).flags) {
      std::string name;
      for (const char c : std::string(flag.name)) name += c == '-' ? std::string("\\-") : std::string(1, c);
      EXPECT_THAT(page, HasSubstr("\\fB\\-\\-" + name + "\\fR")) << command.name;
    }
  }
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
