#include "pipeline/external/command_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Not;

class CommandReads : public testing::Test {
 protected:
  CommandReads() : root_(fs::canonical(dir_.path())) {
    for (const char* folder : {"venv", "venv/bin", "project", "data", "data/deep"})
      fs::create_directory(root_ / folder);
    dir_.file("venv/bin/python", "#!/bin/sh\n");
    dir_.file("project/run.py", "");
    dir_.file("data/weights", "");
    dir_.file("data/deep/config", "");
    fs::permissions(root_ / "venv/bin/python", fs::perms::owner_all);
  }
  std::string at(const char* name) const { return (root_ / name).string(); }

  TemporaryDirectory dir_;
  fs::path root_;
};

TEST_F(CommandReads, AProgramBringsItsFolderAndWhatLiesAroundBin) {
  const auto reads = command_reads({at("venv/bin/python"), at("project/run.py")});
  EXPECT_THAT(reads, Contains(root_ / "venv"));
  EXPECT_THAT(reads, Contains(root_ / "project"));
  EXPECT_THAT(reads, Not(Contains(root_)));
}

TEST_F(CommandReads, OtherFilesAreNamedAloneOrAfterAnEqualsSign) {
  const auto reads = command_reads({"env", "MODEL=" + at("data/weights"), at("project/run.py"),
                                    "--config=" + at("data/deep/config"), at("nowhere"), at("venv")});
  EXPECT_THAT(reads, Contains(root_ / "data/weights"));
  EXPECT_THAT(reads, Contains(root_ / "data/deep/config"));
  EXPECT_THAT(reads, Contains(root_ / "venv"));
  EXPECT_THAT(reads, Not(Contains(root_ / "data/deep")));
  EXPECT_THAT(reads, Not(Contains(root_ / "nowhere")));
}

TEST_F(CommandReads, AnInterpreterIsPartOfTheProgram) {
  dir_.file("project/tool", "#!" + at("venv/bin/python") + " -u\n");
  fs::permissions(root_ / "project/tool", fs::perms::owner_all);
  EXPECT_THAT(command_reads({at("project/tool")}), Contains(root_ / "venv"));
}

TEST_F(CommandReads, ASharedFolderBelongsToNoProgram) {
  fs::permissions(root_ / "project", fs::perms::all | fs::perms::sticky_bit);
  const auto reads = command_reads({"sh", at("project/run.py")});
  EXPECT_THAT(reads, Contains(root_ / "project/run.py"));
  EXPECT_THAT(reads, Not(Contains(root_ / "project")));
  const std::string home = ::getenv("HOME") == nullptr ? "" : ::getenv("HOME");
  ::setenv("HOME", at("data/deep").c_str(), 1);
  EXPECT_THAT(command_reads({"sh", at("data/weights")}), Not(Contains(root_ / "data")));
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace
}  // namespace aqbench
