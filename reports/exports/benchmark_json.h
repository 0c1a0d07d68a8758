#pragma once
// benchmark.json: the samples in Google Benchmark's format, for its compare.py and other readers of it.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Returns the JSON text: for each case that gave a time an entry for each warm repetition, or for the cold
// call where there are none.
std::string benchmark_json_text(const Results& results);

}  // namespace aqbench
