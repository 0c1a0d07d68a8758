#pragma once
// From a request to the list of cases, with every name and value checked, so that nothing fails late.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/select.h"
#include "harness/records/case.h"

namespace aqbench {

// The cases of a sweep or a shard of it, and their inputs.
struct SweepPlan {
  PlanRequest request;
  std::string suite;        // its name; "" if cases were chosen by hand
  std::vector<Case> cases;  // of this shard, in the order of execution
  std::size_t cases_in_all_shards = 0;
  std::string dtype;              // of the methods and workloads of all shards: "float32, float64"
  std::string sha256;             // of `cases`: names, options and everything that defines them
  std::string all_shards_sha256;  // the same of the cases of all shards
  double timeout_s = kDefaultTimeoutS;
  std::uint64_t memory_limit_bytes = 0;
};

// Plans the cases of a request. Throws Error(usage) naming the flag and near names, Error(input) for an
// unusable mesh file.
// - Cases run scene by scene, method by method, then workload by workload, seed by seed, the last axis
//   fastest. An axis or --set that belongs to a scene, method or workload concerns its cases alone. The
//   parameters of a workload are axes by their bare names, too.
// - Methods that look at images get them from a rig. `rig`, `imaging`, `width` and `height`, as flags or as
//   axes, and parameters of rig and imaging concern those methods' cases alone.
// - Shards: the cases sorted by name are dealt in turn, so that the parts are the same on every machine.
SweepPlan plan_sweep(const PlanRequest& request, const Catalogue& catalogue = registered_catalogue());

// Returns the cases sorted by name, as the text of a JSON array: SweepPlan::sha256 is its hash.
std::string cases_text(const std::vector<Case>& cases);

// Returns 75 % of the memory of this machine or cgroup.
std::uint64_t default_memory_limit_bytes();
// Returns the same for a machine with that much memory, and its control group if limited.
std::uint64_t memory_limit_bytes(std::uint64_t total_bytes,
                                 const std::optional<std::uint64_t>& of_control_group);

// Returns "effective" of results.json: the request as applied, and "definitions": the meaning of each metric.
Json effective_json(const SweepPlan& plan);

// Estimates the bytes of results.json from measured records: the names of the case and its options, its
// metrics, its stages, and a number for each timed repetition. At most twice the real size, and at least it
// if methods open the stages they declare; adaptive timing counts its maximum number of repetitions.
std::uint64_t estimate_results_bytes(const SweepPlan& plan,
                                     const Catalogue& catalogue = registered_catalogue());

// Throws Error(usage) with both sizes if the estimate exceeds kMaxPlannedResultsBytes.
void require_records_fit(const SweepPlan& plan, const Catalogue& catalogue = registered_catalogue());

}  // namespace aqbench
