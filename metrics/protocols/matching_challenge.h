#pragma once
// The scores of the Image Matching Challenges (Kaggle, 2024 and 2025) of one data set.

#include "metrics/protocols/pose_datasets.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

inline constexpr const char* kNothing = "nothing can be scored; knob nothing=fails scores 0, as published";

// Returns how many of the thresholds count.
double counted_thresholds(const PoseSetKnobs& knobs);

// Returns the mean over scenes of maa. What models images are in does not count.
ProtocolResult imc2024_scores(const PoseDataset& truth, const PoseDataset& estimate,
                              const PoseSetKnobs& knobs);

// Returns maa, clusterness and score. Each scene takes the model with most of its images, of several that
// with the better score, then the first; where that one is `outliers`, its images do not count, as published.
ProtocolResult imc2025_scores(const PoseDataset& truth, const PoseDataset& estimate,
                              const PoseSetKnobs& knobs);

}  // namespace aqbench
