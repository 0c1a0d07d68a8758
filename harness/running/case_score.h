#pragma once
// Scores the output of a case's method on what it was given.

#include <filesystem>

#include "harness/running/case_input.h"
#include "harness/scoring/score_case.h"
#include "scenes/scene.h"

namespace aqbench {

// Scores the output against the true surface of a scene without images, and by the protocols of the case.
void score_on_scene(const Case& planned, const Reconstruction& output, const Surface& truth,
                    const Afterwards& afterwards, CaseResult& result);

// Transforms the output to the world frame and scores it against the truth of the planned images. `rendered`
// is the folder of the dataset; empty if it was not rendered. Throws Error(method) for an output that is not
// worth scoring (harness/scoring/true_surface.h).
void score_on_images(const Case& planned, const DatasetPlan& plan, const std::filesystem::path& rendered,
                     Reconstruction output, const Afterwards& afterwards, CaseResult& result);

// Transforms the output to the recording's world frame and scores it against all truth of the frame and by
// metrics without truth (harness/scoring/agreement.h). Throws like score_on_images().
void score_recording(const Case& planned, const CaseRecordingData& data, Reconstruction output,
                     const Afterwards& afterwards, CaseResult& result);

}  // namespace aqbench
