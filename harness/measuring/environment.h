#pragma once
// Where and with what a sweep ran: env.json, and the key that decides which times may be compared.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "core/json.h"

namespace aqbench {

// The average number of processes that wanted to run.
struct LoadAverage {
  std::array<double, 3> values{};  // over 1, 5 and 15 minutes
};

// Returns the load now; nullopt where the system does not tell it.
std::optional<LoadAverage> load_average();

// What cases run with.
struct EnvironmentOptions {
  int threads = 1;
  std::string device = "cpu";
  std::string dtype = {};  // of all cases (SweepPlan::dtype); empty: not told, null in the JSON
};

// Returns everything but the load: CPU, cores, affinity, cgroup, memory, kernel, OS, container hints, build
// (compiler, flags, type, commit and dirtiness of the sources), the git state of the working directory,
// library versions, the BLAS file that is loaded, threads, and "comparability": what must be equal for times
// and process memory to be compared (docs/statistics.md). Unknown is null with a "..._reason" beside it. Runs
// no shell and nothing heavy; a slow or broken git costs at most two seconds.
Json environment_json(const EnvironmentOptions& options);

// Returns the powers of two in GiB that a machine's memory lies between, so that machines with 15.6 and
// 15.9 GiB count as equal.
std::string memory_class(std::uint64_t total_bytes);

// Adds "load": {"before": [..], "after": [..]}.
void add_load(Json& environment, const std::optional<LoadAverage>& before,
              const std::optional<LoadAverage>& after);

}  // namespace aqbench
