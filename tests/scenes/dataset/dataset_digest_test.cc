#include "scenes/dataset/dataset_digest.h"

#include <gtest/gtest.h>

#include "core/processes/process.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(DatasetDigest, IsThatOfTheLinesOfSha256sum) {
  const TemporaryDirectory dir;
  std::filesystem::create_directories(dir / "images/cam00");
  dir.file("calibration.json", "{}");
  dir.file("images/cam00/b", "pixels");
  dir.file("images/cam00/a", "");
  const DatasetContents contents = read_contents(dir.path());
  ASSERT_EQ(contents.size(), 3U);
  EXPECT_EQ(contents.at("images/cam00/b").bytes, 6U);
  const ProgramAnswer answer = ask_program({"sh", "-c",
                                            "cd \"$0\" && find . -type f | sed 's,^./,,' | LC_ALL=C sort | "
                                            "xargs sha256sum | sha256sum | cut -c1-64",
                                            dir.path().string()},
                                           30);
  ASSERT_TRUE(answer.ok) << answer.problem;
  EXPECT_EQ(dataset_sha256(contents) + "\n", answer.output);
  dir.file("images/cam00/a", "x");
  EXPECT_NE(dataset_sha256(read_contents(dir.path())), dataset_sha256(contents));
}

}  // namespace
}  // namespace aqbench
