#pragma once
// `aqbench eval CLOUD`: a cloud or mesh from a file against a true surface.

#include "cli/command.h"
#include "cli/eval/eval_request.h"

namespace aqbench::cli {

// Scores the cloud and prints its metrics. `arguments` stand in the JSON. Throws Error(input) naming the file
// if it has no finite point, if its points are plainly in another unit than metres, or if none lies where the
// scene is scored; Error(usage) for wrong parameters.
ExitCode eval_cloud(const EvalRequest& asked, const Arguments& arguments);

}  // namespace aqbench::cli
