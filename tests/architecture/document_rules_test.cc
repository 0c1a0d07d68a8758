// What holds for the documents as texts: no wide lines, and a README that says first what aqbench is.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
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
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "DECISIONS.md",
                           "baselines/README.md", "conformance/README.md"})
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

TEST(DocumentRules, NoLineOutsideOfTablesIsOver120Columns) {
  for (const fs::path& file : documents())
    for (const std::string& line : wide_lines(read_file(file), fs::relative(file, kRoot).string()))
      ADD_FAILURE() << line;
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

// What stands between `open` and `close` in a text, each time.
std::vector<std::string> between(const std::string& text, const std::string& open, char close) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(open); at != text.npos; at = text.find(open, at + 1)) {
    const std::size_t begin = at + open.size(), end = text.find(close, begin);
    if (end != text.npos) found.push_back(text.substr(begin, end - begin));
  }
  return found;
}

// "FILE: TARGET" of every link to a file or folder that is not there.
std::vector<std::string> broken_links(const std::string& text, const fs::path& file) {
  std::vector<std::string> found;
  for (const std::string& link : between(text, "](", ')')) {
    const std::string target = link.substr(0, link.find('#'));
    if (!target.starts_with("http") && !fs::exists(file.parent_path() / target))
      found.push_back(fs::relative(file, kRoot).string() + ": " + target);
  }
  return found;
}

TEST(DocumentRules, LinksLeadSomewhere) {
  for (const fs::path& file : documents())
    for (const std::string& link : broken_links(read_file(file), file)) ADD_FAILURE() << link;
  EXPECT_EQ(broken_links("[a](docs/guide.md#x) [b](nowhere.md) [c](https://x.y)", kRoot / "README.md"),
            std::vector<std::string>{"README.md: nowhere.md"});
}

// The names of all tests, "Suite.Name".
std::set<std::string> names_of_tests() {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "tests")) {
    if (!entry.path().string().ends_with("_test.cc")) continue;
    const std::string text = read_file(entry.path());
    for (const char* macro : {"\nTEST(", "\nTEST_F(", "\nTEST_P("})
      for (const std::string& test : between(text, macro, ')')) {
        const std::size_t comma = test.find(','), name = test.find_first_not_of(" \n", comma + 1);
        if (comma != test.npos && name != test.npos)
          names.insert(test.substr(0, comma) + "." + test.substr(name));
      }
  }
  return names;
}

// Is `Suite.Name` or `Suite.*`: a word with a small letter and a capital one first, then the like or a star.
bool names_a_test(const std::string& code) {
  const std::size_t dot = code.find('.');
  if (dot == code.npos || dot == 0 || dot + 1 == code.size()) return false;
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto is_letter = [&](char c) { return is_capital(c) || is_small(c) || (c >= '0' && c <= '9'); };
  const std::string suite = code.substr(0, dot), name = code.substr(dot + 1);
  return is_capital(suite[0]) && std::ranges::all_of(suite, is_letter) &&
         std::ranges::any_of(suite, is_small) &&
         (name == "*" || (is_capital(name[0]) && std::ranges::all_of(name, is_letter)));
}

// What a text names as a test that is not there.
std::vector<std::string> absent_tests(const std::string& text, const std::set<std::string>& tests) {
  std::vector<std::string> absent;
  for (const std::string& code : between(text, "`", '`')) {
    if (!names_a_test(code)) continue;
    const std::string suite = code.substr(0, code.find('.') + 1);
    const auto first = tests.lower_bound(suite);
    const bool of_suite = first != tests.end() && first->starts_with(suite);
    if (code.ends_with('*') ? !of_suite : !tests.contains(code)) absent.push_back(code);
  }
  return absent;
}

// A claim that names its test is held by it; a test that was renamed holds nothing.
TEST(DocumentRules, TestsThatAreNamedAreThere) {
  const std::set<std::string> tests = names_of_tests();
  for (const fs::path& file : documents()) {
    const std::string name = file.filename();
    if (name == "CHANGELOG.md" || name == "DECISIONS.md") continue;  // they tell of what was
    for (const std::string& test : absent_tests(read_file(file), tests))
      ADD_FAILURE() << name << ": " << test;
  }
  EXPECT_EQ(absent_tests("`DocumentRules.*` `DocumentRules.LinksLeadSomewhere` `Gate.NoSuchTest`", tests),
            std::vector<std::string>{"Gate.NoSuchTest"});
}

// A stranger reads what it is, and then how to start it, without scrolling.
TEST(DocumentRules, TheReadmeSaysWhatItIsAndThenTheTwoCommands) {
  const std::string text = read_file(kRoot / "README.md");
  std::vector<std::string_view> lines = split_at(text, '\n');
  lines.resize(std::min<std::size_t>(lines.size(), 12));
  const auto starts = [&](std::string_view beginning) {
    return std::ranges::find_if(lines, [&](std::string_view line) { return line.starts_with(beginning); });
  };
  const auto what = starts("Did this change "), sweep = starts("make sweep"), test = starts("make test");
  ASSERT_NE(what, lines.end());
  ASSERT_NE(sweep, lines.end());
  ASSERT_NE(test, lines.end());
  EXPECT_LT(what, sweep);
  EXPECT_EQ(sweep + 1, test);
  EXPECT_TRUE(std::all_of(lines.begin(), what, [](std::string_view line) {
    return line.empty() || line.starts_with('#');
  })) << "nothing stands before it but the title";
}

}  // namespace
}  // namespace aqbench
