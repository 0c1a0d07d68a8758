#pragma once
// `aqbench eval` from its arguments to its answer, which the program prints and a library returns. Nothing is
// printed here, and no process is started.

#include "core/command_line/flags.h"
#include "harness/eval/eval_answer.h"
#include "harness/eval/eval_request.h"

namespace aqbench {

// Returns the request of a command line. Throws as parse() does (core/command_line/flags.h).
EvalRequest eval_request(const Arguments& arguments);

// Answers any request but that of a bundle (kEvalGiven), which is a sweep: throws Error(usage) for it.
// `arguments` stand in the record. Throws Error(usage) for flags that do not fit together, and the errors of
// each mode below.
EvalAnswer eval_answer(EvalRequest asked, const Arguments& arguments, EvalHost host);

}  // namespace aqbench
