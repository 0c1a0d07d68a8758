// Fuzz targets (make fuzz) are built with Debian 12's clang 14, which does not compile views and sub-ranges
// of g++ 12's library: what returns one is written with iterators.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

// "FILE:LINE: NAME" for each use of what clang 14 does not compile.
std::vector<std::string> uses_of_subranges(const std::string& file, std::string_view source) {
  std::vector<std::string> found;
  std::size_t number = 0;
  for (std::string_view line : split_at(source, '\n')) {
    ++number;
    line = line.substr(0, line.find("//"));
    for (const char* name : {"std::views::", "ranges::unique(", "ranges::rotate(", "ranges::remove(",
                             "ranges::remove_if(", "ranges::partition(", "ranges::stable_partition(",
                             "ranges::equal_range(", "ranges::search(", "ranges::subrange"})
      if (line.find(name) != line.npos) found.push_back(file + ":" + std::to_string(number) + ": " + name);
  }
  return found;
}

TEST(ClangRules, UsesAreFound) {
  EXPECT_EQ(uses_of_subranges("a.cc", "int a;\n  std::ranges::unique(b);  // std::views::\n"),
            std::vector<std::string>{"a.cc:2: ranges::unique("});
}

TEST(ClangRules, FuzzTargetsCompile) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::size_t files = 0;
  for (const SourceFile& file : read_source_files(root)) {
    if (file.path.starts_with("tests/") || file.path.starts_with("benchmarks/")) continue;
    ++files;
    for (const std::string& use : uses_of_subranges(file.path, read_file(root / file.path)))
      ADD_FAILURE() << use << ": write it with iterators";
  }
  EXPECT_GT(files, 500u) << "the sources were not found";
}

}  // namespace
}  // namespace aqbench
