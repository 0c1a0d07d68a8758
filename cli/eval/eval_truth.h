#pragma once
// The truth of `aqbench eval CLOUD`, and which part of it is scored.

#include <optional>
#include <string>
#include <vector>

#include "cli/eval/eval_request.h"
#include "core/json.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/optics/rig.h"
#include "scenes/scene.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench::cli {

// Returns the cameras that are known, of the rig or the dataset; nothing where neither is given.
std::optional<Rig> request_rig(const EvalCloudRequest& request);

// Reads the scans of a truth, with the scanners that were given: clouds, vertices of meshes, or depth maps
// put into the world frame. Throws Error(input) naming the file, Error(usage) for flags that do not fit.
std::vector<Scan> read_truth_scans(const EvalCloudRequest& request);

// Makes the truth of a request: a scene, a mesh or scans. Throws Error(input) naming the file, Error(usage)
// for parameters or flags that do not fit.
Scene make_truth(const EvalCloudRequest& request);

// Prints a warning where the coordinates of a file are numbers of 32 bits that are too large for the
// tolerances of a score.
void warn_of_steps(const std::string& file, const CoordinateSteps& steps, const ScoreOptions& score);

// Returns what a mesh taken as truth has for faces; nullptr for any other truth.
const FaceCounts* faces_of(const Surface& truth);

// Returns on which side of the truth errors are positive: towards the cameras where there are any.
std::string positive_side(const Surface& truth, bool has_cameras);

// Say how many triangles of a mesh count and what is left out of them: as a line, "" where all count, and as
// JSON.
std::string faces_text(const FaceCounts& counts);
Json faces_json(const FaceCounts& counts);

// Returns how a cloud of `points` points is scored against this truth: chooses the sizes that the user did
// not give, and reads the region. Throws Error(usage), Error(input) naming flag or file.
ScoreOptions effective_options(const EvalCloudRequest& request, const Surface& truth, std::size_t points);

// Returns what `effective` in the JSON says of truth and options.
Json scoring_json(const EvalCloudRequest& request, const Surface& truth, const ScoreOptions& options);

}  // namespace aqbench::cli
