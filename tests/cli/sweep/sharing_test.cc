// Shared sweeps from outside: the same metrics as one process, the Slurm commands, the progress.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/sweep/sharing.h"
#include "core/files.h"
#include "tests/cli/program.h"

namespace aqbench::cli {
namespace {

using ::testing::AllOf;
using testing::Arguments;
using ::testing::Contains;
using testing::exits;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::only_bundle;
using testing::run_program;
using testing::succeeded;
using testing::TemporaryDir;
using testing::with;
using testing::words;

std::string digest_line(const std::filesystem::path& out) {
  const std::string text = run_program({"verify", only_bundle(out).string()}).out;
  const std::size_t at = text.find("metrics digest");
  return at == std::string::npos ? "no digest in: " + text : text.substr(at, text.find('\n', at) - at);
}

TEST(SharedSweepCommand, HasTheMetricsOfASweepByOneProcess) {
  const TemporaryDir dir;
  const Arguments cases =
      words("sweep --scene flat_plane --method roma_like --set roma_like.points=500 --repeat 4");
  succeeded(run_program(with(cases, {"--out", dir / "alone"})));
  succeeded(run_program(with(cases, words("--out {} --local 2", dir / "shared"))));
  EXPECT_EQ(digest_line(dir / "alone"), digest_line(dir / "shared"));

  const std::filesystem::path bundle = only_bundle(dir / "shared");
  succeeded(run_program({"verify", bundle.string()}));
  EXPECT_FALSE(std::filesystem::exists(bundle.string() + ".tasks"));
  EXPECT_THAT(read_file(bundle / "bench.log"), HasSubstr(", process "));
  const auto status = nlohmann::json::parse(run_program({"status", bundle.string(), "--json"}).out);
  EXPECT_EQ(status.at("done"), 4);
  EXPECT_EQ(status.at("cases"), 4);
  EXPECT_EQ(status.at("shared"), false);
  EXPECT_THAT(run_program({"work", bundle.string()}).out, HasSubstr("nothing is shared"));
}

TEST(SharedSweepCommand, InterruptedBeforeACaseHasEndedItIsABundleToo) {
  const TemporaryDir dir;
  const auto begun = [&] {  // the bundle, once its processes start; its tasks lie beside it
    for (const auto& entry : std::filesystem::directory_iterator(dir / "out"))
      if (std::filesystem::exists(entry.path() / "bench.log")) return entry.path();
    return std::filesystem::path();
  };
  std::filesystem::create_directory(dir / "out");
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
        "sweep --unlike-nodes", "sweep --workload absorption --slurm", "sweep --local 2 --shard 1/2",
        "sweep --workload absorption --local 2", "sweep --lease -1"})
    EXPECT_EQ(run_program(words(wrong)).exit_code, 2) << wrong;
  // Flags that tasks of a job would ignore, and results that would be unusable.
  const TemporaryDir dir;
  for (const Arguments& wrong :
       {Arguments{"--keep-clouds"}, {"--json"}, {"--baseline", dir / "nowhere.json"}}) {
    const auto refused = run_program(
        with(words("sweep --scene flat_plane --method roma_like --slurm --out {}", dir / "out"), wrong));
    EXPECT_EQ(refused.exit_code, 2) << wrong[0];
    EXPECT_THAT(refused.err,
                HasSubstr(wrong.size() == 1 ? wrong[0] + ": not supported with --slurm" : wrong[1]));
    EXPECT_FALSE(std::filesystem::exists(dir / "out")) << wrong[0];
  }
}

TEST(Slurm, GetsTheUsersOptions) {
  ShareRequest share;
  share.slurm = true;
  share.array_size = 8;
  share.partition = "long";
  share.sbatch_arguments = {"--mem=8G"};
  const SlurmJobs jobs{"/shared/out/run 1", {"--note", "it's"}, true, 12};
  const auto array = array_command(jobs, share);
  EXPECT_THAT(array, AllOf(Contains("--array=1-8"), Contains("--partition=long"), Contains("--mem=8G"),
                           Contains("--output=/shared/out/run 1.tasks/slurm-%A_%a.log")));
  EXPECT_THAT(array.back(), AllOf(HasSubstr("work '/shared/out/run 1'"), HasSubstr("--run-its-commands")));
  EXPECT_THAT(array, Not(Contains("--exclusive")));
  const auto merge = merge_command(jobs, share, "77");
  EXPECT_THAT(merge, Contains("--dependency=afterany:77"));
  EXPECT_THAT(merge, Not(Contains("--array=1-8")));
  EXPECT_THAT(merge.back(),
              AllOf(HasSubstr("sweep --resume '/shared/out/run 1' --local 1"), HasSubstr("--note")));
}

TEST(Slurm, GivesTimedCasesNodesOfTheirOwn) {
  ShareRequest share;
  share.slurm = share.own_nodes = share.unlike_nodes = true;
  const SlurmJobs jobs{"/shared/out/run", {}, false, 12};
  EXPECT_THAT(array_command(jobs, share), Contains("--exclusive"));
  EXPECT_THAT(array_command(jobs, share).back(), HasSubstr("--unlike-nodes"));
  EXPECT_THAT(merge_command(jobs, share, "77"), Contains("--exclusive"));
  EXPECT_THAT(merge_command(jobs, share, "77").back(), HasSubstr("--unlike-nodes"));
}

}  // namespace
}  // namespace aqbench::cli
