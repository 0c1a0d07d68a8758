#include "harness/running/hidden_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/error.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

class HiddenPlacesTest : public testing::Test {
 protected:
  void write(const fs::path& name, const std::string& text = "{}") const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }

  test::TemporaryFolder folder_;
  fs::path root_ = fs::canonical(folder_.path());
};

TEST_F(HiddenPlacesTest, AreBundlesAndTruthsAtAnyDepthBelowAFolder) {
  write("out/20260101T000000Z/journal.jsonl", "{\"journal\":\"aqbench\",\"schema_version\":3}\n");
  write("out/20260101T000000Z/viewer/case.bin", "points");
  write("docs/old/pairs/journal.jsonl", "{\"journal\":\"aqbench\"}\n");
  write("data/tank/calibration.json");
  write("data/tank/truth/scene.json");
  write("notes/journal.jsonl", "{\"journal\":\"of a traveller\"}\n");
  write("truth/about.txt", "no dataset's");
  write("a/b/c/d/e/f/journal.jsonl", "{\"journal\":\"aqbench\"}\n");
  write("linked/calibration.json");
  write("store/scene.json");
  fs::create_directory_symlink(root_ / "store", root_ / "linked/truth");
  fs::create_directory_symlink(root_ / "out", root_ / "link");
  EXPECT_THAT(hidden_places_in({root_, root_ / "data"}).hidden,
              UnorderedElementsAre(root_ / "out/20260101T000000Z", root_ / "out/20260101T000000Z.tasks",
                                   root_ / "docs/old/pairs", root_ / "docs/old/pairs.tasks",
                                   root_ / "data/tank/truth", root_ / "a/b/c/d/e/f",
                                   root_ / "a/b/c/d/e/f.tasks", root_ / "linked/truth"));
  EXPECT_THAT(hidden_places_in({root_ / "out/20260101T000000Z"}).hidden,
              UnorderedElementsAre(root_ / "out/20260101T000000Z", root_ / "out/20260101T000000Z.tasks"));
  EXPECT_TRUE(hidden_places_in({root_ / "nowhere"}).hidden.empty());
}

TEST_F(HiddenPlacesTest, HistoriesAndCredentialsAreClosed) {
  write("project/.git/HEAD");
  write("project/run.py");
  write("project/lib/credentials.py");
  write("project/lib/credentials/__init__.py");
  write("bare.git/HEAD");
  write("bare.git/objects/aa/x");
  write("bare.git/refs/heads/main");
  write("old/.hg/store");
  write("tool/credentials.toml");
  write("tool/.ssh/id_ed25519");
  EXPECT_THAT(hidden_places_in({root_}).closed,
              UnorderedElementsAre(root_ / "project/.git", root_ / "bare.git", root_ / "old/.hg",
                                   root_ / "tool/credentials.toml", root_ / "tool/.ssh"));
  const fs::path service = root_ / "service";
  for (const char* const name :
       {".env", ".env.production", ".env.example", "token", "token.py", "config.json", "hosts.yml",
        ".docker/config.json", ".config/gh/hosts.yml", "gh/config.yml"})
    write(service / name);
  EXPECT_THAT(hidden_places_in({service}).closed,
              UnorderedElementsAre(service / ".env", service / ".env.production", service / "token",
                                   service / ".docker/config.json", service / ".config/gh/hosts.yml"));
  fs::create_directories(root_ / "project/deep/er");
  write("project/deep/.svn/wc.db");
  EXPECT_THAT(histories_above({root_ / "project/deep/er", root_ / "project"}),
              testing::IsSupersetOf({root_ / "project/deep/.svn", root_ / "project/.git"}));
}

// The search ends with an error, never with a part of the folder unseen.
TEST_F(HiddenPlacesTest, ASearchThatDoesNotEndIsAnError) {
  write("data/tank/calibration.json");
  write("data/tank/truth/scene.json");
  const auto search = [&](std::size_t limit) {
    return hidden_places_in({root_}, limit).hidden;  // data, tank, calibration.json, truth, scene.json
  };
  EXPECT_THAT(search(5), ElementsAre(root_ / "data/tank/truth"));
  EXPECT_EQ(test::error_of(ErrorKind::method, [&] { search(4); }),
            root_.string() +
                ": cannot be searched for truths and earlier bundles, which would not be hidden: it holds "
                "more than 4 names, the limit");
}

}  // namespace
}  // namespace aqbench
