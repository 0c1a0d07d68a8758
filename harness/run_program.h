#pragma once
// Asks another program something, without a shell.

#include <string>
#include <vector>

namespace aqbench {

struct ProgramAnswer {
  bool ok = false;      // ended with 0 in time
  std::string output;   // its stdout, when ok
  std::string problem;  // one line, when not
};

// argv[0] is looked up in PATH. Its stdin is closed off; it and what it started are killed after timeout_s.
// Throws Error(io) only if no process can be made.
ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s);

}  // namespace aqbench
