#pragma once
// What a real reconstruction method is given: a dataset without its truth.

#include <filesystem>

namespace aqbench {

struct Observation {
  std::filesystem::path dataset_dir;  // calibration.json and images/ of the dataset layout
};

}  // namespace aqbench
