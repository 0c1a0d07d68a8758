// aqbench render and aqbench cache, as a user runs them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;

class Render : public ::testing::Test {
 protected:
  Render() { ::setenv("AQBENCH_CACHE_DIR", (dir_ / "cache").c_str(), 1); }
  ~Render() override { ::unsetenv("AQBENCH_CACHE_DIR"); }

  ProgramResult render(const Arguments& more) const {
    Arguments all{"render", "flat_plane", "--rig", "single_pair", "--width", "48", "--mesh-pitch-mm", "50"};
    all.insert(all.end(), more.begin(), more.end());
    return run_program(all);
  }

  std::size_t cached() const {
    return json::parse(run_program({"cache", "list", "--json"}).out).at("entries").size();
  }

  TemporaryDir dir_;
};

TEST_F(Render, WritesADatasetOnceAndCopiesItAfterwards) {
  const auto first = render({"--out", (dir_ / "a").string(), "--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.err, "");  // no progress line without a terminal
  const json shown = json::parse(first.out);
  EXPECT_EQ(shown["from_cache"], false);
  EXPECT_EQ(shown["width"], 48);
  EXPECT_EQ(shown["height"], 36);
  EXPECT_EQ(shown["cameras"], json({"cam00", "cam01"}));
  EXPECT_EQ(shown["dataset"]["scene"]["name"], "flat_plane");
  for (const char* file : {"calibration.json", "images/cam01/000000.png", "truth/cam00/depth.npy",
                           "truth/surface.ply", "truth/scene.json"})
    EXPECT_TRUE(std::filesystem::exists(dir_ / "a" / file)) << file;
  EXPECT_EQ(cached(), 1u);
  const auto again = render({"--out", (dir_ / "b").string(), "--json"});
  EXPECT_EQ(json::parse(again.out)["from_cache"], true);
  EXPECT_EQ(json::parse(again.out)["bytes"], shown["bytes"]);
  const auto apart = render({"--out", (dir_ / "c").string(), "--no-cache", "--seed", "7"});
  EXPECT_EQ(apart.exit_code, 0) << apart.err;
  EXPECT_NE(apart.out.find("rendered in"), std::string::npos) << apart.out;
  EXPECT_EQ(cached(), 1u);
  const auto list = run_program({"cache"});
  EXPECT_NE(list.out.find("flat_plane"), std::string::npos) << list.out;
  EXPECT_NE(list.out.find("1 dataset,"), std::string::npos) << list.out;
  EXPECT_EQ(run_program({"cache", "path"}).out, (dir_ / "cache").string() + "\n");
  EXPECT_EQ(json::parse(run_program({"cache", "clear", "--json"}).out)["removed"], 1);
  EXPECT_EQ(cached(), 0u);
}

TEST_F(Render, ClearingTheCacheSparesForeignFiles) {
  EXPECT_EQ(render({"--out", (dir_ / "a").string()}).exit_code, 0);
  const std::vector<std::string> foreign = {"yarn.lock", ".yarnrc.yml", "yarn/package.json", "yarn.json"};
  std::filesystem::create_directories(dir_ / "cache/yarn");
  for (const std::string& name : foreign) std::ofstream(dir_ / ("cache/" + name)) << "mine";
  EXPECT_EQ(json::parse(run_program({"cache", "clear", "--json"}).out)["removed"], 1);
  for (const std::string& name : foreign)
    EXPECT_TRUE(std::filesystem::exists(dir_ / ("cache/" + name))) << name;
}

TEST_F(Render, InterruptedItLeavesNothing) {
  const auto folders = [&] {
    std::size_t count = 0;
    if (std::filesystem::exists(dir_ / "cache"))
      for (const auto& entry : std::filesystem::directory_iterator(dir_ / "cache"))
        if (entry.is_directory()) ++count;
    return count;
  };
  ProgramOptions options;
  options.interrupt_when = [&] { return folders() > 0; };
  const Arguments big{"render", "undulating", "--width", "3000", "--out", (dir_ / "out" / "big").string()};
  const auto cut = run_program(big, options);
  EXPECT_EQ(cut.exit_code, 130) << cut.err;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out" / "big"));
  EXPECT_EQ(cached(), 0u);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "cache"));
  EXPECT_EQ(folders(), 0u);
}

TEST_F(Render, WrongRequestsAreExitTwoBeforeAnythingIsRendered) {
  const std::string out = (dir_ / "new").string();
  const auto refused = [&](const Arguments& arguments, const char* why) {
    const auto result = run_program(arguments);
    EXPECT_EQ(result.exit_code, 2) << why;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_FALSE(std::filesystem::exists(out));
  };
  refused({"render", "undulatin", "--out", out}, "undulating");
  refused({"render", "undulating"}, "--out DIR is missing");
  refused({"render", "undulating", "--out", out, "--rig", "ring11"}, "ring12");
  refused({"render", "undulating", "--out", out, "--width", "0"}, "--width 0");
  refused({"render", "undulating", "--out", out, "--set", "mound.height_m=1"}, "mound.height_m");
  refused({"render", "undulating", "--out", out, "--mesh-pitch-mm", "0"}, "--mesh-pitch-mm");
  refused({"render", "undulating", "--out", dir_.path().parent_path().string()}, "not empty");
  refused({"cache", "clean"}, "clear");
}

TEST_F(Render, ASweepWithoutAFolderForTheCacheIsOneErrorBeforeTheFirstCase) {
  const char* const names[] = {"AQBENCH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::string> before;
  for (const char* const name : names) {
    before.emplace_back(::getenv(name) == nullptr ? "" : ::getenv(name));
    ::setenv(name, "", 1);
  }
  const std::string out = (dir_ / "out").string();
  const auto result =
      run_program({"sweep", "--scene", "flat_plane", "--method", "sparse", "--width", "160", "--out", out});
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], before[i].c_str(), 1);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "aqbench: error: no folder for the cache: set AQBENCH_CACHE_DIR, XDG_CACHE_HOME or HOME\n");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace aqbench::testing
