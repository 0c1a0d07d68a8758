#pragma once
// The flags by which `aqbench sweep` gives its cases to several processes.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/planning/plan.h"
#include "harness/sharing/shared_results.h"
#include "harness/sharing/shared_sweep.h"

namespace aqbench::cli {

// How the cases of a sweep are shared.
struct ShareRequest {
  std::optional<int> local;  // processes of this machine
  double lease_s = kDefaultLeaseS;
  bool slurm = false;
  int array_size = 4;
  std::optional<std::string> partition, time_limit;
  Strings sbatch_arguments;
  bool wait = false;
  bool own_nodes = false;     // for timed cases: each task has a node of its own, and all nodes are alike
  bool unlike_nodes = false;  // with own_nodes: the nodes may differ

  // Returns whether the sweep is shared at all.
  bool any() const { return local.has_value() || slurm; }
  // Returns how the children of this process run it.
  LocalProcesses processes() const {
    return {static_cast<std::size_t>(local.value_or(1)), lease_s,
            unlike_nodes ? UnlikeMachines::accept : UnlikeMachines::refuse};
  }
};

// Returns the rows of these flags.
std::vector<Flag<ShareRequest>> share_flags();

// Checks what the flags mean together, and says how many threads each case of a shared sweep has where the
// user does not: those of this machine divided by the processes, one under Slurm. `given` are the names of
// all flags of the command line: some do not go with --slurm. Throws Error(usage).
void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed,
                    const std::set<std::string>& given);

// Throws as require_shareable() does where the sweep is shared. Timed cases have a machine of their own under
// --own-nodes, and in the one process that ends such a sweep.
void require_shareable(const SweepPlan& plan, const ShareRequest& share, bool resumed);

// Returns the command line as a bundle shows it: with the threads that complete_share() chose.
Arguments recorded_arguments(const Arguments& arguments, const ShareRequest& share, const PlanRequest& plan);

// Throws as require_plain_files() for a bundle that is resumed, and for its tasks' folder.
void require_plain_bundle(const std::filesystem::path& bundle);

}  // namespace aqbench::cli
