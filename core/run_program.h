#pragma once
// Asks another program something, without a shell.

#include <string>
#include <vector>

#include "core/isolate.h"

namespace aqbench {

struct ProgramAnswer {
  bool ok = false;                                    // ended with 0 in time
  std::string output;                                 // its stdout, when ok
  std::string problem;                                // one line, when not
  IsolateOutcome::End end = IsolateOutcome::End::ok;  // `threw` where it ended with another code than 0
};

// argv[0] is looked up in PATH. Its stdin is closed off; it and what it started are killed after timeout_s.
// Throws Error(io) only if no process can be made.
ProgramAnswer ask_program(const std::vector<std::string>& argv, double timeout_s);

// The same with all limits; result_limit_bytes is of its stdout.
ProgramAnswer ask_program(const std::vector<std::string>& argv, const IsolateOptions& options);

}  // namespace aqbench
