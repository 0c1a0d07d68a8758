#include "harness/running/method_process.h"

#include <fstream>

#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::UnorderedElementsAre;

namespace fs = std::filesystem;

TEST(HiddenPlaces, AreBundlesAndTruthsBelowAFolder) {
  const test::TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  const auto write = [&](const fs::path& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  };
  write("out/20260101T000000Z/journal.jsonl", "{\"journal\":\"aqbench\",\"schema_version\":3}\n");
  write("out/20260101T000000Z/viewer/case.bin", "points");
  write("docs/old/pairs/journal.jsonl", "{\"journal\":\"aqbench\"}\n");
  write("data/tank/calibration.json", "{}");
  write("data/tank/truth/scene.json", "{}");
  write("notes/journal.jsonl", "{\"journal\":\"of a traveller\"}\n");
  write("truth/about.txt", "no dataset's");
  write("a/b/c/d/journal.jsonl", "{\"journal\":\"aqbench\"}\n");
  fs::create_directory_symlink(root / "out", root / "link");
  EXPECT_THAT(
      hidden_places_in(root),
      UnorderedElementsAre(root / "out/20260101T000000Z", root / "out/20260101T000000Z.tasks",
                           root / "docs/old/pairs", root / "docs/old/pairs.tasks", root / "data/tank/truth"));
  EXPECT_THAT(hidden_places_in(root / "out/20260101T000000Z"),
              UnorderedElementsAre(root / "out/20260101T000000Z", root / "out/20260101T000000Z.tasks"));
  EXPECT_TRUE(hidden_places_in(root / "nowhere").empty());
}

}  // namespace
}  // namespace aqbench
