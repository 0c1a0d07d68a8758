#pragma once
// The cloud of `aqbench eval CLOUD`, brought into the frame of the truth.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "core/json.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench::cli {

// The cloud in the world frame, and what was done to bring it there.
struct EvalInput {
  Reconstruction reconstruction;
  std::vector<std::string> notes;    // for people
  Json transforms = Json::object();  // by the name of the step
};

// Reads, scales, moves and aligns the cloud of a request; prints a warning if almost no point lies near the
// truth. Throws as eval_cloud() does, and Error(input) for an alignment that the data does not determine.
EvalInput load_eval_input(const EvalCloudRequest& request, const Surface& truth);

}  // namespace aqbench::cli
