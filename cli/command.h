#pragma once
// A command of the program. To add one: write NAME_command.cc, declare its function here, add a row in
// commands.cc.

#include <span>
#include <string>
#include <vector>

#include "core/error.h"

namespace aqbench::cli {

using Arguments = std::vector<std::string>;  // what follows the command's name

struct Command {
  const char* name;
  const char* summary;                          // one line
  ExitCode (*run)(const Arguments& arguments);  // throws Error
};

std::span<const Command> commands();

ExitCode run_ab_command(const Arguments& arguments);
ExitCode run_accept(const Arguments& arguments);
ExitCode run_cache(const Arguments& arguments);
ExitCode run_compare(const Arguments& arguments);
ExitCode run_docs(const Arguments& arguments);
ExitCode run_eval(const Arguments& arguments);
ExitCode run_gate(const Arguments& arguments);
ExitCode run_list(const Arguments& arguments);
ExitCode run_merge(const Arguments& arguments);
ExitCode run_render(const Arguments& arguments);
ExitCode run_replay(const Arguments& arguments);
ExitCode run_run(const Arguments& arguments);
ExitCode run_profile_command(const Arguments& arguments);
ExitCode run_report(const Arguments& arguments);
ExitCode run_sweep_command(const Arguments& arguments);
ExitCode run_trend(const Arguments& arguments);
ExitCode run_unit(const Arguments& arguments);
ExitCode run_verify(const Arguments& arguments);

// The whole program: `arguments` without the program's own name. Prints errors as one line to stderr.
int run_command_line(const Arguments& arguments);

}  // namespace aqbench::cli
