#pragma once
// Whether what cases run is there, asked once before any of them runs.

#include <span>

#include "harness/records/case.h"

namespace aqbench::cli {

// Throws Error(usage) "method NAME: FILE: ..." for the first case whose method is somebody's program that
// cannot be started: its program, its script or its working folder is not there.
void require_programs(std::span<const Case> cases);

}  // namespace aqbench::cli
