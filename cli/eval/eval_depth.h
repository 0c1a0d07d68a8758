#pragma once
// `aqbench eval --depth`: a depth map against the true one of a rendered dataset.

#include <string>

#include "cli/command.h"
#include "cli/eval/eval_depth_input.h"

namespace aqbench::cli {

// Which depth map is scored, and what its values are.
struct EvalDepthRequest {
  std::string depth_file, camera, dataset_dir;
  DepthMeaning meaning;
  bool json = false;
};

// Scores the depth map and prints its metrics. Throws Error(usage) where no flag says what the values are,
// Error(input) for a file that does not fit the camera.
ExitCode eval_depth(const EvalDepthRequest& request, const Arguments& arguments);

}  // namespace aqbench::cli
