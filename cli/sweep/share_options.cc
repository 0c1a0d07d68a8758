#include "cli/sweep/share_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/parallel.h"
#include "reports/content/bundle_files.h"

namespace aqbench::cli {

std::vector<Flag<ShareRequest>> share_flags() {
  std::vector<Flag<ShareRequest>> flags = {
      {"local", "N", "share untimed cases among N processes of this machine, by leases",
       [](ShareRequest& r, const FlagValue& v) { r.local = v.at_least(1); }},
      {"slurm", nullptr,
       "share the cases among the tasks of a Slurm array, and merge them in a following job",
       into<&ShareRequest::slurm>},
      {"array-size", "N", "number of tasks in the array (default 4)",
       [](ShareRequest& r, const FlagValue& v) { r.array_size = v.at_least(1); }},
      {"partition", "P", "Slurm's partition", into<&ShareRequest::partition>},
      {"time", "T", "Slurm's time limit of each task, e.g. 2:00:00", into<&ShareRequest::time_limit>},
      {"sbatch-arg", "ARG", "an additional argument of sbatch, e.g. --sbatch-arg=--mem=8G; may be repeated",
       into<&ShareRequest::sbatch_arguments>, repeated()},
      {"own-nodes", nullptr,
       "with --slurm, for timed cases: a node for each task (sbatch --exclusive), all nodes alike",
       into<&ShareRequest::own_nodes>},
      {{.name = "unlike-nodes",
        .help =
            "allow nodes of different kinds for timed cases; times are then not comparable with other runs"},
       into<&ShareRequest::unlike_nodes>},
      {"wait", nullptr, "with --slurm: wait for the merged bundle, showing progress",
       into<&ShareRequest::wait>},
      {"lease", "S", "seconds after which a silent process of a shared sweep loses its case (default 60)",
       [](ShareRequest& r, const FlagValue& v) { r.lease_s = v.positive(); }},
  };
  for (Flag<ShareRequest>& flag : flags)
    for (const char* const name : {"wait", "own-nodes", "partition", "time", "sbatch-arg"})
      if (std::string_view(flag.name) == name) flag.needs = "slurm";
  std::ranges::find(flags, std::string_view("unlike-nodes"), &FlagText::name)->needs = "own-nodes|resume";
  return flags;
}

void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed, const GivenValues& given) {
  if (share.local && share.slurm) throw Error(ErrorKind::usage, "--local and --slurm exclude each other");
  if (!share.any() || resumed) return;
  // Neither the tasks nor the merging job would apply these.
  for (const char* const flag : {"keep-clouds", "no-pictures", "with-tests", "json", "github"})
    if (share.slurm && given.contains(flag) && !given.contains("dry-run"))
      throw usage_error("--{}: not supported with --slurm", flag);
  if (plan.shard.count > 1)
    throw Error(ErrorKind::usage, "--shard: not supported by a shared sweep, which divides its cases itself");
  if (!plan.threads) plan.threads = share.slurm ? 1 : std::max(1, available_processors() / *share.local);
}

void require_shareable(const SweepPlan& plan, const ShareRequest& share, bool resumed) {
  const bool own = share.own_nodes || (resumed && share.local == 1);
  if (share.any()) require_shareable(plan, own ? OwnMachines::yes : OwnMachines::no);
}

Arguments recorded_arguments(const Arguments& arguments, const ShareRequest& share, const PlanRequest& plan,
                             const GivenValues& given) {
  if (!share.any() || !plan.threads || given.contains("threads") || given.contains("resume"))
    return arguments;
  Arguments recorded = arguments;
  recorded.insert(recorded.end(), {"--threads", fmt::format("{}", *plan.threads)});
  return recorded;
}

void require_plain_bundle(const std::filesystem::path& bundle) {
  require_plain_files(bundle);
  require_plain_files(tasks_folder(bundle));
}

}  // namespace aqbench::cli
