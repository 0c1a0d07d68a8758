#pragma once
// Exit codes of every command (docs/statistics.md, "Exit codes").

#include <span>

#include "core/error.h"

namespace aqbench {

enum class ExitCode : int {
  pass = 0,
  regression = 1,  // or a verification that failed
  usage = 2,       // or bad configuration or input
  case_failed = 3,
  not_comparable = 4,
  inconclusive = 5,
  io = 6,
  interrupted = 130,
};

ExitCode exit_code(ErrorKind kind);

// Several at once: the first of 2, 6, 130, 3, 4, 1, 5; pass when there is none of them.
ExitCode combine(std::span<const ExitCode> codes);
ExitCode combine(ExitCode a, ExitCode b);

}  // namespace aqbench
