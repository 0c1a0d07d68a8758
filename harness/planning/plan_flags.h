#pragma once
// The flags that choose cases and how they run: one table for the command line, its help, and the command
// that reproduces a plan.

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/command_line/flags.h"
#include "harness/planning/plan.h"

namespace aqbench {

// One flag of a PlanRequest, and how it is written again.
struct PlanFlag : Flag<PlanRequest> {
  using Writer = std::function<std::vector<std::string>(const PlanRequest&)>;

  PlanFlag(Flag row, int place_of_words, Writer writer = {})
      : Flag(std::move(row)), place(place_of_words), write(std::move(writer)) {}

  int place;     // position of its words in plan_words(): 1 is first
  Writer write;  // returns the values that reproduce the request's field; empty: other flags do
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
