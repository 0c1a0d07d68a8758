#pragma once
// The flags that say which cases are run and how: one table for the command line, its help, and the command
// that plans the same cases again.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/planning/flag_value.h"
#include "harness/planning/plan.h"

namespace aqbench {

// One flag of a PlanRequest.
struct PlanFlag {
  const char* name;         // without dashes: "threads"
  const char* value_name;   // what the help calls the value: "N"
  const char* help;         // one sentence
  bool repeatable = false;  // it may be given several times; `read` is then called for each value
  int place = 0;            // where its words stand in plan_words(): 1 is first
  // Reads the value into the request. Throws Error(usage) naming the flag.
  std::function<void(PlanRequest&, const FlagValue&)> read;
  // Returns the values that give the request's field again; none where the field is not set.
  std::function<std::vector<std::string>(const PlanRequest&)> write;
};

// Returns the flags that choose cases: suite, scenes, methods, workloads, axes, seeds, and warm runs.
std::span<const PlanFlag> selection_flags();

// Returns the flags of what one case is run with: settings, images, threads, device, limits, faults.
std::span<const PlanFlag> case_flags();

// Returns the flags that say when timing a case ends; a unit of `ab` runs a fixed number of times instead.
std::span<const PlanFlag> timing_flags();

// Returns the flag that chooses a part of the cases.
std::span<const PlanFlag> shard_flags();

// Returns the words of a command line that give this request: {"--suite", "seed", "--threads", "2"}. A suite
// of the user's own is named by its file, "NAME.json".
std::vector<std::string> plan_words(const PlanRequest& request);

}  // namespace aqbench
