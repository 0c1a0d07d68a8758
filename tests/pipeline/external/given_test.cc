#include "pipeline/external/given.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

class GivenFiles : public ::testing::Test {
 protected:
  void touch(const std::string& name) const {
    fs::create_directories((dir_ / name).parent_path());
    std::ofstream(dir_ / name) << "x";
  }
  std::vector<std::string> names(const std::string& pattern, const PatternValues& known = {}) const {
    std::vector<std::string> found;
    for (const PatternFile& file : files_of_pattern(dir_.path(), pattern, known)) {
      std::string line = file.file.lexically_relative(dir_.path()).string();
      for (const auto& [name, value] : file.values) line += " " + name + "=" + value;
      found.push_back(line);
    }
    return found;
  }
  const TemporaryDirectory dir_;
};

using Lines = std::vector<std::string>;

TEST_F(GivenFiles, NamesTakeTheTextThatStandsThere) {
  for (const char* const name :
       {"r/a/tank/seed1.ply", "r/a/hull/seed1.ply", "r/b/tank/seed007.ply", "r/b/tank/x.ply"})
    touch(name);
  EXPECT_EQ(
      names("r/{method}/{scene}/seed{seed}.ply"),
      (Lines{"r/a/hull/seed1.ply method=a scene=hull seed=1", "r/a/tank/seed1.ply method=a scene=tank seed=1",
             "r/b/tank/seed007.ply method=b scene=tank seed=7"}));
  EXPECT_EQ(names("r/{method}/{scene}/seed{seed}.ply", {{"method", "b"}, {"scene", "tank"}, {"seed", "7"}}),
            Lines{"r/b/tank/seed007.ply"});
  EXPECT_EQ(names("./r/../r/b/*/x.ply"), Lines{"./r/../r/b/tank/x.ply"});
  EXPECT_EQ(names("r/{method}/gone.ply"), Lines{});
}

TEST_F(GivenFiles, ANameThatStandsTwiceHasOneValueAndLettersOfExpressionsAreLetters) {
  for (const char* const name : {"a/a.ply", "a/b.ply", "c+(1)/c+(1).ply", "a/aXply", "d/d1.txt"}) touch(name);
  EXPECT_EQ(names("{scene}/{scene}1.txt"), Lines{"d/d1.txt scene=d"});
  EXPECT_EQ(names("{scene}/{scene}.ply"), (Lines{"a/a.ply scene=a", "c+(1)/c+(1).ply scene=c+(1)"}));
  EXPECT_EQ(names("{scene}/{scene}.ply", {{"scene", "c+(1)"}}), Lines{"c+(1)/c+(1).ply"});
}

}  // namespace
}  // namespace aqbench
