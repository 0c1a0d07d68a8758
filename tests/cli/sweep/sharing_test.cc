// Sweeps by several processes from outside: the bundle of one process, by --local, by run-case and collect,
// by the engines of others with killed tasks; the Slurm commands, the progress.

#include "cli/sweep/sharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::Arguments;
using ::testing::Contains;
using ::testing::Each;
using testing::exits;
using testing::expect_mistake;
using testing::expect_refused;
using ::testing::HasSubstr;
using testing::json_file;
using ::testing::Not;
using testing::only_bundle;
using testing::run_line;
using testing::run_program;
using testing::succeeded;
using testing::TemporaryDir;
using testing::with;
using testing::words;

const Arguments kFourCases =
    words("sweep --scene flat_plane --method roma_like --set roma_like.points=500 --repeat 4 --threads 1");

std::string digest_line(const fs::path& bundle) {
  const std::string text = succeeded(run_line("verify {}", bundle)).out;
  const std::size_t at = text.find("metrics digest");
  return at == std::string::npos ? "no digest in: " + text : text.substr(at, text.find('\n', at) - at);
}

// The names of all files of a bundle.
std::vector<std::string> files_of(const fs::path& bundle) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(bundle))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(bundle).string());
  std::ranges::sort(names);
  return names;
}

// Expects the same metrics, options, files of cases and 3D views.
void expect_same_bundle(const fs::path& bundle, const fs::path& expected) {
  EXPECT_EQ(digest_line(bundle), digest_line(expected));
  std::vector<std::string> files = files_of(bundle);
  std::erase(files, "notes.txt");
  EXPECT_EQ(files, files_of(expected));
  EXPECT_THAT(files, Contains(HasSubstr("viewer/")));
  for (const std::string& name : files)
    if (name.starts_with("viewer/") || name.starts_with("tiles/")) {
      EXPECT_EQ(read_file(bundle / name), read_file(expected / name)) << name;
    }
  const auto run = json_file(bundle / "results.json").at("run"),
             alone = json_file(expected / "results.json").at("run");
  for (const char* const key : {"requested", "effective", "plan_sha256", "planned_cases", "complete"})
    EXPECT_EQ(run.at(key), alone.at(key)) << key;
}

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

// ---- Engines ----

bool has_program(const char* name) {
  return std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0;
}

// Runs the file that `init --engine` writes; a third of the processes are killed at a random moment, each
// case at most once.
void expect_engine_loses_nothing(const std::string& engine, const std::string& command) {
  const TemporaryDir dir;
  const Arguments cases =
      words("sweep --scene flat_plane --method roma_like --set roma_like.points=50 --repeat 40 --threads 1");
  succeeded(run_program(with(cases, {"--out", dir / "alone"})));
  const testing::ProgramOptions here{.working_dir = fs::path(dir / "work")};
  fs::create_directories(dir / "work/bin");
  succeeded(run_program(with(cases, {"--plan", "plan.json"}), here));
  succeeded(run_program(words("init --engine {}", engine), here));
  expect_mistake(run_program(words("init --engine {}", engine), here), "exists and is left unchanged");
  testing::write_program(
      fs::path(dir / "work/bin/aqbench"),
      "#!/bin/sh\n"
      "random() { od -An -N1 -tu1 /dev/urandom | tr -d ' '; }\n"
      "if [ \"$1\" = run-case ] && [ $# -gt 2 ] && [ $(random) -lt 85 ] && mkdir \"killed.$3\"; "
      "then exec timeout -s KILL 0.$(random) " AQBENCH_BINARY
      " \"$@\"; fi\n"
      "exec " AQBENCH_BINARY " \"$@\"\n");
  const std::string line = "cd '" + (dir / "work").string() +
                           "' && export HOME=$PWD PATH=$PWD/bin:$PATH && { " + command + "; } >log 2>&1";
  ASSERT_EQ(std::system(line.c_str()), 0) << read_file(fs::path(dir / "work/log"));
  expect_same_bundle(dir / "work/bundle", only_bundle(dir / "alone"));
}

TEST(Engines, GnuParallelLosesNoCaseOfKilledProcesses) {
  if (!has_program("parallel")) GTEST_SKIP() << "GNU parallel is not installed";
  expect_engine_loses_nothing("parallel", "sh cases_parallel.sh");
}

TEST(Engines, SnakemakeLosesNoCaseOfKilledProcesses) {
  if (!has_program("snakemake")) GTEST_SKIP() << "Snakemake is not installed";
  expect_engine_loses_nothing("snakemake", "snakemake -q --cores 2 --restart-times 3");
}

TEST(Slurm, GetsTheUsersOptions) {
  ShareRequest share;
  share.slurm = true;
  share.array_size = 8;
  share.sbatch_arguments = {"--partition=long", "--mem=8G"};
  const SlurmJobs jobs{"/shared/out/run 1", {"--note", "it's"}, {"--keep-clouds"}, true, 12};
  const auto array = array_command(jobs, share);
  EXPECT_THAT(array,
              AllOf(Contains("--array=1-8"), Contains("--partition=long"), Contains("--mem=8G"),
                    Contains("--requeue"), Contains("--output=/shared/out/run 1.tasks/slurm-%A_%a.log")));
  EXPECT_THAT(array.back(),
              AllOf(HasSubstr("run-case '/shared/out/run 1.tasks/plan.json' --out '/shared/out/run 1.tasks'"),
                    HasSubstr("--keep-clouds --run-its-commands --shard $SLURM_ARRAY_TASK_ID/8")));
  EXPECT_THAT(array, Not(Contains("--exclusive")));
  const auto merge = merge_command(jobs, share, "77");
  EXPECT_THAT(merge, Contains("--dependency=afterany:77"));
  EXPECT_THAT(merge, Not(Contains("--array=1-8")));
  EXPECT_THAT(merge.back(), AllOf(HasSubstr("sweep --resume '/shared/out/run 1' --note"), HasSubstr("it")));
}

TEST(Slurm, GivesTimedCasesNodesOfTheirOwn) {
  ShareRequest share;
  share.slurm = share.own_nodes = true;
  const SlurmJobs jobs{"/shared/out/run", {}, {}, false, 12};
  EXPECT_THAT(array_command(jobs, share), Contains("--exclusive"));
  EXPECT_THAT(array_command(jobs, share).back(), HasSubstr("--own-machine"));
  EXPECT_THAT(merge_command(jobs, share, "77"), Contains("--exclusive"));
}

}  // namespace
}  // namespace aqbench::cli
