#pragma once
// Cameras of several models against several true scenes: groups of pairs as COLMAP's benchmark scores them,
// and the scores of the Image Matching Challenges of 2024 and 2025.

#include <span>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/pose_datasets.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// Returns all knobs by name.
std::span<const Knob<PoseSetKnobs>> pose_set_knobs();

using PoseSetProtocol = KnobProtocol<PoseSetKnobs>;

// Returns all protocols for sets of poses.
std::span<const PoseSetProtocol> pose_set_protocols();

// Compares models with true scenes, means over data sets. Of colmap (benchmark/reconstruction/evaluation/
// utils.py): of ordered pairs of images of one scene or in one model the larger of both angles, 180 degrees
// where they are not in both; of images the distance of centres, of each model those of the scene with the
// least mean error; relative_auc, relative_recall, absolute_auc, absolute_recall, pairs, images. Of the
// challenges maa; of 2025 also clusterness and score: centres after the similarity of all triples of cameras
// that leaves most inliers. Throws Error(input) for a data set that the estimate lacks.
ProtocolResult pose_set_errors(std::span<const PoseDataset> truth, std::span<const PoseDataset> estimate,
                               const PoseSetKnobs& knobs);

}  // namespace aqbench
