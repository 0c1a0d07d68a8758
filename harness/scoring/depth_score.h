#pragma once
// Depth maps of a reconstruction against a dataset's true ones, camera by camera.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "metrics/diagnosis.h"
#include "metrics/metric.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// How good the depths of one camera are.
struct CameraDepthScore {
  std::string camera;
  MetricSet metrics;  // depth_* of metrics/registry.h
};

// Reads a true depth map; what lies outside of the crop or of the camera's
// mask has no depth.
DepthMap read_true_depths(const std::filesystem::path& file, const Camera& camera, const Crop& crop);

// Returns how many values of the true depth maps of a frame stand for "nothing here" (drop_far_values()).
std::size_t count_far_depths(std::span<const Camera> cameras, const std::filesystem::path& dataset_dir,
                             std::size_t frame);

// Returns how many times too large the depths of a map are where that is a step of units (10 to 1000, or 1/10
// to 1/1000): at most a tenth of them lies within 10 % of the truth, and divided by the step more than half
// would. Returns nullopt for every other map of the truth's size, and where fewer than 100 pixels have both.
std::optional<double> unit_step(const DepthMap& map, const DepthMap& truth);

// Returns one score for every camera that is not auxiliary and has true depths of the frame
// (true_depth_file()) in the crop, in their order; none if the reconstruction has no depth maps at all. A
// camera without a map counts as one without any depth: its fill rate is 0. Throws Error(method) for a map of
// another size than the truth, in another unit (unit_step()) or of an unknown camera, Error(input) for an
// unreadable truth.
std::vector<CameraDepthScore> score_depth_maps(std::span<const DepthMap> maps,
                                               std::span<const Camera> cameras,
                                               const std::filesystem::path& dataset_dir,
                                               std::size_t frame = 0, const Crop& crop = {});

// Returns maps that the true cameras would have: each depth of a map is put into the world by the calibration
// that the map was made with, and imaged by the true camera at a place p between its pixels; the pixel then
// has the true depth of the pixel plus what the depth is off at p. A pixel without a true depth, or around
// whose p one is missing, has none. Maps of cameras without true depths stay as they are.
std::vector<DepthMap> in_true_cameras(std::span<const DepthMap> maps, const MapCalibration& made_with,
                                      const Rig& rig, const std::filesystem::path& dataset_dir,
                                      std::size_t frame = 0);

// Returns the median of every metric over the cameras that have a value for it. A metric that half of the
// cameras or more have no value for is undefined: the median of one camera is not the method's.
MetricSet median_over_cameras(std::span<const CameraDepthScore> scores);

// Returns a table as CSV: "camera,metric,..." and one line for each camera; an empty field where there is no
// value.
std::string depth_scores_csv(std::span<const CameraDepthScore> scores);

}  // namespace aqbench
