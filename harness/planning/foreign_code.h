#pragma once
// The external programs and code that a plan runs.

#include <span>
#include <string>
#include <vector>

#include "harness/records/case.h"

namespace aqbench {

// Returns the programs that cases start and the code they load, each once, in the order of the cases:
// "external.command: python3 their.py {dataset} {output}", "torchscript.model: matcher.pt", "mine: THREADS=2
// python3 mine.py {dataset} {output}" of a declared method.
std::vector<std::string> foreign_code(std::span<const Case> cases);

}  // namespace aqbench
