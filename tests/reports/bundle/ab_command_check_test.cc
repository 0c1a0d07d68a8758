#include "reports/bundle/ab_command_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "core/files.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/bundle/ab_commands.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// A comparison of half an hour, and what its files say of how it was run.
struct AbCommands : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    document.run.started_utc = "2026-11-21T12:00:00Z";
    document.run.finished_utc = "2026-11-21T12:30:00Z";
    document.run.exec = true;
    journal.header.arguments = ab_arguments();
    write_ab_commands(folder.path(), document);
  }
  std::string findings() {
    const AbClaims claims{&document.run, &document, judge_ab(document).exit_code(), 10, &journal};
    std::string all;
    for (const Finding& finding : check_ab_commands(folder.path(), claims))
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }
  std::string after(const std::string& from, const std::string& to) {
    write_ab_commands(folder.path(), document);
    std::string text = read_file(folder / kCommandsFile);
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    write_file(folder / kCommandsFile, text.replace(at, from.size(), to));
    return findings();
  }

  TemporaryDirectory folder;
  AbDocument document;
  PairJournalContents journal;
};

TEST_F(AbCommands, AreTheOneThatWasRun) {
  EXPECT_EQ(findings(), "");
  EXPECT_THAT(after("exit code: 0", "exit code: 1"), HasSubstr("says exit code 1, the decision gives 0"));
  EXPECT_THAT(after("exit code: 0\n", ""), HasSubstr("line 10 does not begin with 'exit code: '"));
  EXPECT_THAT(after("aqbench ab", "aqbench AB"), HasSubstr("has a command that is no ab"));
  EXPECT_THAT(after("new/aqbench", "newer"), HasSubstr("has another command than commands.txt"));
  EXPECT_THAT(after("started: 2026", "started: 2025"), HasSubstr("begins at another time than the run"));
  EXPECT_THAT(after("finished: 2026-11-21T12:30", "finished: 2026-11-21T12:29"),
              HasSubstr("ends before the run"));
  EXPECT_THAT(after("real 1799", "real 9"), HasSubstr("in which 10 s were measured"));
  EXPECT_THAT(after("real 1799", "real 99999"), HasSubstr("real 99999 s, from "));
  write_ab_commands(folder.path(), document);
  const std::string once = read_file(folder / kCommandsFile);
  write_file(folder / kCommandsFile, once + once.substr(once.find("\n\n") + 1));
  EXPECT_THAT(findings(), HasSubstr("goes on 1 times, the run 0"));
}

TEST_F(AbCommands, TheArgumentsSayWhatWasCompared) {
  const AbDocument good = document;
  const auto findings_of = [&](const std::function<void(AbDocument&)>& lie) {
    document = good;
    lie(document);
    return findings();
  };
  EXPECT_THAT(findings_of([](AbDocument& d) { d.a.label = "release 1.0"; }),
              HasSubstr("a.label: is 'release"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.b.variant = "kernel=fused"; }),
              HasSubstr("b.variant: is not"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.b.injected = {"*:match=+5%"}; }), HasSubstr("b.injected"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.run.exec = false; }), HasSubstr("run.exec: is not"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.settings.policy.tau = 0.03; }),
              HasSubstr("settings.tau: is not"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.settings.policy.looks = 3; }), HasSubstr("settings.looks"));
  EXPECT_THAT(findings_of([](AbDocument& d) { d.settings.confirm = true; }), HasSubstr("settings.confirm"));
  document = good;
  journal.header.arguments.clear();
  EXPECT_THAT(findings(), HasSubstr("pairs.jsonl: has no arguments"));
}

TEST_F(AbCommands, TwoValuesOfAnAxisAreItsVariants) {
  journal.header.arguments = {"--variant", "kernel=torch,fused", "--looks", "1", "--no-confirm"};
  document.run.exec = false;
  document.a.label = document.a.variant = "kernel=torch";
  document.b.label = document.b.variant = "kernel=fused";
  write_ab_commands(folder.path(), document.run, journal.header.arguments, judge_ab(document).exit_code());
  EXPECT_EQ(findings(), "");
  document.a.variant = "kernel=loop";
  EXPECT_THAT(findings(), HasSubstr("a.variant: is not what was asked for"));
}

TEST_F(AbCommands, ASeedIsHeldToItsLastDigit) {
  constexpr std::uint64_t kOdd = 9'007'199'254'740'993;  // no double has it
  journal.header.arguments = ab_arguments();
  for (const char* const word : {"--order-seed", "9007199254740993"})
    journal.header.arguments.emplace_back(word);
  write_ab_commands(folder.path(), document.run, journal.header.arguments, judge_ab(document).exit_code());
  document.settings.policy.seed = kOdd;
  EXPECT_EQ(findings(), "");
  document.settings.policy.seed = kOdd - 1;
  EXPECT_THAT(findings(), HasSubstr("settings.seed: is not what was asked for"));
}

}  // namespace
}  // namespace aqbench
