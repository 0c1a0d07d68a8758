// Words that the sources do not use.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

struct WordRule {
  const char* name;
  std::vector<std::string_view> words;
  const char* advice;
  std::string_view exempt = {};  // the one file that may use them, and does
  bool in_comments = false;      // not there either
};

void PrintTo(const WordRule& rule, std::ostream* out) { *out << rule.name; }

const WordRule kWordRules[] = {
    // Fuzz targets (make fuzz) are built with Debian 12's clang 14, which does not compile views and
    // sub-ranges
    // of g++ 12's library: what returns one is written with iterators.
    {.name = "FuzzTargetsCompile",
     .words = {"std::views::", "ranges::unique(", "ranges::rotate(", "ranges::remove(", "ranges::remove_if(",
               "ranges::partition(", "ranges::stable_partition(", "ranges::equal_range(", "ranges::search(",
               "ranges::subrange"},
     .advice = "write it with iterators"},
    // JSON is read by core/json alone, which is linear in time and bounds depth, keys and values.
    {.name = "OnlyTheStrictParserReads",
     .words = {"Json::parse(", "json::parse(", "Json::sax_parse(", "Json::accept("},
     .advice = "is not linear for doubled keys and has no limits: use parse_strict_json()",
     .exempt = "core/json_parser.cc"},
    // One word for one thing in names.
    {.name = "TheLargestAllowedIsMax", .words = {"kMost"}, .advice = "say kMax", .in_comments = true}};

// "FILE:LINE: WORD" for each line and word that the rule is about.
std::vector<std::string> uses(const WordRule& rule, const std::string& file, std::string_view source) {
  std::vector<std::string> found;
  std::size_t number = 0;
  for (std::string_view line : split_at(source, '\n')) {
    ++number;
    if (!rule.in_comments) line = line.substr(0, line.find("//"));
    for (const std::string_view word : rule.words)
      if (line.find(word) != line.npos)
        found.push_back(file + ":" + std::to_string(number) + ": " + std::string(word));
  }
  return found;
}

class WordRules : public testing::TestWithParam<WordRule> {};

TEST_P(WordRules, HoldInThisProject) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::size_t files = 0;
  for (const SourceFile& file : read_source_files(root)) {
    const std::vector<std::string> found = uses(GetParam(), file.path, read_file(root / file.path));
    ++files;
    if (file.path == GetParam().exempt)
      EXPECT_FALSE(found.empty()) << file.path << " needs no exemption";
    else
      EXPECT_THAT(found, testing::IsEmpty()) << GetParam().advice;
  }
  EXPECT_GT(files, 300u) << "the sources were not found";
}

INSTANTIATE_TEST_SUITE_P(Of, WordRules, testing::ValuesIn(kWordRules),
                         [](const auto& rule) { return std::string(rule.param.name); });

TEST(WordRules, AUseIsFoundAndACommentIsNone) {
  EXPECT_THAT(uses(kWordRules[0], "a.cc", "int a;\n  std::ranges::unique(b);  // std::views::\n"),
              testing::ElementsAre("a.cc:2: ranges::unique("));
  EXPECT_THAT(
      uses(kWordRules[1], "a.cc", "int x;\nauto j = nlohmann::json::parse(text);\n// Json::parse(text)\n"),
      testing::ElementsAre("a.cc:2: json::parse("));
  EXPECT_THAT(uses(kWordRules[2], "a.h", "int a;\nconstexpr int kMostRows = 5;\n"),
              testing::ElementsAre("a.h:2: kMost"));
}

}  // namespace
}  // namespace aqbench
