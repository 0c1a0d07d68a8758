// What holds for the documents as texts: no wide lines, and a README that says first what aqbench is.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxColumns = 120;

const fs::path kRoot = AQBENCH_SOURCE_DIR;

std::vector<fs::path> documents() {
  std::vector<fs::path> files;
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "DECISIONS.md"})
    files.push_back(kRoot / name);
  for (const auto& entry : fs::directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// "FILE:LINE: N columns" of every line that is too wide and no row of a table.
std::vector<std::string> wide_lines(const std::string& text, const std::string& file) {
  std::vector<std::string> found;
  std::size_t number = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    ++number;
    const std::size_t columns = display_width(line);
    if (columns > kMaxColumns && !line.starts_with('|'))
      found.push_back(file + ":" + std::to_string(number) + ": " + std::to_string(columns) + " columns");
  }
  return found;
}

std::vector<std::string> lines_of(const fs::path& file, std::size_t count) {
  const std::string text = read_file(file);
  std::vector<std::string> lines;
  for (const std::string_view line : split_at(text, '\n'))
    if (lines.size() < count) lines.emplace_back(line);
  return lines;
}

TEST(DocumentRules, NoLineOutsideOfTablesIsOver120Columns) {
  std::vector<std::string> wide;
  for (const fs::path& file : documents())
    for (const std::string& line : wide_lines(read_file(file), fs::relative(file, kRoot).string()))
      wide.push_back(line);
  for (const std::string& line : wide) ADD_FAILURE() << line;
  EXPECT_GE(documents().size(), 15u) << "documents were not found";
}

TEST(DocumentRules, AWideLineIsFoundAndARowOfATableIsNone) {
  const std::string wide(121, 'x'), page(120, 'x');
  EXPECT_EQ(wide_lines("short\n" + wide + "\n| " + wide + " |\n" + page + "\n", "a.md"),
            std::vector<std::string>{"a.md:2: 121 columns"});
  std::string umlauts;  // two bytes each, one column
  for (int i = 0; i < 120; ++i) umlauts += "\xc3\xa4";
  EXPECT_TRUE(wide_lines(umlauts, "a.md").empty());
}

// A stranger reads what it is, and then how to start it, without scrolling.
TEST(DocumentRules, TheReadmeSaysWhatItIsAndThenTheTwoCommands) {
  const std::vector<std::string> lines = lines_of(kRoot / "README.md", 12);
  const auto starts = [&](const std::string& beginning) {
    return std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(beginning); });
  };
  const auto what = starts("aqbench is "), sweep = starts("make sweep"), test = starts("make test");
  ASSERT_NE(what, lines.end());
  ASSERT_NE(sweep, lines.end());
  ASSERT_NE(test, lines.end());
  EXPECT_LT(what, sweep);
  EXPECT_EQ(sweep + 1, test);
  EXPECT_TRUE(std::all_of(lines.begin(), what, [](const std::string& line) {
    return line.empty() || line.starts_with('#');
  })) << "nothing stands before it but the title";
}

}  // namespace
}  // namespace aqbench
