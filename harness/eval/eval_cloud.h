#pragma once
// The cloud of `aqbench eval CLOUD`, brought into the frame of its truth; that truth, and the record of the
// score.

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/eval/eval_request.h"
#include "harness/records/record.h"
#include "metrics/cloud_measurements.h"
#include "metrics/metric.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/optics/rig.h"
#include "scenes/registry.h"
#include "scenes/scene.h"
#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// Returns the cameras that are known, of the rig or the dataset; nothing where neither is given.
std::optional<Rig> request_rig(const EvalCloudRequest& request);

// Reads the scans of a truth, with the scanners that were given: clouds, vertices of meshes, or depth maps
// put into the world frame. Throws Error(input) naming the file, Error(usage) for flags that do not fit.
std::vector<Scan> read_truth_scans(const EvalCloudRequest& request);

// Makes the truth of a request: a scene, a mesh or scans. Throws Error(input) naming the file, Error(usage)
// for parameters or flags that do not fit.
Scene make_truth(const EvalCloudRequest& request);

// Warns where the coordinates of a file are numbers of 32 bits that are too large for the tolerances of the
// score.
void warn_of_steps(const std::string& file, const CoordinateSteps& steps, const EvalCloudRequest& request);

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

// Reads the cloud of a request; `most_in_memory` unset: all of it. A larger one stays on the disk where
// open_cloud_blocks() can read it there, and points of the host stay where they are, unless a step of the
// alignment searches for the truth.
Output open_cloud(const EvalCloudRequest& request,
                  std::optional<std::size_t> most_in_memory = BlockSizes{}.whole);

// Returns what brings the cloud of a request to its truth; warns of coarse coordinates (warn_of_steps()).
PlaceOptions place_options(const EvalCloudRequest& request, const Output& output);

// Returns the record of one evaluation: its case as a sweep over given files names it, the scene's
// parameters, the metrics, and the hash of the file or folder.
Record eval_record(const Scene& scene, const GivenCase& of_case, const std::string& file, MetricSet metrics,
                   const std::vector<GivenGeometry>& given);

// Returns the results of records. `effective` is that of their run and gets the thread count.
Results eval_results(std::vector<Record> records, const Arguments& arguments, const EvalHost& host,
                     Json effective, const std::string& positive_side = kTowardsCameras);

}  // namespace aqbench
