#include "cli/sweep/sharing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/error.h"
#include "core/files.h"
#include "core/module.h"
#include "core/parallel.h"
#include "core/processes/gpus.h"
#include "core/processes/process.h"
#include "core/text.h"
#include "harness/sharing/finished_cases.h"
#include "reports/content/bundle_content.h"
#include "reports/content/commands.h"

namespace aqbench::cli {
namespace {

using Words = std::vector<std::string>;
namespace fs = std::filesystem;

// sbatch takes the last of two values: the user's.
Words sbatch_words(const SlurmJobs& jobs, const ShareRequest& share, const char* log,
                   const Words& needs = {}) {
  Words words = {"sbatch", "--parsable", "--job-name=aqbench",
                 "--output=" + (tasks_folder(fs::absolute(jobs.bundle)) / log).string()};
  for (const Words& more : {needs, share.sbatch_arguments})
    words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::string program_line(Words command) {
  command.insert(command.begin(), own_file().string());
  return shell_join(command);
}

// What a task of the array needs, which runs its cases one after the other.
Words resource_words(const SlurmJobs& jobs, const ShareRequest& share) {
  const Resources& needs = jobs.needs;
  const auto tasks = static_cast<std::size_t>(share.array_size);
  Words words;
  if (needs.gpus > 0) words.push_back(fmt::format("--gres=gpu:{}", needs.gpus));
  if (needs.memory_gib > 0) words.push_back(fmt::format("--mem={}M", memory_mib(needs)));
  if (needs.threads > 1) words.push_back(fmt::format("--cpus-per-task={}", needs.threads));
  if (needs.minutes > 0)
    words.push_back(fmt::format("--time={}", (jobs.cases + tasks - 1) / tasks * needs.minutes));
  return words;
}

// Submits a job by sbatch and returns its number: "1234", also from "1234;CLUSTER".
std::string submitted(const Words& command) {
  constexpr double kPatience_s = 120;
  const ProgramAnswer answer = ask_program(command, kPatience_s);
  if (!answer.ok) throw Error(ErrorKind::input, "sbatch: " + answer.problem);
  const std::string line = answer.output.substr(0, answer.output.find('\n'));
  return line.substr(0, line.find(';'));
}

// Waits for the collecting job through `sbatch --wait`.
ExitCode wait_for_bundle(const SlurmJobs& jobs, Words command) {
  command.insert(command.begin() + 1, "--wait");
  const ProgramStart start(command);
  pid_t sbatch = 0;
  if (const int error = start.start(sbatch); error != 0)
    throw input_error("sbatch: {}", std::strerror(error));
  const fs::path tasks = tasks_folder(jobs.bundle);
  std::size_t shown = 0;
  int status = 0;
  while (::waitpid(sbatch, &status, WNOHANG) == 0) {
    const std::size_t done = path_exists(tasks) ? count_finished({tasks}, jobs.cases) : shown;
    if (done != shown) fmt::print(stderr, "{} of {} cases\n", done, jobs.cases);
    shown = done;
    ::sleep(1);
  }
  return WIFEXITED(status) ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::case_failed;
}

}  // namespace

std::vector<Flag<ShareRequest>> share_flags() {
  const auto pass_on = [](ShareRequest& r, const FlagValue& v) {
    r.sbatch_arguments.push_back(fmt::format("--{}={}", v.flag, v.text));
  };
  return {
      {"local", "N", "run untimed cases in N processes of this machine",
       [](ShareRequest& r, const FlagValue& v) { r.local = v.at_least(1); }},
      {"slurm", nullptr,
       "run the cases in the tasks of a Slurm array; another one repeats those that died, and a job after "
       "both collects the bundle",
       into<&ShareRequest::slurm>},
      {"array-size", "N", "number of tasks in the array (default 4)",
       [](ShareRequest& r, const FlagValue& v) { r.array_size = v.at_least(1); }},
      {"partition", "P", "Slurm's partition", pass_on, needs("slurm")},
      {"time", "T", "Slurm's time limit of each task, e.g. 2:00:00", pass_on, needs("slurm")},
      {"sbatch-arg", "ARG", "an additional argument of sbatch, e.g. --sbatch-arg=--mem=8G; may be repeated",
       into<&ShareRequest::sbatch_arguments>, needs("slurm", repeated())},
      {"own-nodes", nullptr,
       "with --slurm, for timed cases: a node for each task (sbatch --exclusive); all nodes must be alike",
       into<&ShareRequest::own_nodes>, needs("slurm")},
      {"wait", nullptr, "with --slurm: wait for the bundle, showing progress", into<&ShareRequest::wait>,
       needs("slurm")},
  };
}

void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed, const GivenValues& given) {
  if (share.local && share.slurm) throw usage_error("--local and --slurm exclude each other");
  if (!share.any() || resumed) return;
  // Neither the tasks nor the collecting job would apply these.
  for (const char* const flag : {"with-tests", "json", "github"})
    if (share.slurm && given.contains(flag) && !given.contains("dry-run"))
      throw usage_error("--{}: not supported with --slurm", flag);
  if (plan.shard.count > 1)
    throw usage_error("--shard: not supported by a shared sweep, which divides its cases itself");
  if (!plan.threads) plan.threads = share.slurm ? 1 : std::max(1, available_processors() / *share.local);
}

LocalWorkers local_workers(const ShareRequest& share, const SweepPlan& plan,
                           const DeclaredResources& declared) {
  LocalWorkers workers{static_cast<std::size_t>(*share.local)};
  const Words gpus = visible_gpus();
  for (const Case& planned : plan.cases)
    if (const auto found = declared.find(planned.method);
        found != declared.end() && static_cast<std::size_t>(found->second.gpus) > gpus.size())
      throw usage_error("method {} needs {}, and this machine has {} (nvidia-smi, CUDA_VISIBLE_DEVICES)",
                        planned.method, counted(static_cast<std::size_t>(found->second.gpus), "GPU"),
                        gpus.empty() ? "none" : std::to_string(gpus.size()));
  if (gpus.empty()) return workers;
  const auto needed = static_cast<std::size_t>(needs_of(plan, declared).gpus);
  const std::size_t each = std::max<std::size_t>(needed, 1);
  if (needed > 0 && workers.count > gpus.size() / each) {
    workers.count = gpus.size() / each;
    fmt::print(stderr, "aqbench: --local {}: {} at a time, since each needs {} of {}\n", *share.local,
               workers.count, needed, counted(gpus.size(), "GPU"));
  }
  for (std::size_t i = 0; i < workers.count; ++i) {
    Words own;
    for (std::size_t k = 0; k < each; ++k) own.push_back(gpus[(i * each + k) % gpus.size()]);
    workers.gpus.push_back(fmt::format("{}", fmt::join(own, ",")));
  }
  return workers;
}

void require_plain_bundle(const std::filesystem::path& bundle) {
  require_plain_files(bundle);
  const fs::path tasks = tasks_folder(bundle);
  if (fs::is_symlink(fs::symlink_status(tasks)))
    throw input_error("{}: is a symbolic link, and results are written there", printable(tasks.string()));
  require_plain_files(tasks);
}

Words array_command(const SlurmJobs& jobs, const ShareRequest& share, const std::string& after) {
  Words words = sbatch_words(jobs, share, "slurm-%A_%a.log", resource_words(jobs, share));
  if (share.own_nodes) words.emplace_back("--exclusive");
  words.emplace_back("--requeue");
  if (!after.empty()) {
    words.push_back("--dependency=afternotok:" + after);
    words.emplace_back("--kill-on-invalid-dep=yes");
  }
  words.push_back(fmt::format("--array=1-{}", share.array_size));
  const fs::path tasks = tasks_folder(fs::absolute(jobs.bundle));
  Words command = {"run-case", (tasks / kPlanFile).string(), "--out", tasks.string()};
  if (share.own_nodes) command.emplace_back("--own-machine");
  command.insert(command.end(), jobs.task.begin(), jobs.task.end());
  if (jobs.runs_foreign_code) command.emplace_back("--run-its-commands");
  words.push_back(fmt::format("--wrap=exec {} --shard $SLURM_ARRAY_TASK_ID/{}",
                              program_line(std::move(command)), share.array_size));
  return words;
}

Words collecting_command(const SlurmJobs& jobs, const ShareRequest& share, const std::string& arrays) {
  Words words = sbatch_words(jobs, share, "slurm-%j.log");
  words.push_back("--dependency=afterany:" + arrays);
  const fs::path bundle = fs::absolute(jobs.bundle), tasks = tasks_folder(bundle);
  Words command = {"collect", (tasks / kPlanFile).string(), tasks.string(), "--out", bundle.string()};
  command.insert(command.end(), jobs.collect.begin(), jobs.collect.end());
  words.push_back(fmt::format("--wrap={}; code=$?; if [ -e {} ]; then rm -r {}; fi; exit $code",
                              program_line(std::move(command)),
                              shell_quote((bundle / kHashListName).string()), shell_quote(tasks.string())));
  return words;
}

ExitCode submit(const SlurmJobs& jobs, const ShareRequest& share) {
  const std::string array = submitted(array_command(jobs, share));
  const std::string again = submitted(array_command(jobs, share, array));
  const Words collecting = collecting_command(jobs, share, array + ":" + again);
  fmt::print("{} in array job {} of {}; {} repeats tasks that died\nbundle {}\nprogress: aqbench status {}\n",
             counted(jobs.cases, "case"), array, counted(static_cast<std::size_t>(share.array_size), "task"),
             again, printable(jobs.bundle.string()), printable(jobs.bundle.string()));
  std::fflush(stdout);
  if (share.wait) return wait_for_bundle(jobs, collecting);
  fmt::print("collected by job {}\n", submitted(collecting));
  return ExitCode::pass;
}

}  // namespace aqbench::cli
