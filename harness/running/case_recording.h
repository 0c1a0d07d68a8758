#pragma once
// What a method is given: images rendered for its case, or a recording; and the scoring on a recording.

#include <filesystem>
#include <optional>
#include <string>

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_dataset.h"
#include "harness/scoring/score_case.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// The recording of a case.
struct CaseRecordingData {
  Recording recording;     // the cameras of the case
  Recording whole;         // all of them
  DeclaredTruth declared;  // outside its folder
  RecordingTruth truth;
  std::string sha256;  // of all its files and those of its truth, as of now
  double made_ms = 0;  // time to check and copy
};

// Checks the recording of a case again and writes its visible part to `observation_dir`, with a calibration
// error if the case has one. Throws Error(input) like read_recording() and inspect_recording(), and for a
// recording that differs from the planned one.
CaseRecordingData make_case_recording(const Case& planned, const std::filesystem::path& observation_dir);

// A method's input: images rendered for it, a recording, or nothing.
struct Observed {
  std::optional<CaseDataset> dataset;
  std::optional<CaseRecordingData> recording;
  std::string sha256 = {};             // of either
  std::optional<double> made_ms = {};  // time to make either
};

// Makes the input of a case's method in its scratch folder. Throws as make_case_dataset() and
// make_case_recording() do.
Observed observe(const Case& planned, const std::filesystem::path& scratch_dir);

// Throws Error(method) if the recording's files have changed: for a method that could reach them.
void require_unchanged(const CaseRecordingData& data);

// Transforms the output to the recording's world frame and scores it against all truth of the frame and by
// metrics without truth (harness/scoring/consistency.h, photometric.h). Throws Error(method) for an output
// that is not worth scoring (harness/scoring/scorable.h).
void score_recording(const Case& planned, const CaseRecordingData& data, Reconstruction output,
                     const Afterwards& afterwards, CaseResult& result);

}  // namespace aqbench
