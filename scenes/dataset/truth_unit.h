#pragma once
// Checks before a run whether a recording's true surface is in its declared unit.

#include <cstddef>
#include <string>

#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// Compares the files of a true surface with what the cameras see. Throws Error(input) naming source and field
// where no unit is declared, with the unit in which the cameras would see the surface; where in the declared
// unit the cameras do not see it, or it lies hundreds of times as far away as the cameras are apart, and
// another unit fits; and where no camera sees any of it. Throws also as read_geometry_file() does for a file
// that is damaged or empty.
void check_truth_unit(const Recording& recording, const RecordingTruth& truth);

// Returns why another unit is likelier for the true surface of a frame than the declared one: in that unit
// the surface lies more as surfaces usually lie before cameras. Empty where the declared unit is the
// likeliest. It decides nothing by itself: ten times as far away is possible, too. Throws as
// check_truth_unit() for files.
std::string likelier_truth_unit(const Recording& recording, const RecordingTruth& truth, std::size_t frame);

}  // namespace aqbench
