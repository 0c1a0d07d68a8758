#pragma once
// benchmark.json: the samples in Google Benchmark's format, for its compare.py and other readers of it.

#include <string>

#include "harness/records/results.h"

namespace aqbench {

// Cases that gave a time only, one entry a sample: warm repetitions, or the cold call where there are none.
std::string benchmark_json_text(const Results& results);

}  // namespace aqbench
