#pragma once
// How the methods of a run were kept from the truth, as text.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns in one line how the processes of the run's real methods were shut in: once if all were alike, else
// each way with its number of cases. Records of builds that did not note it are "not recorded". Empty where
// no real method ran.
std::string isolation_line(const Results& results);

}  // namespace aqbench
