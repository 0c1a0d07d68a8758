#pragma once
// `aqbench eval --protocol`, `--explain` and `--which-protocol`: what other benchmarks would publish.

#include "cli/eval/eval_request.h"
#include "core/error.h"

namespace aqbench::cli {

// Prints the numbers of the protocols (--protocol), the knobs that make two of them differ (--explain), or
// the protocols that give a published number (--which-protocol). For the protocols `depth` and `poses`, CLOUD
// and --truth are files of depths or poses. Throws as the readers and protocols do.
ExitCode eval_protocol(const EvalProtocolRequest& request, const EvalCloudRequest& cloud);

}  // namespace aqbench::cli
