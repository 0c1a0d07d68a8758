#pragma once
// `aqbench eval --depth`: a depth map against the true one of a dataset's camera.

#include <filesystem>
#include <string>

#include "cli/command.h"

namespace aqbench::cli {

struct EvalDepthRequest {
  std::filesystem::path depth_file, dataset_dir;
  std::string camera;
  double metres_per_unit = 1;
  bool json = false;
};

// Prints the metrics. `arguments` stand in the JSON. Throws Error(input) naming the file, the camera or both
// sizes.
ExitCode eval_depth(const EvalDepthRequest& request, const Arguments& arguments);

}  // namespace aqbench::cli
