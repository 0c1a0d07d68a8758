// One word for one thing in names: what is the largest allowed is kMax.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/text.h"
#include "tests/architecture/include_rules.h"

namespace aqbench {
namespace {

constexpr std::string_view kUnwanted =
    "k"
    "Most";

std::vector<std::string> unwanted_names(const std::string& file, std::string_view source) {
  std::vector<std::string> found;
  std::size_t number = 0;
  for (const std::string_view line : split_at(source, '\n')) {
    ++number;
    if (line.find(kUnwanted) != line.npos)
      found.push_back(file + ":" + std::to_string(number) + ": say kMax");
  }
  return found;
}

TEST(NamingRules, TheLargestAllowedIsMax) {
  const std::filesystem::path root = AQBENCH_SOURCE_DIR;
  std::vector<std::string> found;
  for (const SourceFile& file : read_source_files(root))
    for (std::string& line : unwanted_names(file.path, read_file(root / file.path)))
      found.push_back(std::move(line));
  EXPECT_THAT(found, ::testing::IsEmpty());
}

TEST(NamingRules, AnotherWordIsFound) {
  EXPECT_THAT(unwanted_names("a.h", "int a;\nconstexpr int " + std::string(kUnwanted) + "Rows = 5;\n"),
              ::testing::ElementsAre("a.h:2: say kMax"));
}

}  // namespace
}  // namespace aqbench
