#pragma once
// The machine and the environment of a sweep: env.json, and the key of machines whose times are comparable.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/json.h"
#include "harness/measuring/machine.h"

namespace aqbench {

// Runnable processes on average over 1, 5 and 15 minutes.
using LoadAverage = std::array<double, 3>;

// Returns the current load; nullopt if the system does not report it.
std::optional<LoadAverage> load_average();

// Settings of the cases.
struct EnvironmentOptions {
  int threads = 1;
  std::string device = "cpu";  // several are separated by commas
  std::string dtype = {};      // of all cases (SweepPlan::dtype); empty: unknown, null in the JSON
};

// Returns everything except the load: CPU, cores, affinity, cgroup, memory, kernel, OS, container hints,
// build (compiler, flags, type, commit and dirtiness of the sources), the git state of the working directory,
// library versions, the loaded BLAS file, threads, and "comparability": what must match for times and process
// memory to be comparable (docs/statistics.md). Unknown values are null with a "..._reason" beside them. Runs
// no shell and nothing heavy; a slow or broken git costs at most two seconds.
Json environment_json(const EnvironmentOptions& options);

// Returns the powers of two in GiB around a machine's memory, so that machines with 15.6 and 15.9 GiB count
// as equal.
std::string memory_class(std::uint64_t total_bytes);

// Adds "load": {"before": [..], "after": [..]}.
void add_load(Json& environment, const std::optional<LoadAverage>& before,
              const std::optional<LoadAverage>& after);

}  // namespace aqbench
