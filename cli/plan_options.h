#pragma once
// The flags that choose cases, as rows of a command's option table.

#include <span>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "harness/planning/plan_flags.h"

namespace aqbench::cli {

// Returns the row of a plan's flag.
inline Flag<PlanRequest> row_of(const PlanFlag& flag) {
  return {
      {.name = flag.name, .value_name = flag.value_name, .help = flag.help, .repeatable = flag.repeatable},
      flag.read};
}

// Adds flags of a plan to the table of a command, whose request has the plan's as member `plan`.
template <class Request>
void append_plan_flags(std::vector<Flag<Request>>& flags, std::span<const PlanFlag> rows,
                       PlanRequest Request::*plan) {
  for (const PlanFlag& row : rows) {
    const Flag<PlanRequest> flag = row_of(row);
    append_flags<Request, PlanRequest>(flags, {&flag, 1}, plan);
  }
}

// Adds one flag that chooses cases, with its own help.
template <class Request>
void append_selection_flag(std::vector<Flag<Request>>& flags, std::string_view name, const char* help,
                           PlanRequest Request::*plan) {
  for (const PlanFlag& row : selection_flags())
    if (row.name == name) {
      Flag<PlanRequest> flag = row_of(row);
      flag.help = help;
      append_flags<Request, PlanRequest>(flags, {&flag, 1}, plan);
    }
}

}  // namespace aqbench::cli
