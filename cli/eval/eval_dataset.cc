#include "cli/eval/eval_modes.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.h"
#include "harness/project/project_use.h"
#include "scenes/dataset/truth_unit.h"

namespace aqbench::cli {
namespace {

// Flags of the user stay.
void take_declared_scoring(const SurfaceTruth& surface, EvalCloudRequest& request) {
  const SurfaceScoring& scoring = surface.scoring;
  if (!request.given_thresholds && !scoring.tolerances_m.empty())
    request.score.tolerances_m = scoring.tolerances_m;
  request.score.outlier_m = scoring.outlier_m.value_or(request.score.outlier_m);
  if (!request.given_spacing && scoring.spacing_m) {
    request.score.sample_spacing_m = *scoring.spacing_m;
    request.given_spacing = true;
  }
  if (!request.given_tile && scoring.tile_m) {
    request.score.tile_m = *scoring.tile_m;
    request.given_tile = true;
  }
  if (request.crops.empty()) {
    request.crops = scoring.crops;
    request.truth_metres_per_unit = aqbench::metres_per_unit(surface.unit).value_or(1);
  }
  if (!request.score.part.max_distance_m) request.score.part.max_distance_m = scoring.max_distance_m;
  if (!request.leave_out_beyond_border)
    request.leave_out_beyond_border = scoring.leave_out_beyond_border.value_or(true);
}

}  // namespace

void use_dataset(EvalCloudRequest& request, bool needs_surface) {
  if (request.dataset_dir.empty()) return;
  const PlacedDataset placed = place_dataset(current_project(std::nullopt), request.dataset_dir);
  request.dataset_dir = placed.directory.string();
  std::error_code unknown;
  const bool is_rendered = std::filesystem::exists(placed.directory / "truth" / "scene.json", unknown) &&
                           std::filesystem::exists(placed.directory / "calibration.json", unknown);
  if (is_rendered) return;
  EvalRecording& read = request.recording.emplace();
  read.recording = read_recording(placed.directory);
  read.truth = find_recording_truth(read.recording, placed.truth);
  if (request.frame >= read.recording.images.size())
    throw Error(ErrorKind::usage, fmt::format("--frame {}: the recording has {} frames, from 0",
                                              request.frame, read.recording.images.size()));
  load_masks(read.recording, request.frame);
  if (!needs_surface) return;
  if (!read.truth.has_surface())
    throw Error(
        ErrorKind::input,
        fmt::format("{0}: has no true surface; give --truth FILE, or name one in {0}/truth/truth.json or "
                    "aqbench.json (docs/dataset.md)",
                    request.dataset_dir),
        request.dataset_dir);
  if (!read.truth.surface) return;
  check_truth_unit(read.recording, read.truth);
  take_declared_scoring(*read.truth.surface, request);
}

}  // namespace aqbench::cli
