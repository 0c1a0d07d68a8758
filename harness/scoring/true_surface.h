#pragma once
// The true surface of a recording, and which part of a cloud is scored against it.

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/score_options.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"
#include "scenes/scene.h"

namespace aqbench {

// Makes the true surface of a frame, in the recording's world frame: a scene of aqbench, a mesh where the
// file has faces, else a scan, several scans together, or the true depth maps of the recording's cameras. The
// truth must have one, with a unit. Throws Error(input) naming the file.
Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name,
                 const Recording& recording);

// Returns the scans that true_scene() is made of; none where it is a scene of aqbench or a mesh. Throws as
// true_scene().
std::vector<Scan> true_scans(const RecordingTruth& truth, std::size_t frame, const Recording& recording);

// Returns how a cloud of that many points is scored against it: samples and tiles by the size of the truth,
// as `aqbench eval` does; points beyond an open border are left out unless the truth says otherwise, since
// images show more than a scan has.
ScoreOptions score_options_of(const RecordingTruth& truth, const Surface& surface, std::size_t points);

}  // namespace aqbench
