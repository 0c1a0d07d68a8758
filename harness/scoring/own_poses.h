#pragma once
// The cameras that a method placed itself: against the true ones, and what brings its cloud to the truth.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/records/case_result.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/metric.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/registry.h"
#include "metrics/score_options.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Where a method's own cameras stand.
struct OwnPlacement {
  MetricSet metrics;      // of family `poses`
  std::string unplaced;   // why the output could not be moved into the frame of the rig; empty: it was
  bool all_agree = true;  // with the alignment, where there is one
};

// Moves the output by the similarity of its own cameras to those of the rig, as `eval --align cameras` fits
// it (fit_similarity_robust()), and returns the metrics of family `poses`: areas under the recall curve as
// COLMAP's benchmark defines them (benchmark/reconstruction/evaluation/utils.py: of each ordered pair of
// images the larger of the angles between the relative rotations and between the directions of the relative
// translations; 180 degrees where an image has no pose), errors of the aligned cameras, and the residual. The
// transform goes into the record as alignment_*. A camera's name is that of an image or its folder. Where the
// cameras do not determine the alignment, the output stays where it is and what needs the alignment is
// undefined. Throws Error(method) for a name that is no camera's.
OwnPlacement align_own_cameras(Reconstruction& output, const Rig& rig, FitScale scale, Record& record);

// Returns the number of the camera in the rig that an image is of, "images/cam00/000000.png", or that is
// called so. Throws Error(method) for a name that is none.
std::size_t camera_of(const Rig& rig, const std::string& image);

// Returns own cameras by their number in the rig. Throws as camera_of(), and for a camera that comes twice.
std::map<std::size_t, const OwnCamera*> own_cameras_by_number(const Rig& rig,
                                                              const std::vector<OwnCamera>& own_cameras);

// Returns the metrics that an output would have of a true surface and of further families, all undefined for
// a reason, but for the number of points. `surface` are the options of the score; nullptr: there is no true
// surface.
MetricSet undefined_metrics(const Reconstruction& output, const ScoreOptions* surface,
                            std::span<const ScoreFamily> families, std::span<const AskedProtocol> protocols,
                            const std::string& reason);

// Moves the output further by ICP to the truth, as `eval --align icp` does, or `sim3` with a scale. Throws
// Error(method) for a cloud that ICP cannot align, and without a scale for one that is not near the truth.
void align_to_truth(Reconstruction& output, const Surface& truth, bool scale, Record& record);

// The cameras that a method placed among images without cameras, in its own frame and unit.
struct OwnRig {
  Rig rig;                          // those with a focal length and a known lens
  std::vector<std::size_t> images;  // of each of them, by its number among the recording's
  MetricSet metrics;                // pose_registered_pct; of fewer than two cameras photometric_*, undefined
};

// Returns the cameras of an output as a rig without an interface; their pixels are those of the images.
// Throws Error(method) as align_own_cameras() does for names.
OwnRig rig_of_own_cameras(const Reconstruction& output, const Rig& images);

}  // namespace aqbench
