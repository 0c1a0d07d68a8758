#pragma once
// `aqbench eval --charuco`: compares the reconstructed corners of a ChArUco board with the true ones.

#include <string>

#include "core/error.h"

namespace aqbench::cli {

// What is compared: two files of corners in the same order and unit.
struct EvalCharucoRequest {
  std::string detected_file, board_file;
  double metres_per_unit = 1;
  bool json = false;
};

// Compares the two files and prints each corner's error and their summary in millimetres. Throws Error(input)
// for files that cannot be read, have no corner, different numbers of corners, or a corner that is not
// finite.
ExitCode eval_charuco(const EvalCharucoRequest& request);

}  // namespace aqbench::cli
