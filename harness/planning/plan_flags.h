#pragma once
// The flags that choose cases and how they run: one table for the command line, its help, and the command
// that reproduces a plan.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/command_line/flag_value.h"
#include "harness/planning/plan.h"

namespace aqbench {

// One flag of a PlanRequest.
struct PlanFlag {
  const char* name;         // without dashes: "threads"
  const char* value_name;   // the value's name in the help: "N"
  const char* help;         // one sentence
  bool repeatable = false;  // may be given several times; `read` is then called for each value
  int place = 0;            // position of its words in plan_words(): 1 is first
  // Reads the value into the request. Throws Error(usage) naming the flag.
  std::function<void(PlanRequest&, const FlagValue&)> read;
  // Returns the values that reproduce the request's field; none if it is not set.
  std::function<std::vector<std::string>(const PlanRequest&)> write;
};

// Returns the flags that choose cases: suite, scenes, methods, workloads, axes, seeds, and warm runs.
std::span<const PlanFlag> selection_flags();

// Returns the flags of a single case: settings, images, threads, device, limits, faults.
std::span<const PlanFlag> case_flags();

// Returns the flags that control when timing a case ends; a unit of `ab` runs a fixed number of times
// instead.
std::span<const PlanFlag> timing_flags();

// Returns the flag that selects a shard.
std::span<const PlanFlag> shard_flags();

// Returns the words of a command line that give this request: {"--suite", "seed", "--threads", "2"}. A user's
// own suite is named by its file, "NAME.json".
std::vector<std::string> plan_words(const PlanRequest& request);

}  // namespace aqbench
