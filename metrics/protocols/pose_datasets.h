#pragma once
// Poses of images in sets, those of models or of true scenes, and the knobs of their scores.

#include <string>
#include <vector>

#include "metrics/protocols/trajectory.h"

namespace aqbench {

// An image of a set; one without a pose has a position that is not finite.
struct SetImage {
  std::string name;
  CameraPose pose;
};

// The images of a model, or of a true scene; those of the scene kOutliers belong to none.
struct PoseSet {
  std::string name;
  std::vector<SetImage> images;
};

inline constexpr const char* kOutliers = "outliers";

// The sets of a data set, in the order of their file.
struct PoseDataset {
  std::string name;
  std::vector<PoseSet> sets;
};

enum class SetScore { colmap, imc2024, imc2025 };

// The knobs of pose_set_errors().
struct PoseSetKnobs {
  SetScore score = SetScore::colmap;
  bool align_similarity =
      false;  // of colmap: a model is fitted to the truth by all its centres, else none is
  std::vector<double> thresholds_deg = {0.5, 1, 5, 10};
  std::vector<double> thresholds_m = {0.02, 0.05, 0.2, 0.5};
  double min_error_deg = 0, min_error_m = 0;  // smaller errors are a step there
  double min_baseline_m = 0;                  // of shorter true ones the direction does not count
  int skip_thresholds = 0;                    // of the challenges: so many of the first ones do not count
  bool nothing_fails = false;  // where nothing can be scored a score is 0, as published; else it is undefined
};

}  // namespace aqbench
