// aqbench export and aqbench site, as a user runs them, on small bundles.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

namespace fs = std::filesystem;
using SiteCommand = Folder;
using Export = Folder;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

TEST_F(SiteCommand, OfAFolderWithoutBundlesIsAUsageErrorOfOneLine) {
  fs::create_directories(dir_ / "empty");
  expect_refused(run({"site", "empty", "--out", "site"}), "empty: no bundle there; nothing is written");
  EXPECT_FALSE(fs::exists(dir_ / "site"));
}

// A method with a preset, which looks at small images.
TEST_F(Export, HasFilesThatAreNamedByTheirCases) {
  succeeded(run("sweep --scene undulating --method sparse:fast --rig arc6 --axis width=320 --out out"));
  const std::string bundle = only_bundle(dir_ / "out").string();
  succeeded(run("export {} --ply ply --svg svg", bundle));
  const std::vector<std::string> clouds = files_in(dir_ / "ply");
  ASSERT_EQ(clouds.size(), 1u);
  EXPECT_TRUE(clouds[0].starts_with("undulating__sparse.fast__")) << clouds[0];
  EXPECT_FALSE(files_in(dir_ / "svg").empty());
}

}  // namespace
}  // namespace aqbench::testing
