#pragma once
// From what was asked for to the list of cases, every name and value checked, so that nothing fails late.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "harness/planning/axis.h"
#include "harness/planning/suite.h"
#include "harness/records/case.h"
#include "harness/records/fault.h"
#include "pipeline/method/method.h"
#include "pipeline/workloads/workload.h"
#include "scenes/registry.h"

namespace aqbench {

inline constexpr std::size_t kMaxCases = 100000;
inline constexpr double kDefaultTimeoutS = 600;

// Part `index` (from 1) of `count`.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};
Shard parse_shard(std::string_view argument);  // "2/3"; throws Error(usage) quoting it
std::string to_string(const Shard& shard);

// As given; the command line fills it with parse_axis, parse_override, parse_shard, parse_inject,
// read_suite_file.
struct PlanRequest {
  std::string suite;               // registry name
  std::optional<Suite> own_suite;  // of --suite-file
  // Patterns. With a suite they filter it. Without one they choose from the registries (none given: the
  // scenes of suite `seed`, the simulated methods). Nothing given at all means suite `seed`.
  std::vector<std::string> scenes;   // or "mesh:FILE.ply" as it is
  std::vector<std::string> methods;  // "name", "name:preset"
  std::vector<std::string> workloads;
  std::vector<Axis> axes;      // one of the same name in the suite is replaced
  std::vector<Override> sets;  // after those of the suite
  ImageChoice images;          // wins over the suite's
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> repeat;  // consecutive seeds from `seed`, or from the suite's first one
  std::optional<int> threads;           // none: available_processors()
  std::optional<std::string> device;    // "cpu" (none) or "cuda"
  std::optional<double> timeout_s;      // per case; none: kDefaultTimeoutS
  std::optional<std::uint64_t> memory_limit_bytes;  // per case, resident; none: default_memory_limit_bytes()
  Shard shard;
  std::vector<Inject> injects;
  TimingRequest timing;
};

struct SweepPlan {
  PlanRequest request;
  std::string suite;        // its name; "" where cases were chosen by hand
  std::vector<Case> cases;  // of this shard, in the order in which they run
  std::size_t cases_in_all_shards = 0;
  std::string sha256;             // of `cases`: names, options and everything that defines them
  std::string all_shards_sha256;  // the same of the cases of all shards
  double timeout_s = kDefaultTimeoutS;
  std::uint64_t memory_limit_bytes = 0;
};

// What can be planned with; the registries, except in tests.
struct Catalogue {
  std::span<const SceneSpec> scenes;
  std::span<const MethodSpec> methods;
  std::span<const Suite> suites;
  std::span<const WorkloadSpec> workloads = {};
};
Catalogue registered_catalogue();

// Throws Error(usage) naming the flag and near names, Error(input) for an unusable mesh file.
// - Cases run scene by scene, method by method, then workload by workload, seed by seed, the last axis
//   fastest. An axis or --set that belongs to a scene, method or workload concerns its cases alone. A
//   workload's parameters are axes by their bare names, too.
// - Methods that look at images get them from a rig. `rig`, `imaging`, `width` and `height`, as flags or as
//   axes, and parameters of rig and imaging concern those methods' cases alone.
// - Shards: the cases sorted by name are dealt in turn, so that the parts are the same on every machine.
SweepPlan plan_sweep(const PlanRequest& request, const Catalogue& catalogue = registered_catalogue());

// The cases sorted by name, as JSON: what SweepPlan::sha256 is the hash of.
Json cases_json(const std::vector<Case>& cases);

// 75 % of the memory that this machine or cgroup has.
std::uint64_t default_memory_limit_bytes();

// "requested" and "effective" of results.json. The first reads back as the same request.
Json requested_json(const PlanRequest& request);
PlanRequest request_from_json(const Json& json, const std::string& source);
Json effective_json(const SweepPlan& plan);

}  // namespace aqbench
