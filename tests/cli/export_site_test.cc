// aqbench export and aqbench site, as a user runs them, on small bundles.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

TEST(SiteCommand, OfAFolderWithoutBundlesIsAUsageErrorOfOneLine) {
  const TemporaryDir dir;
  fs::create_directories(dir / "empty");
  const auto result = run_program({"site", (dir / "empty").string(), "--out", (dir / "site").string()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("empty: no bundle there; nothing is written"), std::string::npos) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_FALSE(fs::exists(dir / "site"));
}

// A method with a preset, which looks at small images.
TEST(Export, HasFilesThatAreNamedByTheirCases) {
  const TemporaryDir dir;
  const std::string out = (dir / "out").string();
  const auto sweep = run_program({"sweep", "--scene", "undulating", "--method", "sparse:fast", "--rig",
                                  "arc6", "--axis", "width=320", "--out", out});
  ASSERT_EQ(sweep.exit_code, 0) << sweep.err;
  const std::string bundle = only_bundle(out).string();
  const auto result =
      run_program({"export", bundle, "--ply", (dir / "ply").string(), "--pdf", (dir / "pdf").string(),
                   "--svg", (dir / "svg").string(), "--cameras", (dir / "cameras").string()});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const std::vector<std::string> clouds = files_in(dir / "ply"), cameras = files_in(dir / "cameras");
  ASSERT_EQ(clouds.size(), 1u);
  EXPECT_TRUE(clouds[0].starts_with("undulating__sparse.fast__")) << clouds[0];
  ASSERT_EQ(cameras.size(), 2u);
  EXPECT_EQ(cameras[0], clouds[0]);
  EXPECT_EQ(cameras[1], fs::path(clouds[0]).replace_extension(".txt").string());
  std::vector<std::string> charts;
  for (const std::string& name : files_in(dir / "svg"))
    charts.push_back(fs::path(name).replace_extension(".pdf").string());
  EXPECT_FALSE(charts.empty());
  EXPECT_EQ(files_in(dir / "pdf"), charts);
}

TEST(Export, OfABundleWithoutCamerasSaysSo) {
  const TemporaryDir dir;
  const std::string out = (dir / "out").string();
  ASSERT_EQ(run_program({"sweep", "--scene", "flat_plane", "--method", "roma_like", "--out", out}).exit_code,
            0);
  const auto none = run_program({"export", only_bundle(out).string(), "--cameras", (dir / "none").string()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("contains no cameras"), std::string::npos) << none.err;
}

}  // namespace
}  // namespace aqbench::testing
