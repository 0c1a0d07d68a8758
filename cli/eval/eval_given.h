#pragma once
// `aqbench eval` of a pattern, or into a bundle.

#include "core/command_line/flags.h"
#include "core/error.h"
#include "harness/eval/eval_request.h"

namespace aqbench::cli {

// CLOUD with {method}, {scene}, {seed} or *, or --out: scores all files that exist as a sweep of methods
// whose outputs are given, and writes its bundle. Throws Error(usage) for braces without a value,
// Error(input) where no file matches and for two files of one case.
ExitCode eval_given(const EvalRequest& asked, const Arguments& arguments);

}  // namespace aqbench::cli
