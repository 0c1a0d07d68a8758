#include "reports/bundle/ab_command_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/bundle/ab_commands.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// A comparison of half an hour, and what its files say of how it was run.
struct AbCommands : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(24, 1.0));
    document.run.started_utc = "2026-11-21T12:00:00Z";
    document.run.finished_utc = "2026-11-21T12:30:00Z";
    document.run.exec = true;
    document.run.warm_runs = 1;
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
  document.run.warm_runs = 5;
  document.a.label = document.a.variant = "kernel=torch";
  document.b.label = document.b.variant = "kernel=fused";
  write_ab_commands(folder.path(), document.run, journal.header.arguments, judge_ab(document).exit_code());
  EXPECT_EQ(findings(), "");
  document.a.variant = "kernel=loop";
  EXPECT_THAT(findings(), HasSubstr("a.variant: is not what was asked for"));
  document.run.warm_runs = 4;
  EXPECT_THAT(findings(), HasSubstr("run.warm_runs: is not what was asked for")) << "one of five left out";
}

TEST_F(AbCommands, CommandsAreThoseThatWereAskedFor) {
  journal.header.arguments = {"--cmd-a", "old in.ply", "--cmd-b",   "new in.ply", "--env-b",     "FAST=1",
                              "--looks", "1",          "--label-a", "old",        "--no-confirm"};
  document.run.commands = AbCommandRules{};
  document.a.label = "old";
  document.a.command = AbCommand{.line = "old in.ply", .folder = "/lab"};
  document.b.label = "new in.ply";
  document.b.command = AbCommand{.line = "new in.ply", .folder = "/lab", .environment = {{"FAST", "1"}}};
  for (AbSideInfo* const side : {&document.a, &document.b})
    side->program_sha256 = sha256_hex(to_json(*side->command).dump());
  document.settings.outcomes = {{.name = "cpu_ms", .kind = AbOutcome::Kind::cost, .unit = "ms"}};
  write_ab_commands(folder.path(), document.run, journal.header.arguments, judge_ab(document).exit_code());
  EXPECT_EQ(findings(), "");
  const AbDocument good = document;
  for (const auto& [lie, finding] : std::initializer_list<std::pair<void (*)(AbDocument&), const char*>>{
           {[](AbDocument& d) { d.a.command->line = "other"; }, "a.command.line: is not what was asked for"},
           {[](AbDocument& d) { d.a.command->folder = "/else"; }, "a.program_sha256: is not that of its"},
           {[](AbDocument& d) { d.b.command->environment.clear(); }, "b.command.environment: is not"},
           {[](AbDocument& d) { d.b.command->prepare = "sleep 1"; }, "b.command.prepare: is not"},
           {[](AbDocument& d) { d.b.command.reset(); }, "b.command: is missing"},
           {[](AbDocument& d) { d.b.label = "best"; }, "b.label: is not"},
           {[](AbDocument& d) { d.run.commands->any_exit_code = true; },
            "run.commands.any_exit_code: is not"},
           {[](AbDocument& d) { d.run.commands->layouts = 4; }, "run.commands.layouts: is not"},
           {[](AbDocument& d) { d.settings.outputs_may_differ = true; }, "settings.outputs_may_differ: is"},
           {[](AbDocument& d) { d.settings.policy.alpha = 0.4; }, "settings.alpha: is not"},
           {[](AbDocument& d) { d.settings.outcomes[0].unit = "s"; }, "settings.outcomes.cpu_ms: is not"},
           {[](AbDocument& d) { d.run.commands.reset(); }, "run.commands: is not"}}) {
    document = good;
    lie(document);
    EXPECT_THAT(findings(), HasSubstr(finding));
  }
}

TEST_F(AbCommands, MetricsAreTheRegistrysWithTheMarginsAskedFor) {
  for (const char* const word : {"--metric", "accuracy_rmse_mm", "--metric", "fscore_2mm_pct", "--margin",
                                 "2%", "--margin", "fscore_2mm_pct=0.5"})
    journal.header.arguments.emplace_back(word);
  const AbOutcome rmse{
      .name = "accuracy_rmse_mm", .kind = AbOutcome::Kind::metric, .unit = "mm", .margin = 0.02};
  const AbOutcome f1{.name = "fscore_2mm_pct",
                     .kind = AbOutcome::Kind::metric,
                     .unit = "%",
                     .better = Better::higher,
                     .margin = 0.5,
                     .margin_absolute = true};
  const auto said = [&](const AbOutcome& first, const AbOutcome& second) {
    document.settings.outcomes = {first, second};
    write_ab_commands(folder.path(), document.run, journal.header.arguments, judge_ab(document).exit_code());
    return findings();
  };
  document.run.paired_over = "seeds";
  EXPECT_EQ(said(rmse, f1), "");
  EXPECT_THAT(said(f1, rmse), HasSubstr("settings.outcomes: is not what was asked for"));
  AbOutcome lie = rmse;
  lie.better = Better::higher;
  EXPECT_THAT(said(lie, f1), HasSubstr("accuracy_rmse_mm: is not the registry's"));
  lie = rmse;
  lie.unit = "um";
  EXPECT_THAT(said(lie, f1), HasSubstr("accuracy_rmse_mm: is not the registry's"));
  lie = f1;
  lie.margin = 100;
  EXPECT_THAT(said(rmse, lie), HasSubstr("fscore_2mm_pct.margin: is not what was asked for"));
  document.run.paired_over = "runs";
  EXPECT_THAT(said(rmse, f1), HasSubstr("run.paired_over: is not"));
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
