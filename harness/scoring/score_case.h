#pragma once
// Scores the output of a case's method, also by other benchmarks' protocols, and keeps tables and pictures
// beside the record.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/records/case_result.h"
#include "harness/scoring/depth_score.h"
#include "harness/viewing/make_view.h"
#include "metrics/diagnosis.h"
#include "metrics/metric.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/score.h"
#include "metrics/score_options.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/perturb.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Which files of a scored case are kept beside its tables.
struct KeptFiles {
  bool cloud = false;    // what was scored: clouds/NAME.ply
  bool pictures = true;  // of depth maps (harness/scoring/depth_pictures.h), photographs, and the cloud view
                         // (harness/viewing/)
  bool tables = true;    // of errors by place, and of completeness by number of views
  // An existing folder for what a real method gives, as it gives it: cloud.ply, mesh.ply and, as float32 in
  // metres along the refracted ray with NaN for none, depth/CAMERA.npy, depth/CAMERA_confidence.npy. Empty:
  // it is not kept.
  std::filesystem::path output_dir = {};
};

// Appends metrics to others.
inline void add_metrics(MetricSet more, MetricSet& metrics) {
  for (auto& metric : more) metrics.push_back(std::move(metric));
}

// Adds a number of what was found or left out to the record's `effective`, unless it is 0.
inline void note_count(const char* name, std::size_t count, Record& record) {
  if (count > 0) record.effective.emplace_back(name, static_cast<double>(count));
}

// Throws Error(method) in the words of `aqbench eval` for an output that it refuses
// (harness/scoring/true_surface.h).
void require_scorable(const Reconstruction& output, const Surface& truth, double truth_metres_per_unit = 1);

// Returns the calibration with the error, which a method had in place of the true one; nullopt without an
// error.
std::optional<MapCalibration> wrong_calibration(const Rig& rig, const CalibrationError& error);

// Scores depth maps against the true ones of a frame (harness/scoring/depth_score.h). `made_with` is the
// calibration that the method had; nullptr where it is the true one, `rig`. True depths outside of the crop
// do not count.
void score_depths(const Reconstruction& output, const Rig& rig, const MapCalibration* made_with,
                  const std::filesystem::path& dataset_dir, std::size_t frame, const KeptFiles& kept,
                  CaseResult& result, const Crop& crop = {});

// Adds the causes of holes and the errors of each camera, for methods that give depth maps; returns the
// holes. `samples`, which it frees, and `part` are those of the score; does nothing for nullopt.
ViewHoles diagnose_output(const Reconstruction& output, std::optional<SeenSamples> samples,
                          const Surface& truth, const Rig& rig, const MapCalibration* made_with,
                          const ScoredPart& part, CaseResult& result);

// Keeps the cloud view (harness/viewing/cloud_view.h) of the part that is scored; all points where the cloud
// is kept as well. `rig` may be nullptr; `views` counts the cameras that see a place, and may be empty.
void add_view(const Reconstruction& output, const Surface& truth, const Rig* rig, const ViewHoles& holes,
              const ViewCounter& views, const KeptFiles& kept, CaseResult& result,
              const ScoredPart& part = {});

// Gives a truth the cameras that `cull` asks. Auxiliary ones count: methods use their images. `surface` must
// outlive it.
void take_cameras(const Surface& surface, const Rig& rig, CloudTruth& truth);

// Gives a truth its surface, of which the part counts that these options say, and its samples if they are
// asked for or there are no other points, as a scene has none. `surface` must outlive it.
void take_surface(const Surface& surface, const ScoreOptions& options, bool samples, CloudTruth& truth);

// Gives a truth what DTU's scanner observed; does nothing for nullopt.
void take_observed(const std::optional<ObservedVolume>& observed, CloudTruth& truth);

// Scores a cloud by protocols, as `aqbench eval --protocol` does with the same truth. Throws Error(method)
// for an output that a protocol does not score (unfit_output()). `scans` are those that the truth was
// read from; of any other truth points come from the surface. `rig`, in the frame of the truth, is what
// `cull` asks; nullptr: unknown. `observed` is what `dtu` asks for; nullopt: everything.
MetricSet score_protocols(const std::vector<AskedProtocol>& protocols, const Reconstruction& output,
                          const Surface& truth, const ScoreOptions& options, std::vector<Scan> scans,
                          const Rig* rig, const std::optional<ObservedVolume>& observed = {});

}  // namespace aqbench
