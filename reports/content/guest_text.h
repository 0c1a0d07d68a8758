#pragma once
// Who ran as a program of the user, as text.

#include <string>
#include <vector>

#include "harness/records/results.h"

namespace aqbench {

// Returns one line for each program of the user in a run, whatever its cases: "mine: run.py 1f0c44a1b2d3,
// weights.pt 9a0b..., venv .venv, commit 3f2a9c01d4e5, changed". Hashes have 12 digits. Where it marks a
// stage `load`, the line says how long that takes on average, of how much: loading is no part of a method.
std::vector<std::string> guest_lines(const Results& results);

}  // namespace aqbench
