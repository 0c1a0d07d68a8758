#pragma once
// `aqbench eval --protocol`, `--explain` and `--which-protocol`: what other benchmarks would publish.

#include <set>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "cli/options.h"

namespace aqbench::cli {

// What is asked of protocols, beside the cloud and its truth.
struct EvalProtocolRequest {
  std::string protocol;              // a name, or "all"
  std::vector<std::string> explain;  // two names
  std::string which;                 // a published number
  Strings knobs;                     // NAME=VALUE
  std::string mask_file, confidence_file;
  std::vector<double> mask_box;  // low and high corner, then the spacing; the truth's unit
  std::vector<double> plane;     // a, b, c, d of a x + b y + c z + d > 0; the truth's unit
};

// Returns the rows of the flags for protocols.
std::vector<Flag<EvalProtocolRequest>> eval_protocol_flags();

// Returns whether a protocol was asked for; throws Error(usage) for flags of protocols that go without one.
bool asks_for_protocol(const EvalProtocolRequest& request);

// Prints the numbers of the protocols, their difference, or those that give a number. `depth` and `poses`
// take their files from CLOUD and --truth. Throws as the readers and protocols do, Error(usage) for flags
// that do not go together.
ExitCode eval_protocol(const EvalProtocolRequest& request, const EvalCloudRequest& cloud,
                       const std::set<std::string>& given);

}  // namespace aqbench::cli
