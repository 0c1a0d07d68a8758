#pragma once
// Checks whether a cloud is worth scoring, so that a wrong unit or frame is found before a number is shown;
// the true surface of a recording, and which part of a cloud is scored against it.

#include <cstddef>
#include <string>
#include <vector>

#include "metrics/score_options.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"
#include "scenes/scene.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The hints of a message about a cloud in another unit or frame.
struct ScorableHints {
  std::string name;                     // stands before each message: the file, or what it is
  std::string unit = "give --unit {}";  // {} is m, cm, mm or um
  std::string frame = "see --transform";
  std::string truth_unit = "give --truth-unit {}";
  double metres_per_unit = 1, truth_metres_per_unit = 1;  // by which cloud and truth were read
};

// Holds the units of cloud and truth against each other. Throws Error(input), one line that begins with the
// name, where at most a tenth of the points lies near the truth and another unit of cloud or truth (m, cm,
// mm, um) would put more than half of them there; near is within a tenth of the cloud's size. Throws also for
// a cloud without finite points, and where no point lies over the patch of a scene. Any other cloud can be
// scored; returns a warning where less than 1 % of its points lie in the region of the truth, or the truth of
// a file is about a thousand times as large as the cloud, else an empty text. Reads the cloud once.
std::string check_scorable(const CloudBlocks& cloud, const Surface& truth, const ScorableHints& hints);

// Makes the true surface of a frame, in the recording's world frame: a scene of aqbench, a mesh where the
// file has faces, else a scan, several scans together, or the true depth maps of the recording's cameras. The
// truth must have one, with a unit. Throws Error(input) naming the file.
Scene true_scene(const RecordingTruth& truth, std::size_t frame, const std::string& name,
                 const Recording& recording);

// Returns the scans that true_scene() is made of; none where it is a scene of aqbench or a mesh. Throws as
// true_scene().
std::vector<Scan> true_scans(const RecordingTruth& truth, std::size_t frame, const Recording& recording);

// Returns how a cloud of that many points is scored against a surface: what is not given by the size of the
// truth. Regions are in a unit of so many metres.
ScoreOptions score_options(const SurfaceScoring& scoring, double metres_per_unit, const Surface& surface,
                           std::size_t points);
Crop crop_of(const SurfaceScoring& scoring, double metres_per_unit);

// Returns that of a recording: points beyond an open border are left out unless the truth says otherwise,
// since images show more than a scan has.
ScoreOptions score_options_of(const RecordingTruth& truth, const Surface& surface, std::size_t points);

}  // namespace aqbench
