// Commands that the documents show: their flags exist, and what they name can be planned.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "core/files.h"
#include "core/processes/process.h"
#include "reports/bundle/bundle.h"
#include "tests/cli/program.h"

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
      EXPECT_THAT(said_to(line, "--pairs 1"), HasSubstr("pairs: 1 measured")) << document << ": " << line;
      ++planned;
    }
  }
  EXPECT_GE(planned, 15U);
}

// The lines of the fenced block behind a text of a document.
std::vector<std::string> lines_shown_after(const std::string& document, const std::string& text) {
  const std::string fence = "```\n";
  const std::size_t begin = document.find(fence, document.find(text)) + fence.size();
  std::istringstream block(document.substr(begin, document.find(fence, begin) - begin));
  std::vector<std::string> lines;
  for (std::string line; std::getline(block, line);) lines.push_back(line);
  return lines;
}

TEST(Readme, ShowsWhatAComparisonPrints) {
  const auto printed = exits(run_program({"ab", "--samples", (kSource / "docs" / "times.json").string()}), 1);
  const auto lines = lines_shown_after(read_file(kSource / "README.md"), "docs/times.json");
  EXPECT_EQ(lines.size(), 6U);
  for (const std::string& line : lines) EXPECT_THAT(printed.out, HasSubstr(line + "\n"));
}

// Makes the texts of a bundle claim to be of an older version.
void make_older(const std::filesystem::path& bundle) {
  std::string results = read_file(bundle / "results.json");
  const std::string member = "\"text_version\": ";
  const std::size_t begin = results.find(member) + member.size();
  results.replace(begin, results.find_first_not_of("0123456789", begin) - begin, "6");
  write_file(bundle / "results.json", results);
  std::vector<std::string> hashed;
  std::ifstream list(bundle / "sha256.txt");
  for (std::string line; std::getline(list, line);)
    if (line.find("  ") == 64) hashed.push_back(line.substr(66));
  list.close();
  write_hash_list(bundle, hashed);
}

// A copy of a committed bundle, older.
std::filesystem::path older_bundle(const TemporaryDir& dir) {
  const std::filesystem::path bundle = dir / "seed";
  std::filesystem::copy(kSource / "docs" / "bundles" / "seed", bundle,
                        std::filesystem::copy_options::recursive);
  make_older(bundle);
  return bundle;
}

TEST(DocsBundle, OfAComparisonKeepsItsUnitsWhenItIsRenderedAgain) {
  const TemporaryDir dir;
  write_file(dir / "times.json", R"({"cases": [{"name": "x", "a": [1, 2, 1], "b": [1, 1, 2]}]})");
  run_line("ab --samples {} --out {}", dir / "times.json", dir / "out");
  const std::filesystem::path bundle = only_bundle(dir / "out");
  const std::string whole = read_file(bundle / "results.json");
  make_older(bundle);
  write_file(dir / "a.md", "");
  run_line("docs {} --bundle {} --render", dir / "a.md", bundle.string());
  EXPECT_TRUE(read_file(bundle / "results.json") == whole);
  EXPECT_EQ(run_program({"verify", bundle}).exit_code, 0);
}

TEST(DocsBundle, OfAnOlderVersionIsRenderedAgainFromItsRecords) {
  const TemporaryDir dir;
  const std::filesystem::path bundle = older_bundle(dir);
  const std::string document = dir / "a.md";
  write_file(document, "<!-- aqbench:accuracy -->\n<!-- aqbench:end -->\n");
  EXPECT_EQ(run_program({"docs", document, "--bundle", bundle.string()}).exit_code, 4);
  succeeded(run_line("docs {} --bundle {} --render", document, bundle.string()));
  for (const char* file : {"results.json", "summary.md", "report.html", "sha256.txt"})
    EXPECT_TRUE(read_file(bundle / file) == read_file(kSource / "docs" / "bundles" / "seed" / file)) << file;
  EXPECT_THAT(read_file(document), HasSubstr("| undulating | roma_like |"));
}

TEST(DocsBundle, ThatIsDamagedIsNotRenderedAgain) {
  const TemporaryDir dir;
  const std::filesystem::path bundle = older_bundle(dir);
  const std::string journal = read_file(bundle / "journal.jsonl");
  write_file(bundle / "journal.jsonl", journal.substr(0, journal.size() / 2));
  write_file(dir / "a.md", "");
  EXPECT_THAT(exits(run_line("docs {} --bundle {} --render", dir / "a.md", bundle.string()), 1).err,
              HasSubstr("journal.jsonl"));
}

}  // namespace
}  // namespace aqbench::testing
