#pragma once
// `aqbench eval --charuco`: the corners of a ChArUco board, reconstructed against true.

#include "cli/options.h"

namespace aqbench::cli {

// Adds --charuco and --board.
void add_charuco_options(po::options_description& options);

// Compares the two files of corners and prints each corner's error and their summary in millimetres. Throws
// Error(usage) for an option that does not go with --charuco, Error(input) for files that cannot be read,
// have no corner, different numbers of corners, or a corner that is not finite.
ExitCode eval_charuco(const po::variables_map& values, double metres_per_unit);

}  // namespace aqbench::cli
