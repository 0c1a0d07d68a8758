#pragma once
// `aqbench eval --protocol`, `--explain` and `--which-protocol`: what other benchmarks would publish.

#include <set>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "cli/options.h"

namespace aqbench::cli {

// Returns the rows of the flags for protocols.
std::vector<Flag<EvalProtocolRequest>> eval_protocol_flags();

// Returns whether a protocol was asked for; throws Error(usage) for flags of protocols that go without one.
bool asks_for_protocol(const EvalProtocolRequest& request);

// Prints the numbers of the protocols (--protocol), the knobs that make two of them differ (--explain), or
// the protocols that give a published number (--which-protocol). For the protocols `depth` and `poses`, CLOUD
// and --truth are files of depths or poses. Throws as the readers and protocols do, Error(usage) for flags
// that do not go together.
ExitCode eval_protocol(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       const std::set<std::string>& given);

}  // namespace aqbench::cli
