// What aqbench is told to judge or to validate, against what its bundle says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "harness/ab/pair_journal.h"
#include "reports/bundle/ab_command_check.h"
#include "reports/bundle/verify.h"
#include "tests/harness/ab/documents.h"
#include "tests/reports/bundle/ab_commands.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

// A comparison that was measured before and is judged alone: there is no journal.
struct AbJudged : ::testing::Test {
  void SetUp() override {
    document = document_of(timed_samples(20, 1.0));
    document.run = {};
    document.run.id = "20261121T120000Z";
    document.run.started_utc = document.run.finished_utc = "2026-11-21T12:00:00Z";
    document.run.samples_file = "lab/samples.json";
    document.a = {};
    document.b = {};
    document.a.label = "a";
    document.b.label = "b";
    for (AbUnit& unit : document.samples.units) {
      unit.output_sha256.clear();
      unit.cold_ms.reset();
      unit.stages.clear();
    }
    arguments = {"--samples", "lab/samples.json", "--out", "out"};
  }
  std::string said() {
    write_ab_commands(folder.path(), document.run, arguments, judge_ab(document).exit_code());
    std::string text = read_file(folder / kCommandsFile);
    write_file(folder / kCommandsFile, text.replace(text.find("1799.000"), 8, "0.100"));
    const AbClaims claims{&document.run, &document, judge_ab(document).exit_code(), 10, nullptr};
    std::string all;
    for (const Finding& finding : check_ab_commands(folder.path(), claims))
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }
  TemporaryDirectory folder;
  AbDocument document;
  std::vector<std::string> arguments;
};

TEST_F(AbJudged, IsWhatTheCommandNames) {
  EXPECT_EQ(said(), "");
  arguments.insert(arguments.end(), {"--tau", "3%", "--alpha=0.05", "--pairs", "7", "--repetitions", "9"});
  document.settings.policy.tau = 0.03;
  document.settings.policy.alpha = 0.05;
  EXPECT_EQ(said(), "") << "pairs and runs are those of the file";
  arguments[1] = "mine.json";
  EXPECT_THAT(said(), HasSubstr("run.samples_file: is not what was asked for"));
  arguments = {"--method-a", "x", "--method-b", "y", "--tau", "3%", "--alpha=0.05"};
  EXPECT_THAT(said(), HasSubstr("run.samples_file: is not what was asked for"));
}

TEST_F(AbJudged, HasNothingThatWasNotInTheFile) {
  const AbDocument good = document;
  for (const auto& [lie, finding] : std::initializer_list<std::pair<void (*)(AbDocument&), const char*>>{
           {[](AbDocument& d) { d.settings.policy.tau = 0.04; }, "settings.tau: is not what was asked for"},
           {[](AbDocument& d) { d.settings.policy.alpha = 0.2; },
            "settings.alpha: is not what was asked for"},
           {[](AbDocument& d) { d.settings.confirm = true; }, "settings.confirm: is not"},
           {[](AbDocument& d) { d.settings.wall_time = false; }, "settings.wall_time: is not"},
           {[](AbDocument& d) { d.settings.outputs_may_differ = true; },
            "settings.outputs_may_differ: is not"},
           {[](AbDocument& d) { d.a.label = "release"; }, "a: is not what was asked for"},
           {[](AbDocument& d) { d.b.build.version = "9"; }, "b: is not what was asked for"},
           {[](AbDocument& d) { d.run.exec = true; }, "run: is not what was asked for"},
           {[](AbDocument& d) { d.run.warm_runs = 77; }, "run: is not what was asked for"},
           {[](AbDocument& d) { d.notes = {"certified"}; }, "notes: is not what was asked for"},
           {[](AbDocument& d) {
              d.environment = Json{{"cpu", "Cray-1"}};
            },
            "environment: is not"},
           {[](AbDocument& d) { d.samples.units[0].cold_ms = 3; }, "samples.units: hold more"},
           {[](AbDocument& d) {
              d.samples.outputs = {{0, AbSide::a, "", {}}};
            },
            "samples.outputs: is not"}}) {
    document = good;
    lie(document);
    EXPECT_THAT(said(), HasSubstr(finding));
  }
}

TEST_F(AbJudged, MayBeTwoBundles) {
  arguments = {"--bundle-a", "x/1", "--bundle-b", "y/2", "--metric", "accuracy_rmse_mm", "--out", "out"};
  document.run.samples_file = "x/1 and y/2";
  document.run.paired_over = "seeds";
  document.settings.wall_time = false;
  document.settings.outcomes = {
      {.name = "accuracy_rmse_mm", .kind = AbOutcome::Kind::metric, .unit = "mm", .margin = 0.05}};
  document.a.label = "x/1 (20261121T120000Z, roma_like)";
  document.b.label = "y/2 (20261121T120001Z, mine)";
  for (AbUnit& unit : document.samples.units) {
    unit.warm_ms.clear();
    unit.output_sha256 = "same";
    unit.outcomes = {{"accuracy_rmse_mm", {1.0}}};
  }
  EXPECT_EQ(said(), "");
  document.a.label = "z/3 (20261121T120000Z)";
  EXPECT_THAT(said(), HasSubstr("a: is not what was asked for"));
}

TEST_F(AbJudged, IsJudgedSoonBeforeItsCommandIsTold) {
  EXPECT_EQ(said(), "");
  AbClaims claims{&document.run, &document, judge_ab(document).exit_code()};
  document.run.started_utc = document.run.finished_utc = "2026-11-21T10:00:00Z";
  EXPECT_TRUE(check_ab_commands(folder.path(), claims).empty()) << "judging took two hours";
  for (const char* const utc : {"2040-01-01T00:00:00Z", "1990-01-01T00:00:00Z"}) {
    document.run.started_utc = document.run.finished_utc = utc;
    const auto findings = check_ab_commands(folder.path(), claims);
    ASSERT_EQ(findings.size(), 1u) << utc;
    EXPECT_EQ(findings[0].what, "begins at another time than the run");
  }
}

struct AaCommands : ::testing::Test {
  void SetUp() override {
    validation.run.started_utc = "2026-11-21T12:00:00Z";
    validation.run.finished_utc = "2026-11-21T12:30:00Z";
    validation.run.warm_runs = 10;
    validation.policy.looks = 3;
    validation.plan.live_runs = 2;
    validation.plan.live_pairs_per_look = 20;
    validation.plan.live_settings.policy.looks = 3;
    validation.program.label = "this program";
    journal.header.arguments = {"--live", "2", "--threads", "1"};
  }
  std::string said() {
    write_ab_commands(folder.path(), validation.run, journal.header.arguments, ExitCode::pass);
    const AbClaims claims{&validation.run, nullptr, ExitCode::pass, 10, &journal, &validation};
    std::string all;
    for (const Finding& finding : check_ab_commands(folder.path(), claims))
      all += finding.file + ": " + finding.what + "\n";
    return all;
  }
  TemporaryDirectory folder;
  AaValidationDocument validation;
  PairJournalContents journal;
};

TEST_F(AaCommands, SayWhatIsValidated) {
  EXPECT_EQ(said(), "");
  const AaValidationDocument good = validation;
  for (const auto& [lie, finding] :
       std::initializer_list<std::pair<void (*)(AaValidationDocument&), const char*>>{
           {[](AaValidationDocument& d) { d.plan.live_runs = 1; },
            "calibration.json: plan.live_runs: is not"},
           {[](AaValidationDocument& d) { d.plan.pairs = 600; }, "plan.pairs: is not"},
           {[](AaValidationDocument& d) { d.plan.live_settings.policy.tau = 0.049; },
            "plan.live_settings.tau: is not"},
           {[](AaValidationDocument& d) { d.plan.live_settings.policy.seed = 7; },
            "plan.live_settings.seed: is not"},
           {[](AaValidationDocument& d) { d.plan.live_settings.confirm = false; },
            "plan.live_settings.confirm: is not"},
           {[](AaValidationDocument& d) { d.plan.live_settings.wall_time = false; },
            "plan.live_settings: is not"},
           {[](AaValidationDocument& d) { d.policy.alpha = 0.2; }, "settings.alpha: is not"},
           {[](AaValidationDocument& d) { d.draws = 100000; }, "suites: is not"},
           {[](AaValidationDocument& d) { d.pairs_per_draw = 80; }, "pairs_per_suite: is not"},
           {[](AaValidationDocument& d) { d.run.warm_runs = 9; }, "run.warm_runs: is not"},
           {[](AaValidationDocument& d) { d.run.exec = true; }, "run.exec: is not"},
           {[](AaValidationDocument& d) { d.program.label = "release"; }, "program: is not"}}) {
    validation = good;
    lie(validation);
    EXPECT_THAT(said(), HasSubstr(finding));
  }
  validation = good;
  journal.header.arguments = {"--live", "50", "--policy", "gate"};
  EXPECT_THAT(said(), HasSubstr("plan.live_runs: is not"));
  journal.header.arguments = {"--method-a", "x", "--method-b", "y"};
  EXPECT_THAT(said(), HasSubstr("commands.txt: asks for something else"));
}

TEST_F(AaCommands, OfACalibrationHaveOneLook) {
  journal.header.arguments = {"--calibrate", "--live=2", "--metric", "accuracy_rmse_mm", "--no-confirm"};
  validation.outcomes = {
      {.name = "accuracy_rmse_mm", .kind = AbOutcome::Kind::metric, .unit = "mm", .margin = 0.05}};
  validation.policy.looks = 1;
  validation.plan.pairs = 240;
  validation.run.warm_runs = 0;
  validation.plan.live_settings.confirm = false;
  validation.pairs_per_draw = 20;
  EXPECT_EQ(said(), "");
  journal.header.arguments = {"--calibrate", "--live=2", "--pairs",     "300",
                              "--suites",    "+500",     "--no-confirm"};
  validation.outcomes.clear();
  validation.plan.pairs = 300;
  validation.run.warm_runs = 10;
  validation.plan.delayed_pairs = 160;
  validation.pairs_per_draw = 40;
  validation.draws = 500;
  EXPECT_EQ(said(), "");
  validation.plan.delayed_pairs = 130;
  EXPECT_THAT(said(), HasSubstr("plan.delayed_pairs: is not what was asked for"));
}

TEST(AbJudgedNothing, WhatAKillLeftSaysHowToGoOn) {
  const TemporaryDirectory killed;
  killed.file("commands.txt", "aqbench ab\n");
  { PairJournal journal = PairJournal::create(killed.path(), {}); }
  const VerifyReport report = verify_bundle(killed.path());
  ASSERT_EQ(report.findings.size(), 1u) << render_verify(report);
  EXPECT_EQ(report.findings[0].file, kPairJournalFile);
  EXPECT_THAT(report.findings[0].what, HasSubstr("did not end; go on with: aqbench ab --resume "));
}

}  // namespace
}  // namespace aqbench
