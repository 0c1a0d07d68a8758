#include "harness/planning/scene_choice.h"

#include "core/files.h"
#include "scenes/images/png_file.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::Contains;

namespace fs = std::filesystem;

// Makes a recording of one frame.
void make_recording(const fs::path& dir) {
  const Rig rig =
      make_rig("single_pair", {{"single_pair", "width", "16"}, {"single_pair", "height", "12"}}, 1);
  fs::create_directories(dir);
  write_calibration(dir / "calibration.json", rig, {"d", "s", "h"});
  for (const Camera& camera : rig.cameras) {
    fs::create_directories(dir / camera.name);
    write_file(dir / camera.name / "0.png", encode_png(16, 12, 8, std::vector<std::uint16_t>(16 * 12, 100)));
  }
}

// A method of one case would find the truth of another in a folder that it may read.
TEST(SceneChoice, TruthsOfAllRecordingsAreHiddenAlsoWhereALinkLeads) {
  const test::TemporaryFolder folder;
  const fs::path root = fs::canonical(folder.path());
  for (const char* const name : {"first", "second"}) make_recording(root / name);
  fs::create_directories(root / "first/truth");
  fs::create_directories(root / "kept/elsewhere");
  fs::create_directory_symlink(root / "kept/elsewhere", root / "second/truth");
  choose_recording("dataset:" + (root / "first").string());
  choose_recording("dataset:" + (root / "second").string());
  for (const char* const hidden : {"first/truth", "second/truth", "kept/elsewhere"})
    EXPECT_THAT(hidden_of_recordings(), Contains(root / hidden));
}

}  // namespace
}  // namespace aqbench
