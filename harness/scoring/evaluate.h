#pragma once
// The one evaluation: what `sweep`, `run` and `eval` call.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/case_result.h"
#include "harness/scoring/place_cloud.h"
#include "harness/scoring/score_case.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/score.h"
#include "metrics/score_options.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"
#include "scenes/scene.h"

namespace aqbench {

// What an output is scored against. What is not known is missing.
struct Subject {
  std::optional<Scene> scene = {};  // with its true surface
  std::optional<Rig> rig = {};      // cameras, in the frame of the truth
  // A recording, with all that is known of one of its frames; then `rig` is its.
  const Recording* recording = nullptr;
  const RecordingTruth* truth = nullptr;
  std::size_t frame = 0;
  std::filesystem::path depths_dir = {};  // of a dataset with true depths; empty: none

  const Surface* surface() const { return scene ? scene->truth.surface.get() : nullptr; }
};

// How it is scored.
struct EvaluateOptions {
  ScoreOptions score = {};
  std::vector<AskedProtocol> protocols = {};
  KeptFiles kept{.cloud = false, .pictures = false, .tables = false};
  // Of a method: the calibration error that it was given, how the cameras are fitted that it placed itself,
  // what follows to the surface ("icp", "sim3" or "nothing"), and whether it could miss the truth's frame and
  // unit, which a simulated one cannot.
  CalibrationError calibration_error = {};
  std::optional<FitScale> own_cameras = {};
  std::string then = "nothing";
  bool may_miss = true;
  // Of a file: it may be in any unit and frame. Errors name it then, and are those of input.
  std::optional<PlaceOptions> place = {};
};

// What there is to say beside the record.
struct Evaluation {
  Output output;             // where it was scored
  Score score = {};          // without metrics, which are in the record
  Placement placement = {};  // of a file
};

// Brings the output to the frame of the truth and measures all that the subject has truth for; of a recording
// without a true surface what images and cameras say (harness/scoring/agreement.h). Adds metrics and files to
// the result; those measured before an exception stay. Throws Error(method) for an output that is not worth
// scoring, Error(input) if it is a file, and for an unreadable truth.
Evaluation evaluate(const Subject& subject, Output output, const EvaluateOptions& options,
                    CaseResult& result);

}  // namespace aqbench
