// aqbench render and aqbench cache, as a user runs them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/folder.h"
#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Render : public Folder {
 protected:
  Render() { ::setenv("AQBENCH_CACHE_DIR", (dir_ / "cache").c_str(), 1); }
  ~Render() override { ::unsetenv("AQBENCH_CACHE_DIR"); }

  ProgramResult render(const Arguments& more) const {
    return run(with(words("render flat_plane --rig single_pair --width 48 --mesh-pitch-mm 50"), more));
  }

  std::size_t cached() const { return document_of(run("cache list --json")).at("entries").size(); }
};

TEST_F(Render, WritesADatasetOnceAndCopiesItAfterwards) {
  const auto first = succeeded(render({"--out", "a", "--json"}));
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
  const auto again = render({"--out", "b", "--json"});
  EXPECT_EQ(json::parse(again.out)["from_cache"], true);
  EXPECT_EQ(json::parse(again.out)["bytes"], shown["bytes"]);
  EXPECT_THAT(succeeded(render(words("--out c --no-cache --seed 7"))).out, HasSubstr("rendered in"));
  EXPECT_EQ(cached(), 1u);
  const auto list = run({"cache"});
  EXPECT_THAT(list.out, HasSubstr("flat_plane"));
  EXPECT_THAT(list.out, HasSubstr("1 dataset,"));
  EXPECT_EQ(run({"cache", "path"}).out, (dir_ / "cache").string() + "\n");
  EXPECT_EQ(document_of(run("cache clear --json"))["removed"], 1);
  EXPECT_EQ(cached(), 0u);
}

TEST_F(Render, ClearingTheCacheSparesForeignFiles) {
  EXPECT_EQ(render({"--out", "a"}).exit_code, 0);
  const std::vector<std::string> foreign = {"yarn.lock", ".yarnrc.yml", "yarn/package.json", "yarn.json"};
  std::filesystem::create_directories(dir_ / "cache/yarn");
  for (const std::string& name : foreign) std::ofstream(dir_ / ("cache/" + name)) << "mine";
  EXPECT_EQ(document_of(run("cache clear --json"))["removed"], 1);
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
  const Arguments big = words("render undulating --width 3000 --out {}", (dir_ / "out" / "big").string());
  exits(run(big, options), 130);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out" / "big"));
  EXPECT_EQ(cached(), 0u);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "cache"));
  EXPECT_EQ(folders(), 0u);
}

TEST_F(Render, WrongRequestsAreExitTwoBeforeAnythingIsRendered) {
  const auto refused = [&](const char* line, const char* why) {
    expect_refused(run(line), why);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "new"));
  };
  refused("render undulatin --out new", "undulating");
  refused("render undulating", "--out DIR is missing");
  refused("render undulating --out new --rig ring11", "ring12");
  refused("render undulating --out new --width 0", "--width 0");
  refused("render undulating --out new --set mound.height_m=1", "mound.height_m");
  refused("render undulating --out new --mesh-pitch-mm 0", "--mesh-pitch-mm");
  refused("render undulating --out ..", "not empty");
  refused("cache clean", "clear");
}

TEST_F(Render, ASweepWithoutAFolderForTheCacheIsOneErrorBeforeTheFirstCase) {
  const char* const names[] = {"AQBENCH_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::string> before;
  for (const char* const name : names) {
    before.emplace_back(::getenv(name) == nullptr ? "" : ::getenv(name));
    ::setenv(name, "", 1);
  }
  const std::string out = (dir_ / "out").string();
  const auto result = run("sweep --scene flat_plane --method sparse --width 160 --out {}", out);
  for (std::size_t i = 0; i < before.size(); ++i)
    before[i].empty() ? ::unsetenv(names[i]) : ::setenv(names[i], before[i].c_str(), 1);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "aqbench: error: no folder for the cache: set AQBENCH_CACHE_DIR, XDG_CACHE_HOME or HOME\n");
  EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace aqbench::testing
