#pragma once
// What `aqbench eval` does with a request, a function for each mode. A depth map has its own header.

#include "cli/command.h"
#include "cli/eval/eval_request.h"

namespace aqbench::cli {

// CLOUD: scores a cloud or mesh against a true surface and prints its metrics. `arguments` stand in the JSON.
// Throws Error(input) naming the file if it has no finite point, if its points are plainly in another unit
// than metres, or if none lies where the scene is scored; Error(usage) for wrong parameters.
ExitCode eval_cloud(const EvalRequest& asked, const Arguments& arguments);

// Finds the dataset of a request, a folder or a name in the project file. If it is a recording, reads its
// cameras and the truth of the frame, and takes regions and thresholds that its truth declares where the user
// gave none. `needs_surface`: no other truth is given. Throws Error(usage) for an unknown dataset or frame,
// Error(input) as read_recording(), find_recording_truth() and check_truth_unit() do, and for a recording
// without a true surface.
void use_dataset(EvalCloudRequest& request, bool needs_surface);

// --charuco: compares two files of corners of a board, in the same order and unit, and prints each corner's
// error and their summary in millimetres. Throws Error(input) for files that cannot be read, have no corner,
// different numbers of corners, or a corner that is not finite.
ExitCode eval_charuco(const EvalRequest& asked);

// --protocol, --explain, --which-protocol: prints the numbers of the protocols, the knobs that make two of
// them differ, or the protocols that give a published number. For the protocols `depth` and `poses`, CLOUD
// and
// --truth are files of depths or poses. Throws as the readers and protocols do.
ExitCode eval_protocol(const EvalProtocolRequest& request, const EvalCloudRequest& cloud);

}  // namespace aqbench::cli
