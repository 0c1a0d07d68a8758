#pragma once
// Is a cloud from a file worth scoring? Said before any metric is printed.

#include <string>

#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench::cli {

// Throws Error(input) "FILE: ..." if there is no finite point, if the points are plainly in another unit than
// metres, or if none lies where anything is scored. Returns a warning for the user ("" for none) when almost
// none does.
std::string check_scorable(const Reconstruction& reconstruction, const Surface& truth,
                           const std::string& file);

}  // namespace aqbench::cli
