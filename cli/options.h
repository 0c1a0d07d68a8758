#pragma once
// Option tables of commands (core/command_line/flags.h): their help, and the flags of a plan.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "core/command_line/flags.h"
#include "harness/planning/plan_flags.h"

namespace aqbench::cli {

// Returns the --help-all text of a command.
std::string help_of(const Command& command);

// Returns the option table of a command, including --help. The names and texts of its flags live as long as
// the program.
CommandLineText text_of(const Command& command);

// Prints a JSON text as shown_json() gives it.
void print_json(std::string_view text);

// Adds flags of a plan to the table of a command, whose request has the plan's as member `plan`.
template <class Request>
void append_plan_flags(std::vector<Flag<Request>>& flags, std::span<const PlanFlag> rows,
                       PlanRequest Request::*plan) {
  for (const Flag<PlanRequest>& row : rows) append_flags<Request, PlanRequest>(flags, {&row, 1}, plan);
}

// Adds one flag of a plan, with its own help; nullptr: that of the plan.
template <class Request>
void append_plan_flag(std::vector<Flag<Request>>& flags, std::string_view name, const char* help,
                      PlanRequest Request::*plan) {
  for (const auto rows : {selection_flags(), case_flags()})
    for (const PlanFlag& row : rows)
      if (row.name == name) {
        Flag<PlanRequest> flag = row;
        if (help != nullptr) flag.help = help;
        append_flags<Request, PlanRequest>(flags, {&flag, 1}, plan);
      }
}

}  // namespace aqbench::cli
