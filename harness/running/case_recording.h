#pragma once
// A case whose method looks at a recording: what the method is given, and how its output is scored.

#include <filesystem>
#include <string>

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/scoring/score_case.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// A recording as a case uses it.
struct CaseRecordingData {
  Recording recording;
  DeclaredTruth declared;  // outside of its folder
  RecordingTruth truth;
  std::string sha256;  // of all its files and those of its truth, as they are now
  double made_ms = 0;  // time it took to check and copy
};

// Checks the recording of a case once more and writes what its method may see to `observation_dir`, with a
// wrong calibration where the case asks for one. Throws Error(input) as read_recording() and
// inspect_recording() do, and for a recording that is not what was planned.
CaseRecordingData make_case_recording(const Case& planned, const std::filesystem::path& observation_dir);

// Throws Error(method) if the recording's files are no longer what they were: for a method that could reach
// them.
void require_unchanged(const CaseRecordingData& data);

// Brings the output to the recording's world frame and scores it against all that is known to be true of the
// frame, and by what needs no truth (harness/scoring/consistency.h, photometric.h). Throws Error(method) for
// an output that is not worth scoring (harness/scoring/scorable.h).
void score_recording(const Case& planned, const CaseRecordingData& data, Reconstruction output,
                     const Afterwards& afterwards, CaseResult& result);

}  // namespace aqbench
