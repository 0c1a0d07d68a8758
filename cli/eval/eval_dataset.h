#pragma once
// The dataset of `aqbench eval CLOUD`, where it is not one of aqbench render.

#include "cli/eval/eval_request.h"

namespace aqbench::cli {

// Finds the dataset of a request, a folder or a name in the project file. If it is a recording, reads its
// cameras and the truth of the frame, and takes regions and thresholds that its truth declares where the user
// gave none. `needs_surface`: no other truth is given. Throws Error(usage) for an unknown dataset or frame,
// Error(input) as read_recording(), find_recording_truth() and check_truth_unit() do, and for a recording
// without a true surface.
void use_dataset(EvalCloudRequest& request, bool needs_surface);

}  // namespace aqbench::cli
