#pragma once
// A user's sweep request as plain data, and its JSON.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "harness/datasets/project_datasets.h"
#include "harness/planning/axis.h"
#include "harness/planning/suite.h"
#include "harness/records/case.h"
#include "pipeline/method/declaration.h"

namespace aqbench {

// The maximum number of cases of a sweep.
inline constexpr std::size_t kMaxCases = 100000;

// The maximum number of threads of a case.
inline constexpr int kMaxThreads = 1024;

// Time limit of a case in seconds without --timeout, and the largest one.
inline constexpr double kDefaultTimeoutS = 600;
inline constexpr double kMaxTimeoutS = 1e7;

// Part `index` (from 1) of `count` parts of a sweep.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;
};

// Parses "2/3". Throws Error(usage) quoting the argument.
Shard parse_shard(std::string_view argument);

// Returns "2/3", which parse_shard() reads back.
std::string to_string(const Shard& shard);

// The parts of a user's project file used by a request (harness/project/project.h).
struct RequestedProject {
  std::string dir;  // the folder of the file, absolute; empty: no project
  std::vector<MethodDeclaration> methods = {};
  std::vector<ProjectDataset> datasets = {};
  std::vector<NamedRig> rigs = {};
};

// A request as given; filled by the command line with parse_axis, parse_override, parse_shard, parse_inject,
// read_suite_file.
struct PlanRequest {
  std::string suite;               // registry name, or that of own_suite if that is in a project file
  std::optional<Suite> own_suite;  // from --suite-file or a project file
  // Patterns. With a suite they filter it. Without one they choose from the registries (default: the scenes
  // of suite `seed`, the simulated methods). Without anything the suite is `seed`.
  std::vector<std::string> scenes;   // or "mesh:FILE.ply" literally
  std::vector<std::string> methods;  // "name", "name:preset"
  std::vector<std::string> workloads;
  std::vector<Axis> axes;      // replaces an axis of the same name in the suite
  std::vector<Override> sets;  // applied after those of the suite
  ImageChoice images;          // overrides the suite's
  std::optional<std::uint64_t> seed;
  std::optional<std::uint64_t> repeat;  // consecutive seeds from `seed`, or from the suite's first one
  std::optional<int> threads;           // none: available_processors()
  std::optional<std::string> device;    // "cpu" (none), "cuda", "opencl"
  std::optional<double> timeout_s;      // per case; none: kDefaultTimeoutS
  std::optional<std::uint64_t> memory_limit_bytes;  // per case, resident; none: default_memory_limit_bytes()
  Shard shard;
  std::vector<Inject> injects;
  TimingRequest timing;
  RequestedProject project;
  std::optional<std::filesystem::path> project_file;  // from --project; not in the JSON
};

// Returns "requested" of results.json, which request_from_json() reads back as the same request.
Json requested_json(const PlanRequest& request);

// Reads what requested_json() wrote. Throws Error(input) naming `source` and the place, Error(usage) for an
// override, shard or fault that does not parse.
PlanRequest request_from_json(const Json& json, const std::string& source);

// Throw Error(usage) with this text, as it is or in the form of fmt::format().
[[noreturn]] void refuse_plan(const std::string& why);
template <class First, class... Args>
[[noreturn]] void refuse_plan(fmt::format_string<First, Args...> why, First&& first, Args&&... args) {
  refuse_plan(fmt::format(why, std::forward<First>(first), std::forward<Args>(args)...));
}

// Returns the devices of all cases: "opencl", or "cpu,opencl" of an axis.
std::string devices_of(const PlanRequest& request);

// Throws Error(usage) naming the flag unless the device is cpu, cuda, opencl or opencl:N.
void check_device(const std::string& flag, const std::string& device);

// Throws Error(usage) naming the flag of a number out of range.
void check_request(const PlanRequest& request);

// Adds the targets to a request with the command's scenes: "roma_like", "synthetic_profile",
// "undulating/roma_like/seed=43". The default scene of a method is flat_plane. Throws Error(usage) for a case
// beside other targets or scenes.
void read_profile_targets(const std::vector<std::string>& targets, PlanRequest& plan);

}  // namespace aqbench
