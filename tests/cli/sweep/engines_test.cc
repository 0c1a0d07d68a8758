// Sweeps by the engines of others: killed tasks, the jobs of Slurm, the resources that methods declare.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/sweep/sharing.h"
#include "core/files.h"
#include "tests/cli/program.h"
#include "tests/cli/sweep/same_bundle.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::Arguments;
using ::testing::Contains;
using testing::exits;
using testing::expect_mistake;
using testing::expect_same_bundle;
using ::testing::HasSubstr;
using testing::json_file;
using testing::kFourCases;
using ::testing::Not;
using testing::only_bundle;
using testing::run_line;
using testing::run_program;
using testing::succeeded;
using testing::TemporaryDir;
using testing::with;
using testing::words;

// Stands for Slurm: runs jobs at once, and a dependent one only if a task died. Tasks whose numbers are in
// the file `deaths` beside it die, each as often as it stands there.
constexpr const char* kSbatch = R"sh(#!/bin/sh
here=${0%/*}
echo "$*" >>"$here/calls"
id=$((100 + $(wc -l <"$here/calls")))
array= wrap= after=
for word in "$@"; do
  case $word in
    --array=1-*) array=${word#--array=1-} ;;
    --wrap=*) wrap=${word#--wrap=} ;;
    --dependency=afternotok:*) after=${word#--dependency=afternotok:} ;;
  esac
done
echo $id
if [ -n "$after" ] && [ ! -e "$here/failed.$after" ]; then exit 0; fi
if [ -z "$array" ]; then sh -c "$wrap" >&2; exit; fi
for task in $(seq "$array"); do
  if [ "$(head -n 1 "$here/deaths" 2>/dev/null)" = $task ]; then
    sed -i 1d "$here/deaths"
    touch "$here/failed.$id"
    continue
  fi
  SLURM_ARRAY_TASK_ID=$task sh -c "$wrap" >&2 || touch "$here/failed.$id"
done
)sh";

bool has_program(const char* name) {
  return std::system((std::string("command -v ") + name + " >/dev/null 2>&1").c_str()) == 0;
}

// Runs the file that `init --engine` writes; a third of the processes are killed at a random moment, each
// case at most once. AQBENCH_TEST_ENGINE_CASES=2000 runs so many cases instead of 40.
void expect_engine_loses_nothing(const std::string& engine, const std::string& command) {
  const TemporaryDir dir;
  const char* given = std::getenv("AQBENCH_TEST_ENGINE_CASES");
  const Arguments cases =
      words("sweep --scene flat_plane --method roma_like --set roma_like.points=50 --repeat {} --threads 1",
            given ? given : "40");
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
  testing::write_program(fs::path(dir / "work/bin/sbatch"), kSbatch);
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

TEST(Engines, SlurmLosesNoCaseOfAKilledTask) {
  expect_engine_loses_nothing("slurm", "TASKS=3 sh cases_slurm.sh");
}

// ---- Slurm ----

// PATH with programs of the test's own before all others.
class OwnPrograms {
 public:
  explicit OwnPrograms(fs::path dir) : dir_(std::move(dir)) {
    fs::create_directories(dir_);
    ::setenv("PATH", (dir_.string() + ":" + path_).c_str(), 1);
  }
  ~OwnPrograms() { ::setenv("PATH", path_.c_str(), 1); }
  OwnPrograms(const OwnPrograms&) = delete;
  OwnPrograms& operator=(const OwnPrograms&) = delete;
  const fs::path& dir() const { return dir_; }

 private:
  fs::path dir_;
  std::string path_ = std::getenv("PATH");
};

TEST(Slurm, RepeatsTheTasksThatDiedAndCollects) {
  const TemporaryDir dir;
  succeeded(run_program(with(kFourCases, {"--out", dir / "alone"})));
  const OwnPrograms programs(dir / "bin");
  testing::write_program(programs.dir() / "sbatch", kSbatch);
  const auto slurm = [&](const std::string& out, const std::string& deaths) {
    fs::remove(programs.dir() / "calls");
    write_file(programs.dir() / "deaths", deaths);
    return run_program(
        with(kFourCases, words("--slurm --array-size 3 --wait --note mine --out {}", dir / out)));
  };
  const auto calls = [&] {
    const std::string text = read_file(programs.dir() / "calls");
    return std::ranges::count(text, '\n');
  };
  succeeded(slurm("one", "2\n"));  // task 2 of the first array
  EXPECT_EQ(calls(), 3);
  expect_same_bundle(only_bundle(dir / "one"), only_bundle(dir / "alone"));
  EXPECT_THAT(read_file(only_bundle(dir / "one") / "notes.txt"), HasSubstr("mine"));

  // Two deaths of a task: its case is named, and nothing is written.
  const auto lost = exits(slurm("two", "3\n3\n"), 3);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("1 of 4 cases without a result"), HasSubstr("seed=44")));
  fs::path bundle;
  for (const auto& entry : fs::directory_iterator(dir / "two"))
    if (!entry.path().string().ends_with(".tasks")) bundle = entry.path();
  EXPECT_TRUE(fs::is_empty(bundle));
  const auto status = succeeded(run_line("status {}", bundle));
  EXPECT_THAT(status.out,
              AllOf(HasSubstr("3 of 4 cases done"), HasSubstr("aqbench collect " + bundle.string())));
  const std::string tasks = bundle.string() + ".tasks";
  succeeded(run_line("run-case {} --shard 1/1 --out {}", tasks + "/plan.json", tasks));
  succeeded(run_line("collect {} {} --out {}", tasks + "/plan.json", tasks, bundle));
  expect_same_bundle(bundle, only_bundle(dir / "alone"));
}

// A project whose method says what it needs.
void write_project(const fs::path& dir, const std::string& resources, const std::string& script) {
  fs::create_directories(dir);
  write_file(dir / "own.sh", script + testing::shell_plane("$1/cloud.ply", "1.178"));
  write_file(dir / "aqbench.json",
             R"({"version": 1, "methods": [{"name": "mine", "command": "/bin/sh own.sh {output}", )"
             R"("resources": )" +
                 resources + "}]}");
}

const Arguments kOwnCases = words("--scene flat_plane --method mine --repeat 4");
const Arguments kTwoOwnCases = words("--scene flat_plane --method mine --repeat 2");

TEST(Slurm, GetsTheResourcesOfMethods) {
  const TemporaryDir dir;
  write_project(dir / "p", R"({"gpus": 2, "memory_gib": 1.5, "minutes": 30, "threads": 3})", "");
  const testing::ProgramOptions here{.working_dir = fs::path(dir / "p")};
  const OwnPrograms programs(dir / "bin");
  testing::write_program(programs.dir() / "sbatch",
                         "#!/bin/sh\ncd \"${0%/*}\"; echo \"$*\" >>calls; echo 7\n");
  const auto slurm = [&](const Arguments& cases) {
    fs::remove(programs.dir() / "calls");
    succeeded(run_program(
        with(with(words("sweep --slurm --array-size 3 --partition long"), cases), {"--out", dir / "out"}),
        here));
    return read_file(programs.dir() / "calls");
  };
  const std::string calls = slurm(kOwnCases);
  const std::string array = calls.substr(0, calls.find('\n')),
                    collect = calls.substr(calls.rfind("--job-name"));
  // The fullest task has two cases.
  EXPECT_THAT(array, HasSubstr("--gres=gpu:2 --mem=1536M --cpus-per-task=3 --time=60 "));
  EXPECT_THAT(array, HasSubstr("--partition=long"));
  EXPECT_THAT(collect, AllOf(HasSubstr("--partition=long"), Not(HasSubstr("--gres"))));
  // A method without minutes: the time of a task is unknown.
  const std::string mixed = slurm(with(kOwnCases, words("--method roma_like --set roma_like.points=50")));
  EXPECT_THAT(mixed, AllOf(HasSubstr("--gres=gpu:2"), Not(HasSubstr("--time"))));
  EXPECT_THAT(slurm(words("--scene flat_plane --method roma_like --set roma_like.points=50 --threads 2")),
              AllOf(HasSubstr("--cpus-per-task=2"), Not(HasSubstr("--mem"))));
}

TEST(Slurm, GetsTheUsersOptions) {
  ShareRequest share;
  share.slurm = true;
  share.array_size = 8;
  share.sbatch_arguments = {"--partition=long", "--mem=8G"};
  const SlurmJobs jobs{"/shared/out/run 1", {"--note", "it's"}, {"--keep-clouds"}, true, 12,
                       {.memory_gib = 4}};
  const auto array = array_command(jobs, share);
  EXPECT_THAT(array,
              AllOf(Contains("--array=1-8"), Contains("--partition=long"), Contains("--mem=8G"),
                    Contains("--requeue"), Contains("--output=/shared/out/run 1.tasks/slurm-%A_%a.log")));
  // sbatch takes the last one: the user's.
  EXPECT_LT(std::ranges::find(array, "--mem=4096M"), std::ranges::find(array, "--mem=8G"));
  EXPECT_THAT(array.back(),
              AllOf(HasSubstr("run-case '/shared/out/run 1.tasks/plan.json' --out '/shared/out/run 1.tasks'"),
                    HasSubstr("--keep-clouds --run-its-commands --shard $SLURM_ARRAY_TASK_ID/8")));
  EXPECT_THAT(array, Not(Contains("--exclusive")));
  EXPECT_THAT(array_command(jobs, share, "77"),
              AllOf(Contains("--dependency=afternotok:77"), Contains("--kill-on-invalid-dep=yes")));
  const auto collect = collecting_command(jobs, share, "77:78");
  EXPECT_THAT(collect, Contains("--dependency=afterany:77:78"));
  EXPECT_THAT(collect, Not(Contains("--array=1-8")));
  EXPECT_THAT(collect.back(),
              AllOf(HasSubstr("collect '/shared/out/run 1.tasks/plan.json' '/shared/out/run 1.tasks' --out "
                              "'/shared/out/run 1' --note"),
                    HasSubstr("it")));
}

TEST(Slurm, GivesTimedCasesNodesOfTheirOwn) {
  ShareRequest share;
  share.slurm = share.own_nodes = true;
  const SlurmJobs jobs{"/shared/out/run", {}, {}, false, 12};
  EXPECT_THAT(array_command(jobs, share), Contains("--exclusive"));
  EXPECT_THAT(array_command(jobs, share).back(), HasSubstr("--own-machine"));
  EXPECT_THAT(collecting_command(jobs, share, "77"), Not(Contains("--exclusive")));
}

// ---- Resources ----

TEST(EngineFiles, ReserveTheResourcesOfMethods) {
  const TemporaryDir dir;
  write_project(dir.path(), R"({"gpus": 1, "memory_gib": 0.25, "minutes": 30, "threads": 3})", "");
  const testing::ProgramOptions here{.working_dir = dir.path()};
  const auto file_of = [&](const std::string& engine, const std::string& file) {
    succeeded(run_program(words("init --engine {}", engine), here));
    return read_file(dir / file);
  };
  EXPECT_THAT(file_of("snakemake", "Snakefile"),
              HasSubstr("    threads: 3\n    resources: mem_mb=256, runtime=30, gpu=1\n    shell:"));
  EXPECT_THAT(file_of("nextflow", "cases.nf"),
              HasSubstr("    cpus 3\n    memory '256 MB'\n    time '30m'\n    accelerator 1\n    input:"));
  EXPECT_THAT(file_of("slurm", "cases_slurm.sh"), HasSubstr(" --gres=gpu:1 --mem=256M --cpus-per-task=3 "));
  EXPECT_THAT(file_of("parallel", "cases_parallel.sh"), HasSubstr(" --memfree 256M --timeout 1800 "));
  // Those of the cases of plan.json, where it is there; without any the files have none.
  succeeded(run_program(words("sweep --scene flat_plane --method roma_like --plan plan.json"), here));
  for (const char* const file : {"Snakefile", "cases.nf", "cases_parallel.sh"}) fs::remove(dir / file);
  EXPECT_THAT(file_of("snakemake", "Snakefile"), Not(HasSubstr("threads:")));
  EXPECT_THAT(file_of("nextflow", "cases.nf"), Not(HasSubstr("cpus")));
  EXPECT_THAT(file_of("parallel", "cases_parallel.sh"), HasSubstr("--retries 3 aqbench run-case"));
}

// Two GPUs, of which each process of the method takes one.
constexpr const char* kNvidiaSmi = R"(#!/bin/sh
case "$*" in
  *query-gpu*) printf '0\n1\n' ;;
  *-L*) printf 'GPU 0: a (UUID: x)\nGPU 1: b (UUID: y)\n' ;;
  *query-compute-apps=pid,used_gpu_memory*)
    echo "1, 7"
    for process in $(pgrep -f 'bin/sh own.sh'); do echo "$process, 512"; done ;;
  *) exit 1 ;;
esac
)";

std::string gpus_of(const fs::path& bundle) {
  std::string all;
  for (const auto& log : fs::directory_iterator(bundle / "logs")) all += read_file(log.path());
  return all;
}

TEST(Gpus, EachLocalProcessHasItsOwnAndItsMemoryIsRecorded) {
  const TemporaryDir dir;
  const testing::WithoutLibTorch quick;
  const OwnPrograms programs(dir / "bin");
  testing::write_program(programs.dir() / "nvidia-smi", kNvidiaSmi);
  write_project(dir / "p", R"({"gpus": 1})", "echo on $CUDA_VISIBLE_DEVICES.\nsleep 1.5\n");
  const testing::ProgramOptions here{.working_dir = fs::path(dir / "p")};
  const auto local = [&](const std::string& processes, const std::string& out) {
    return run_program(with(with(words("sweep --local {} --out {}", processes, dir / out), kTwoOwnCases), {}),
                       here);
  };
  EXPECT_THAT(succeeded(local("3", "two")).err,
              HasSubstr("--local 3: 2 at a time, since each needs 1 of 2 GPUs"));
  const fs::path bundle = only_bundle(dir / "two");
  EXPECT_THAT(gpus_of(bundle), AllOf(HasSubstr("on 0."), HasSubstr("on 1."), Not(HasSubstr("on ."))));
  const auto results = json_file(bundle / "results.json");
  for (const auto& record : results.at("records"))
    EXPECT_EQ(record.at("timing").at("details").at("figures").at("peak_gpu_mib"), 512) << record;
  EXPECT_THAT(read_file(bundle / "summary.md"), HasSubstr("peak GPU memory [MiB]"));
  // Those that are visible.
  ::setenv("CUDA_VISIBLE_DEVICES", "5", 1);
  succeeded(local("1", "five"));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(gpus_of(only_bundle(dir / "five")), HasSubstr("on 5."));
  write_project(dir / "p", R"({"gpus": 3})", "");
  testing::expect_refused(local("1", "three"), "method mine needs 3 GPUs, and this machine has 2");
}

TEST(Gpus, WithoutNvidiaSmiNothingIsSetAndTheReasonIsRecorded) {
  if (std::system("command -v nvidia-smi >/dev/null 2>&1") == 0) GTEST_SKIP() << "nvidia-smi is here";
  const TemporaryDir dir;
  const testing::WithoutLibTorch quick;
  write_project(dir / "p", "{}", "echo on $CUDA_VISIBLE_DEVICES.\n");
  const testing::ProgramOptions here{.working_dir = fs::path(dir / "p")};
  succeeded(run_program(with(words("sweep --local 2 --out {}", dir / "none"), kTwoOwnCases), here));
  EXPECT_THAT(gpus_of(only_bundle(dir / "none")), AllOf(HasSubstr("on ."), Not(HasSubstr("on 0"))));
  ::setenv("CUDA_VISIBLE_DEVICES", "0", 1);
  succeeded(run_program(with(words("sweep --out {}", dir / "given"), kTwoOwnCases), here));
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  const auto timing = json_file(only_bundle(dir / "given") / "results.json").at("records")[0].at("timing");
  EXPECT_TRUE(timing.at("details").at("figures").at("peak_gpu_mib").is_null()) << timing;
  EXPECT_EQ(timing.at("details").at("note"), "GPU memory unknown: no nvidia-smi in PATH");
  write_project(dir / "p", R"({"gpus": 1})", "");
  testing::expect_refused(
      run_program(with(words("sweep --local 2 --out {}", dir / "no"), kTwoOwnCases), here),
      "method mine needs 1 GPU, and this machine has none");
}

}  // namespace
}  // namespace aqbench::cli
