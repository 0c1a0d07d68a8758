#pragma once
// Is a recording's true surface in the unit that is said? Found before anything runs.

#include <cstddef>
#include <string>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// Holds the files of a true surface against what the cameras see. Throws Error(input) naming source and field
// where no unit is said, with the one in which the surface would be in view; where the unit that is said puts
// it out of view, or hundreds of times as far away as the cameras are apart, and another does not; and where
// no camera sees any of it. Also as read_geometry_file() does for a file that is damaged or empty.
void check_truth_unit(const Recording& recording, const RecordingTruth& truth);

// Returns why another unit is likelier for the true surface of a frame than the one that is said, since there
// it lies more as cameras stand around a surface; empty where the one that is said is the likeliest. It
// decides nothing by itself: ten times as far away is possible, too. Throws as check_truth_unit() for files.
std::string likelier_truth_unit(const Recording& recording, const RecordingTruth& truth, std::size_t frame);

}  // namespace aqbench
