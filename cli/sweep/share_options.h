#pragma once
// The flags by which `aqbench sweep` gives its cases to several processes.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/planning/plan.h"
#include "harness/sharing/shared_results.h"

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

  bool any() const { return local.has_value() || slurm; }
};

// Returns the rows of these flags.
std::vector<Flag<ShareRequest>> share_flags();

// Checks what the flags mean together, and says how many threads each case of a shared sweep has where the
// user does not: those of this machine divided by the processes, one under Slurm. `given` are the names of
// all flags of the command line: some do not go with --slurm. Throws Error(usage).
void complete_share(const ShareRequest& share, PlanRequest& plan, bool resumed,
                    const std::set<std::string>& given);

// Returns the command line as a bundle shows it: with the threads that complete_share() chose.
Arguments recorded_arguments(const Arguments& arguments, const ShareRequest& share, const PlanRequest& plan);

}  // namespace aqbench::cli
