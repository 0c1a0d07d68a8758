#pragma once
// The cloud of `aqbench eval CLOUD`, brought into the frame of the truth.

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "core/json.h"
#include "metrics/cloud_measurements.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/surfaces/surface.h"

namespace aqbench::cli {

// The cloud in the world frame, and what was done to bring it there.
struct EvalInput {
  Reconstruction reconstruction;               // empty if the cloud stays on the disk
  std::shared_ptr<const CloudBlocks> on_disk;  // null if the cloud is in memory
  std::vector<std::string> notes;              // for people
  Json transforms = Json::object();            // by the name of the step
};

// Reads, scales, moves and aligns the cloud of a request; prints a warning if almost no point lies near the
// truth. A cloud of more than `most_in_memory` points stays on the disk where open_cloud_blocks() can
// read it there and no step of the alignment searches for the truth. Throws as
// eval_cloud() does, and Error(input) for an alignment that the data does not determine.
EvalInput load_eval_input(const EvalCloudRequest& request, const Surface& truth,
                          std::size_t most_in_memory = BlockSizes{}.whole);

}  // namespace aqbench::cli
