#pragma once
// What a method is given: images rendered for its case, or a recording.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/case.h"
#include "scenes/dataset/dataset_cache.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The folders in a case's scratch folder with the method's view of the dataset, and that it may write to.
inline constexpr const char* kObservationFolder = "observation";
inline constexpr const char* kWorkFolder = "work";

// The file in the method's view of the dataset with the cameras whose images it shall render.
inline constexpr const char* kHeldOutFile = "held_out.json";

// A view that the method of a case does not get, with its true image.
struct HeldOutView {
  Camera camera;
  std::filesystem::path image;
};

// The images rendered for a case.
struct CaseDataset {
  DatasetPlan plan;
  CachedDataset dataset;                  // with truth/
  std::filesystem::path observation_dir;  // the method's input
  double made_ms = 0;                     // time to render or find both
  std::vector<HeldOutView> held_out = {};
};

// Finds the dataset in the cache or renders it, and copies its visible part, calibration.json and images/, to
// scratch_dir, without the views that are held out, which its plan then lacks, too: no link leads from there
// to the truth, and the method can damage only its own copy. Names each camera that it renders on stderr.
// Throws like plan_dataset() and cached_dataset(), Error(io).
CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir);

// The recording of a case.
struct CaseRecordingData {
  Recording recording;     // the cameras of the case
  Recording whole;         // all of them
  DeclaredTruth declared;  // outside its folder
  RecordingTruth truth;
  std::string sha256;  // of all its files and those of its truth, as of now
  double made_ms = 0;  // time to check and copy
  std::vector<HeldOutView> held_out = {};
};

// Checks the recording of a case again and writes its visible part to `observation_dir`, with a calibration
// error if the case has one. Throws Error(input) like read_recording() and inspect_recording(), and for a
// recording that differs from the planned one.
CaseRecordingData make_case_recording(const Case& planned, const std::filesystem::path& observation_dir);

// A method's input: images rendered for it, a recording, or nothing.
struct Observed {
  std::optional<CaseDataset> dataset;
  std::optional<CaseRecordingData> recording;
  std::vector<HeldOutView> held_out = {};
  std::string sha256 = {};             // of either
  std::optional<double> made_ms = {};  // time to make either
};

// Makes the input of a case's method in its scratch folder; where it gives images, with held_out.json, the
// cameras of the views that are held out, in the form of calibration.json. Throws as make_case_dataset() and
// make_case_recording() do.
Observed observe(const Case& planned, const std::filesystem::path& scratch_dir);

// Throw Error(method) if the files have changed since they were found: for a method that could reach them.
void require_unchanged(const CachedDataset& dataset);
void require_unchanged(const CaseRecordingData& data);

}  // namespace aqbench
