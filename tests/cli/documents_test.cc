// Commands that the documents show: their flags exist, and what they name can be planned.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "core/files.h"
#include "core/processes/process.h"
#include "tests/cli/program.h"
#include "tests/temporary_directory.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

const std::filesystem::path kSource = AQBENCH_SOURCE_DIR;

// The lines within fences that begin with "aqbench ", lines that go on joined, comments cut off.
std::vector<std::string> shown_commands(const std::string& document) {
  std::vector<std::string> commands;
  std::istringstream lines(document);
  bool fenced = false, goes_on = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) fenced = !fenced;
    const bool begins = fenced && line.starts_with("aqbench ");
    if (!begins && !goes_on) continue;
    std::string part = line.substr(0, std::min(line.find("  # "), line.find(" # ")));
    goes_on = part.ends_with("\\");
    if (goes_on) part.pop_back();
    if (begins)
      commands.push_back(part);
    else
      commands.back() += part;
  }
  return commands;
}

// What stands in quotes is for other programs.
std::string without_quoted(const std::string& line) {
  std::string outside;
  bool quoted = false;
  for (const char c : line) {
    if (c == '\'') quoted = !quoted;
    if (!quoted) outside += c;
  }
  return outside;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// Is a flag of the command's help; "--set=" and the like count by their name.
bool has_flag(const std::string& help, const std::string& flag) {
  const std::string name = flag.substr(0, flag.find_first_of("=;"));
  for (const char* end : {" ", "\n", ",", "|", "]"})
    if (help.find(name + end) != help.npos) return true;
  return false;
}

// Returns the program's output for a command of a document with one more argument, and "exit=N".
std::string said_to(const std::string& command, const std::string& more) {
  const std::string line =
      "'" AQBENCH_BINARY "'" + command.substr(std::string("aqbench").size()) + " " + more;
  return ask_program({"sh", "-c", "(" + line + ") 2>&1; echo exit=$?"}, 60).output;
}

// Commands about files, programs and methods of the reader's own.
bool is_about_the_readers_own(const std::string& command) {
  return std::ranges::any_of(std::vector<std::string>{"mine", "dataset:", "--resume", "--slurm", " X "},
                             [&](const std::string& own) { return command.find(own) != command.npos; });
}

class ShownCommands : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::filesystem::path> documents = {kSource / "README.md"};
    for (const auto& entry : std::filesystem::directory_iterator(kSource / "docs"))
      if (entry.path().extension() == ".md") documents.push_back(entry.path());
    for (const std::filesystem::path& document : documents)
      for (const std::string& command : shown_commands(read_file(document)))
        commands_.emplace_back(document.filename(), command);
    ASSERT_GE(commands_.size(), 50U);
  }

  std::vector<std::pair<std::string, std::string>> commands_;  // document, command
};

TEST_F(ShownCommands, HaveFlagsThatExist) {
  std::map<std::string, std::string> helps;
  for (const auto& [document, line] : commands_) {
    const std::vector<std::string> words = words_of(without_quoted(line.substr(0, line.find("; aqbench"))));
    if (words.size() < 2 || words[1].starts_with("--")) continue;
    std::string& help = helps[words[1]];
    if (help.empty())
      help = run_program({words[1], "--help"}).out + run_program({words[1], "--help-all"}).out;
    EXPECT_THAT(help, HasSubstr("usage: aqbench " + words[1])) << document << ": " << line;
    for (const std::string& word : words)
      if (word.starts_with("--") && !has_flag(help, word))
        ADD_FAILURE() << document << ": " << word << " in " << line;
  }
}

TEST_F(ShownCommands, NameWhatThereIs) {
  std::size_t planned = 0;
  for (const auto& [document, line] : commands_) {
    if (is_about_the_readers_own(line)) continue;
    if (line.starts_with("aqbench sweep")) {
      EXPECT_THAT(said_to(line, "--dry-run"), HasSubstr("exit=0")) << document << ": " << line;
      ++planned;
    } else if (line.starts_with("aqbench ab --variant") || line.starts_with("aqbench ab --method-a")) {
      // One pair is too few, which is reported after planning and before measuring.
      EXPECT_THAT(said_to(line, "--pairs 1"), HasSubstr("pairs: 1 are too few")) << document << ": " << line;
      ++planned;
    }
  }
  EXPECT_GE(planned, 15U);
}

// Runs each command of the README where its files are, and looks for the lines that stand below it in the
// block.
TEST(Readme, ShowsWhatItsCommandsPrint) {
  const TemporaryDirectory folder;
  for (const char* const name : {"docs", "baselines"})
    std::filesystem::create_directory_symlink(kSource / name, folder / name);
  std::istringstream readme(read_file(kSource / "README.md"));
  std::string printed;
  std::size_t commands = 0, lines = 0;
  bool fenced = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("```")) {
      fenced = !fenced;
      printed.clear();
    } else if (fenced && line.starts_with("aqbench ")) {
      printed += ask_program({"sh", "-c",
                              "cd '" + folder.path().string() + "' && '" AQBENCH_BINARY "'" +
                                  line.substr(std::string("aqbench").size()) + " 2>&1; true"},
                             120)
                     .output;
      ++commands;
    } else if (fenced && !line.empty() && !line.starts_with("make ")) {
      EXPECT_THAT(printed, HasSubstr(line));
      ++lines;
    }
  }
  EXPECT_EQ(commands, 5U);
  EXPECT_GE(lines, 12U);
}

// The bundles of the documents were made by other builds, and hold no pages.
TEST(DocsBundle, OfAnotherBuildVerifies) {
  std::size_t bundles = 0;
  for (const auto& bundle : std::filesystem::directory_iterator(kSource / "docs" / "bundles")) {
    const auto verified = succeeded(run_program({"verify", bundle.path()}));
    EXPECT_THAT(verified.out, HasSubstr("note: summary.md: hash only, written by another build")) << bundle;
    EXPECT_FALSE(std::filesystem::exists(bundle.path() / "report.html")) << bundle;
    ++bundles;
  }
  EXPECT_GE(bundles, 5U);
}

}  // namespace
}  // namespace aqbench::testing
