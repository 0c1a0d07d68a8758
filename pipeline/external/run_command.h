#pragma once
// Runs an external program and everything that it starts.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/program_report.h"
#include "core/sandbox/access.h"

namespace aqbench {

// Options of a command run.
struct CommandOptions {
  double timeout_s = 0;                                             // positive
  std::filesystem::path log_file;                                   // stdout and stderr; overwritten
  std::uint64_t log_limit_bytes = std::uint64_t{64} << 20;          // killed beyond this
  AccessList access = {};                                           // what it may reach
  std::vector<std::pair<std::string, std::string>> variables = {};  // added to the environment
  std::filesystem::path working_folder = {};                        // empty: this process's
};

// How a command ended.
struct CommandOutcome {
  enum class End { exited, signalled, timeout, log_limit, not_started, unsupervised };
  End end = End::exited;
  int code = 0;                        // exit code, signal, or errno of a failed start
  std::string program = {};            // first word
  std::optional<ProgramUse> use = {};  // of all its processes; none if the system reports nothing
};

// Starts words[0] (looked up in PATH) without a shell, in its own session without a terminal, with empty
// stdin and sandboxed according to AQBENCH_ISOLATION (core/sandbox/sandbox.h), and waits for it. TMPDIR is
// its temporary folder (access.temporary); variables AQBENCH_* are removed. When this returns, or the calling
// process dies, all its processes are killed in any group or session. Throws Error(io) if a process, pipe or
// rules cannot be created.
CommandOutcome run_command(const std::vector<std::string>& words, const CommandOptions& options);

// Describes the end in one line: "ended with exit code 3", "died of signal 11 (Segmentation fault)", "was
// killed after 10 s, its time limit".
std::string describe(const CommandOutcome& outcome, const CommandOptions& options);

// Returns the last line of a log that is not blank, and before it what Python raised last, if that is another
// line: "ValueError: no points; last: cleaning up"; "" for an empty log.
std::string last_words(const std::filesystem::path& log);

}  // namespace aqbench
