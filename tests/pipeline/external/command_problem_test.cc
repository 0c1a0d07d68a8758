#include "pipeline/external/command_problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/external/command_words.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

class CommandProblem : public testing::Test {
 protected:
  CommandProblem() {
    dir_.file("here.py", "");
    dir_.file("here", "");
    std::filesystem::permissions(dir_ / "here", std::filesystem::perms::owner_all);
    std::filesystem::create_directory(dir_ / "folder");
  }
  std::string of(const std::string& command, bool knows_path = true) {
    return command_problem(split_command(command), dir_ / "", knows_path);
  }
  TemporaryDirectory dir_;
};

TEST_F(CommandProblem, ExistingFilesAreNoProblem) {
  for (const char* const command :
       {"sh -c 'no-such-thing'", "./here", "sh here.py", "sh -e -o nounset here.py x", "env A=1 sh here.py",
        "python3 -m no_such_module", "perl -W here.py", "sh ls", "ls nothing-here", "sh",
        "sh folder/../here.py", "perl -S tool.pl", "env PATH=/nowhere no-such-program"})
    EXPECT_EQ(of(command), "") << command;
  EXPECT_EQ(of(std::string("sh ") + kUnknownWord + "/run.sh"), "") << "in {dataset} or {output}";
  EXPECT_EQ(of("no-such-program", false), "");
}

TEST_F(CommandProblem, MissingFilesAreNamed) {
  EXPECT_THAT(of("no-such-program x"), HasSubstr("no-such-program: no such program in PATH"));
  EXPECT_THAT(of("here x"),
              HasSubstr("here: no such program in PATH; write ./here for the file in this folder"));
  EXPECT_THAT(of("./absent x"), HasSubstr("/./absent: no such program"));
  EXPECT_THAT(of("./here.py x"), HasSubstr("/./here.py: no permission to execute"));
  EXPECT_THAT(of("./folder x"), HasSubstr("no permission to execute"));
  EXPECT_THAT(of("sh -e absent.sh x"), HasSubstr("/absent.sh: no such file (script of sh)"));
  EXPECT_THAT(of("env A=1 perl -w absent.pl"), HasSubstr("/absent.pl: no such file (script of perl"));
  EXPECT_THAT(of("env A=1 no-such-program"), HasSubstr("no-such-program: no such program in PATH"));
}

}  // namespace
}  // namespace aqbench
