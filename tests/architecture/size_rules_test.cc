// No function over 60 lines: read from the layout that clang-format gives the sources.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxFunctionLines = 60;

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// A line that opens the body of a function: it ends in "{", a ")" stands before that, it begins with no word
// that opens something else, and it holds no lambda.
bool opens_function(std::string_view line) {
  if (!line.ends_with('{') || line.find(')') == line.npos || line.find("](") != line.npos) return false;
  const std::string_view text = line.substr(indent_of(line));
  constexpr std::array<std::string_view, 14> kOthers = {"namespace", "class ", "struct ", "enum ", "if ",
                                                        "for ",      "while ", "switch ", "else",  "do ",
                                                        "try",       "}",      "//",      "return"};
  return std::ranges::none_of(kOthers, [&](std::string_view other) { return text.starts_with(other); });
}

// "FILE:LINE: a function of 61 lines, at most 60" for each function that is too long. A body ends where "}"
// stands as far left as the line that the function's signature begins on.
std::vector<std::string> long_functions(const std::string& file, std::string_view source) {
  const std::vector<std::string_view> lines = split_at(source, '\n');
  std::vector<std::string> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!opens_function(lines[i])) continue;
    // A signature of several lines begins where its last parenthesis is opened, and before a constructor's
    // list of members.
    std::size_t first = i;
    std::ptrdiff_t open = 0;
    for (;; --first) {
      open += std::ranges::count(lines[first], ')') - std::ranges::count(lines[first], '(');
      const bool continued = lines[first].substr(indent_of(lines[first])).starts_with(": ") ||
                             (first > 0 && lines[first - 1].ends_with(','));
      if (first == 0 || (open <= 0 && !continued)) break;
    }
    const std::string end = std::string(indent_of(lines[first]), ' ') + "}";
    std::size_t last = i + 1;
    while (last < lines.size() && !lines[last].starts_with(end)) ++last;
    if (last - first + 1 > kMaxFunctionLines)
      found.push_back(fmt::format("{}:{}: a function of {} lines, at most {}", file, first + 1,
                                  last - first + 1, kMaxFunctionLines));
  }
  return found;
}

std::string function_of(std::size_t lines) {
  std::string text = "int sum(int a,\n        int b) {\n";
  for (std::size_t i = 3; i < lines; ++i) text += "  a += b;\n";
  return text + "}\n";
}

TEST(SizeRules, AFunctionThatIsTooLongIsFound) {
  EXPECT_THAT(long_functions("a.cc", function_of(60)), testing::IsEmpty());
  EXPECT_THAT(long_functions("a.cc", "\n" + function_of(61)),
              testing::ElementsAre("a.cc:2: a function of 61 lines, at most 60"));
}

TEST(SizeRules, NoFunctionOfThisProjectIsTooLong) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::vector<std::string> found;
  std::size_t functions = 0;
  for (const SourceFile& file : read_source_files(root)) {
    const std::string source = read_file(root / file.path);
    for (const std::string_view line : split_at(source, '\n')) functions += opens_function(line) ? 1 : 0;
    for (const std::string& one : long_functions(file.path, source)) found.push_back(one);
  }
  EXPECT_GT(functions, 1000u) << "functions were not recognised";
  EXPECT_THAT(found, testing::IsEmpty());
}

// Include rules hold the other folders to the same number.
TEST(SizeRules, NoFileOfTestsOrBenchmarksIsTooLong) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::vector<std::string> found;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "tests")) {
    if (entry.path().extension() != ".cc" && entry.path().extension() != ".h") continue;
    ++files;
    const std::string source = read_file(entry.path());
    if (const auto lines = std::ranges::count(source, '\n');
        lines > static_cast<std::ptrdiff_t>(kMaxLinesPerFile))
      found.push_back(fmt::format("{}: {} lines", entry.path().string(), lines));
  }
  EXPECT_GT(files, 100u) << "the tests were not found";
  EXPECT_THAT(found, testing::IsEmpty());
}

}  // namespace
}  // namespace aqbench
