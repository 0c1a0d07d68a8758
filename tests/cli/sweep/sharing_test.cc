// Sweeps by several processes from outside: the bundle of one process, by --local, by run-case and collect,
// from shards; the progress.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "tests/cli/program.h"
#include "tests/cli/sweep/same_bundle.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::Arguments;
using testing::exits;
using testing::expect_mistake;
using testing::expect_refused;
using testing::expect_same_bundle;
using ::testing::HasSubstr;
using testing::kFourCases;
using testing::only_bundle;
using testing::run_line;
using testing::run_program;
using testing::succeeded;
using testing::TemporaryDir;
using testing::with;
using testing::words;

TEST(SharedSweepCommand, HasTheBundleOfASweepByOneProcess) {
  const TemporaryDir dir;
  succeeded(run_program(with(kFourCases, {"--out", dir / "alone"})));
  succeeded(run_program(with(kFourCases, words("--out {} --local 2", dir / "shared"))));
  const fs::path bundle = only_bundle(dir / "shared");
  expect_same_bundle(bundle, only_bundle(dir / "alone"));
  EXPECT_FALSE(fs::exists(bundle.string() + ".tasks"));
  EXPECT_THAT(read_file(bundle / "notes.txt"), HasSubstr(" ran 4 cases"));
  const auto status = nlohmann::json::parse(run_line("status {} --json", bundle).out);
  EXPECT_EQ(status.at("done"), 4);
  EXPECT_EQ(status.at("cases"), 4);
  EXPECT_EQ(status.at("state"), "ended");
}

TEST(SharedSweepCommand, InterruptedBeforeACaseHasEndedItIsABundleToo) {
  const TemporaryDir dir;
  const auto begun = [&] {  // the bundle, once its processes start; its tasks lie beside it
    for (const auto& entry : fs::directory_iterator(dir / "out"))
      if (fs::exists(entry.path() / "bench.log")) return entry.path();
    return fs::path();
  };
  fs::create_directory(dir / "out");
  testing::ProgramOptions interrupt;
  interrupt.interrupt_when = [&] { return !begun().empty(); };
  exits(
      run_program(words("sweep --scene flat_plane --method roma_like --inject noise=hang --local 2 --out {}",
                        dir / "out"),
                  interrupt),
      130);
  succeeded(run_program({"verify", begun().string()}));
}

TEST(SharedSweepCommand, RefusesWhatDoesNotFit) {
  for (const char* const wrong :
       {"sweep --local 0", "sweep --local 2 --slurm", "sweep --wait", "sweep --own-nodes",
        "sweep --workload absorption --slurm", "sweep --local 2 --shard 1/2",
        "sweep --workload absorption --local 2", "sweep --plan p.json --resume b",
        "sweep --plan p.json --gate", "sweep --plan p.json --local 2"})
    EXPECT_EQ(run_program(words(wrong)).exit_code, 2) << wrong;
  for (const char* const removed :
       {"work out/x", "sweep --local 2 --lease 5", "sweep --slurm --unlike-nodes"})
    expect_mistake(run_program(words(removed)), "was removed: ");
  // Flags that tasks of a job would ignore, and results that would be unusable.
  const TemporaryDir dir;
  for (const Arguments& wrong : {Arguments{"--json"}, {"--baseline", dir / "nowhere.json"}}) {
    const auto refused = run_program(
        with(words("sweep --scene flat_plane --method roma_like --slurm --out {}", dir / "out"), wrong));
    EXPECT_EQ(refused.exit_code, 2) << wrong[0];
    EXPECT_THAT(refused.err,
                HasSubstr(wrong.size() == 1 ? wrong[0] + ": not supported with --slurm" : wrong[1]));
    EXPECT_FALSE(fs::exists(dir / "out")) << wrong[0];
  }
}

TEST(RunCase, AndCollectGiveTheBundleOfOneProcess) {
  const TemporaryDir dir;
  const std::string plan = dir / "plan.json", one = dir / "one", two = dir / "two", bundle = dir / "bundle";
  succeeded(run_program(with(kFourCases, {"--out", dir / "alone"})));
  succeeded(run_program(with(kFourCases, {"--plan", plan})));
  const std::string listed = succeeded(run_line("run-case {}", plan)).out;
  EXPECT_THAT(listed, HasSubstr("3 flat_plane/roma_like/seed=44"));
  succeeded(run_line("run-case {} 2-3 --out {}", plan, one));
  succeeded(run_line("run-case {} flat_plane/roma_like/seed=42 --out {}", plan, two));
  const auto missing = exits(run_line("collect {} {} {} --out {}", plan, one, two, bundle), 3);
  EXPECT_THAT(missing.err,
              AllOf(HasSubstr("1 of 4 cases without a result"), HasSubstr("4 flat_plane/roma_like/seed=45")));
  EXPECT_FALSE(fs::exists(bundle));
  EXPECT_THAT(succeeded(run_line("run-case {} --shard 2/2 --out {}", plan, one)).out,
              HasSubstr("ran 1 case, 1 case had a result already"));
  const auto status =
      nlohmann::json::parse(succeeded(run_line("status {} {} {} --json", plan, one, two)).out);
  EXPECT_EQ(status.at("done"), 4);
  EXPECT_EQ(status.at("cases"), 4);
  succeeded(run_line("collect {} {} {} --out {} --note mine", plan, one, two, bundle));
  EXPECT_THAT(read_file(fs::path(bundle) / "notes.txt"), HasSubstr("mine"));
  expect_same_bundle(bundle, only_bundle(dir / "alone"));
  exits(run_line("collect {} {} {} --out {}", plan, one, two, bundle), 2);  // it is there
}

TEST(RunCase, RefusesWhatDoesNotFit) {
  const TemporaryDir dir;
  const std::string plan = dir / "plan.json", out = dir / "out";
  succeeded(run_program(with(kFourCases, {"--plan", plan})));
  for (const char* const wrong : {"0", "5", "3-2", "1-5", "-3", "seed=42"})
    EXPECT_EQ(run_line("run-case {} {} --out {}", plan, std::string(wrong), out).exit_code, 2) << wrong;
  expect_refused(run_line("run-case {} 1 --out .", plan), "contains this folder");
  EXPECT_EQ(run_line("run-case {} 1 --out {}", dir / "none.json", out).exit_code, 2);
  // Results of another plan.
  const std::string other = dir / "other.json";
  succeeded(run_line("sweep --scene flat_plane --method roma_like --plan {}", other));
  succeeded(run_line("run-case {} 1 --out {}", other, out));
  EXPECT_THAT(exits(run_line("run-case {} 1 --out {}", plan, out), 4).err,
              HasSubstr("belongs to another plan"));
  EXPECT_THAT(exits(run_line("collect {} {} --out {}", plan, out, dir / "b"), 4).err,
              HasSubstr("belongs to another plan"));
  // A clock.
  const std::string timed = dir / "timed.json";
  succeeded(
      run_line("sweep --workload absorption --set absorption.size=64 --repetitions 2 --plan {}", timed));
  EXPECT_THAT(exits(run_line("run-case {} 1 --out {}", timed, dir / "t"), 2).err, HasSubstr("--own-machine"));
  succeeded(run_line("run-case {} 1 --out {} --own-machine", timed, dir / "t"));
  succeeded(run_line("collect {} {} --out {}", timed, dir / "t", dir / "timed"));
}

// A failed case has a result, too, and the gate decides as in a sweep.
TEST(RunCase, AFailedCaseIsAResultAndTheGateDecides) {
  const TemporaryDir dir;
  const std::string plan = dir / "plan.json", out = dir / "out", baseline = dir / "base.json";
  succeeded(run_program(with(kFourCases, {"--out", dir / "alone"})));
  succeeded(run_line("accept {} --baseline {}", only_bundle(dir / "alone"), baseline));
  succeeded(run_program(with(kFourCases, words("--plan {} --inject *=43:noise=throw", plan))));
  EXPECT_THAT(succeeded(run_line("run-case {} 1-4 --out {}", plan, out)).err, HasSubstr("seed=43: failed"));
  exits(run_line("collect {} {} --out {}", plan, out, dir / "b1"), 3);
  succeeded(run_program(with(kFourCases, words("--plan {} --inject noise=corrupt", plan))));
  succeeded(run_line("run-case {} 1-4 --out {}", plan, dir / "worse"));
  exits(run_line("collect {} {} --out {} --baseline {} --gate", plan, dir / "worse", dir / "b2", baseline),
        1);
}

// The commands of a plan that someone else wrote.
TEST(RunCase, AsksBeforeItRunsCommandsOfOthers) {
  const TemporaryDir dir;
  const std::string plan = dir / "plan.json";
  testing::write_program(fs::path(dir / "mine.sh"), testing::shell_plane("cloud.ply", "1.178"));
  succeeded(run_line("sweep --scene flat_plane --method external --set external.command={} --plan {}",
                     (dir / "mine.sh").string() + " x {output}", plan));
  ::setenv("XDG_STATE_HOME", (dir / "state").c_str(), 1);
  EXPECT_THAT(exits(run_line("run-case {} 1 --out {}", plan, dir / "r"), 2).err,
              HasSubstr("--run-its-commands"));
  succeeded(run_line("run-case {} 1 --out {} --run-its-commands", plan, dir / "r"));
  ::unsetenv("XDG_STATE_HOME");
}

TEST(Merge, ShardsInAnyOrderGiveTheBundleOfOneProcess) {
  const TemporaryDir dir;
  const Arguments cases =
      words("sweep --scene flat_plane --method roma_like --set roma_like.points=500 --repeat 4");
  succeeded(run_program(with(cases, {"--out", dir / "alone"})));
  for (const char* const shard : {"3/3", "1/3", "2/3"})
    succeeded(run_program(with(cases, words("--shard {} --out {} --note hot", shard, dir / "shards"))));
  Arguments merge = words("merge --out {} --note mine", dir / "merged");
  for (const auto& shard : fs::directory_iterator(dir / "shards")) merge.push_back(shard.path());
  std::ranges::reverse(merge.begin() + 5, merge.end());
  succeeded(run_program(merge));
  const fs::path bundle = only_bundle(dir / "merged");
  expect_same_bundle(bundle, only_bundle(dir / "alone"));
  EXPECT_THAT(read_file(bundle / "notes.txt"),
              AllOf(HasSubstr(": hot"), HasSubstr("mine"), HasSubstr(" ran 2 cases")));
  EXPECT_THAT(read_file(bundle / "bench.log"), HasSubstr("== "));
}

TEST(Merge, RefusesWhatIsNotOneSweep) {
  const TemporaryDir dir;
  const auto shard = [&](const std::string& name, const std::string& part, const Arguments& more = {}) {
    succeeded(run_program(with(with(kFourCases, words("--shard {} --out {}", part, dir / name)), more)));
    return only_bundle(dir / name).string();
  };
  const std::string a = shard("a", "1/2"), b = shard("b", "2/2"), third = shard("c", "1/3");
  const std::string other = shard("d", "2/2", words("--seed 7"));
  const auto merged = [&](const Arguments& shards) {
    return run_program(with(words("merge --out {}", dir / "out"), shards));
  };
  EXPECT_THAT(exits(merged({a, a}), 2).err, HasSubstr("are both shard 1/2"));
  EXPECT_THAT(exits(merged({third, shard("e", "2/3")}), 2).err, HasSubstr("missing 3/3"));
  EXPECT_THAT(exits(merged({a, third}), 4).err, HasSubstr("are shards 1/2 and 1/3"));
  EXPECT_THAT(exits(merged({a, other}), 4).err, HasSubstr("different options"));
  EXPECT_THAT(exits(merged({a}), 2).err, HasSubstr("at least two"));
  expect_mistake(merged({a, dir / "absent"}), "no such file or folder");
  write_file(fs::path(b) / "bench.log", "another log\n");
  EXPECT_THAT(exits(merged({a, b}), 1).err, HasSubstr("bench.log"));
  EXPECT_FALSE(fs::exists(dir / "out"));
}

// The baseline that all shards were held against is that of the whole.
TEST(Merge, AFailedCaseAndTheGateDecideAsInASweep) {
  const TemporaryDir dir;
  const std::string baseline = dir / "base.json";
  succeeded(run_program(with(kFourCases, {"--out", dir / "alone"})));
  succeeded(run_line("accept {} --baseline {}", only_bundle(dir / "alone"), baseline));
  const auto merge = [&](const std::string& name, const std::string& fault, const Arguments& more) {
    Arguments words_of_merge = with(words("merge --out {}", dir / name), more);
    for (const char* const part : {"1/2", "2/2"}) {
      const std::string out = dir / (name + part[0]);
      run_program(with(kFourCases,
                       words("--shard {} --out {} --baseline {} --inject {}", part, out, baseline, fault)));
      words_of_merge.push_back(only_bundle(out));
    }
    return run_program(words_of_merge);
  };
  EXPECT_THAT(exits(merge("failed", "*=43:noise=throw", {}), 3).out, HasSubstr("seed=43"));
  EXPECT_EQ(read_file(only_bundle(dir / "failed") / "baseline.json"), read_file(baseline));
  exits(merge("worse", "noise=corrupt", words("--gate --baseline {}", baseline)), 1);
}

}  // namespace
}  // namespace aqbench::cli
