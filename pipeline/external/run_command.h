#pragma once
// Runs somebody else's program and everything that it starts.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program_report.h"
#include "core/sandbox/access.h"

namespace aqbench {

// How a command runs.
struct CommandOptions {
  double timeout_s = 0;                                     // above 0
  std::filesystem::path log_file;                           // stdout and stderr; written anew
  std::uint64_t log_limit_bytes = std::uint64_t{64} << 20;  // killed beyond
  AccessList access = {};                                   // what it reaches
  std::vector<std::pair<std::string, std::string>> variables =
      {};                                     // of its environment, beside this process's
  std::filesystem::path working_folder = {};  // empty: this process's
};

// How a command ended.
struct CommandOutcome {
  enum class End { exited, signalled, timeout, log_limit, not_started, unsupervised };
  End end = End::exited;
  int code = 0;                        // exit code, signal, or errno of what could not be started
  std::string program = {};            // the first word
  std::optional<ProgramUse> use = {};  // of all that it started; none where nothing tells it
};

// Starts words[0] (looked up in PATH) without a shell, in a session of its own without a terminal, with stdin
// closed off and shut in as AQBENCH_ISOLATION says (core/sandbox/sandbox.h), and waits for it. It finds its
// folder for temporary files (access.temporary) in TMPDIR, and no variable AQBENCH_*. When this returns, and
// also if the calling process dies, all that it started is killed, whatever group or session it is in. Throws
// Error(io) if there can be no process, pipe or rules.
CommandOutcome run_command(const std::vector<std::string>& words, const CommandOptions& options);

// Returns how it ended, in one line: "ended with exit code 3", "died of signal 11 (Segmentation fault)", "was
// killed after 10 s, its time limit".
std::string describe(const CommandOutcome& outcome, const CommandOptions& options);

}  // namespace aqbench
