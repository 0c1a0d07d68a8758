#pragma once
// A command of the program. To add one: write NAME_command.cc, declare its function here, add a row in
// commands.cc.

#include <span>
#include <string>
#include <vector>

namespace aqbench::cli {

using Arguments = std::vector<std::string>;  // what follows the command's name

struct Command {
  const char* name;
  const char* summary;                     // one line
  int (*run)(const Arguments& arguments);  // returns the exit code; throws Error
};

std::span<const Command> commands();

int run_accept(const Arguments& arguments);
int run_eval(const Arguments& arguments);
int run_gate(const Arguments& arguments);
int run_list(const Arguments& arguments);
int run_sweep_command(const Arguments& arguments);
int run_verify(const Arguments& arguments);

// The whole program: `arguments` without the program's own name. Prints errors as one line to stderr.
int run_command_line(const Arguments& arguments);

}  // namespace aqbench::cli
