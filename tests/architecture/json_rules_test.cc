// JSON is read by core/json alone, which is linear in time and bounds depth, keys and values.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

// The lines of a source that parse JSON with the library, whatever its type is called.
std::vector<std::string> library_parsing(const std::string& file, std::string_view source) {
  std::vector<std::string> found;
  std::size_t number = 0;
  for (std::string_view line : split_at(source, '\n')) {
    ++number;
    line = line.substr(0, line.find("//"));
    for (const char* call : {"Json::parse(", "json::parse(", "Json::sax_parse(", "Json::accept("})
      if (line.find(call) != line.npos) found.push_back(file + ":" + std::to_string(number) + ": " + call);
  }
  return found;
}

// core/json is the reader; the schema is a text of the program itself.
constexpr const char* kExempt[] = {"core/json.cc"};

TEST(JsonRules, OnlyTheStrictParserReads) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::size_t looked_at = 0;
  for (const SourceFile& file : read_source_files(root)) {
    if (std::ranges::find(kExempt, file.path) != std::end(kExempt) || file.path.starts_with("tests/") ||
        file.path.starts_with("benchmarks/"))
      continue;
    ++looked_at;
    for (const std::string& line : library_parsing(file.path, read_file(root / file.path)))
      ADD_FAILURE() << line << ") is not linear for doubled keys and has no limits: use parse_strict_json()";
  }
  EXPECT_GT(looked_at, 300u) << "sources were not found";
  for (const char* file : kExempt)
    EXPECT_FALSE(library_parsing(file, read_file(root / file)).empty()) << file << " needs no exemption";
}

TEST(JsonRules, ACallIsFoundAndACommentIsNone) {
  EXPECT_EQ(library_parsing("a.cc", "int x;\nauto j = nlohmann::json::parse(text);\n// Json::parse(text)\n"),
            std::vector<std::string>{"a.cc:2: json::parse("});
}

}  // namespace
}  // namespace aqbench
