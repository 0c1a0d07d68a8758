#include "reports/content/command_list.h"

#include <gtest/gtest.h>

#include "core/files.h"
#include "reports/content/commands.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(CommandList, ReadsBackWhatWasWritten) {
  const TemporaryDirectory bundle;
  begin_command(bundle.path(), "2025-05-20T10:11:12Z", {"c0ffee", "main", "## main\n M file", ""},
                {"aqbench", "sweep", "--note", "it's two"});
  begin_command(bundle.path(), "2025-05-20T10:11:13Z", {"", "", "", "not in a git repository"},
                {"aqbench", "sweep", "--resume=."});
  end_command(bundle.path(), "2025-05-20T10:12:00Z", {"", "", "", "not in a git repository"}, 130,
              {1.25, 0.5, 0});
  const CommandList list = parse_commands(read_file(bundle / kCommandsFile));
  EXPECT_EQ(list.problem, "");
  ASSERT_EQ(list.commands.size(), 2u);
  EXPECT_EQ(list.commands[0].commit, "c0ffee");
  EXPECT_EQ(list.commands[0].value_of("note"), "it's two");
  EXPECT_EQ(list.commands[0].exit_code, std::nullopt) << "it was killed";
  EXPECT_TRUE(list.commands[1].is("sweep"));
  EXPECT_EQ(list.commands[1].value_of("resume"), ".");
  EXPECT_EQ(list.commands[1].exit_code, 130);
  EXPECT_EQ(list.commands[1].real_s, 1.25);
}

TEST(CommandList, NamesTheFirstLineThatIsNotAsWritten) {
  const TemporaryDirectory bundle;
  begin_command(bundle.path(), "2025-05-20T10:11:12Z", {"c0ffee", "main", "## main", ""},
                {"aqbench", "sweep"});
  end_command(bundle.path(), "2025-05-20T10:12:00Z", {"c0ffee", "main", "## main", ""}, 0, {1.25, 0.5, 0});
  const std::string good = read_file(bundle / kCommandsFile);
  const auto problem = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return parse_commands(text.replace(at, from.size(), to)).problem;
  };
  EXPECT_EQ(parse_commands(good).problem, "");
  EXPECT_EQ(parse_commands("").problem, "line 1 is missing");
  EXPECT_EQ(parse_commands(good + "x\n").problem, "line 16 is not empty");
  EXPECT_EQ(parse_commands(good + "\n").problem, "line 17 is missing");
  EXPECT_EQ(parse_commands(good.substr(0, good.size() - 1)).problem, "line 15 does not end");
  EXPECT_EQ(problem("T10:11:12Z", "T10:11Z"), "line 3 holds no time");
  EXPECT_EQ(problem("c0ffee\n", "c0ffee\ncommit: c0ffee\n"), "line 5 does not begin with 'branch: '");
  EXPECT_EQ(problem("sweep", "sweep\x1b[31m"), "line 8 holds a control character");
  for (const char* const code : {"256", "-1", "1e0", "00", "nan", ""})
    EXPECT_EQ(problem("exit code: 0", std::string("exit code: ") + code), "line 12 holds no exit code")
        << code;
  for (const char* const seconds : {"-1.250", "1.25", "1e3", "inf", "1", ".250", ""})
    EXPECT_EQ(problem("1.250", seconds), "line 13 holds no seconds") << seconds;
}

}  // namespace
}  // namespace aqbench
