#pragma once
// A file of another benchmark tool as results: each benchmark is the case of a workload of its name, its runs
// are warm runs.

#include <filesystem>
#include <utility>

#include "harness/records/results.h"

namespace aqbench {

// Reads a file or folder (harness/ab/benchmark_file.h). The suite is the tool's name in small letters, the id
// and start those of the file, or of its last change where it does not say. A benchmark without times is a
// failed record. `comparability` is what the tool says of the machine, together with the tool; none where it
// says nothing, unless it was `measured_here`: then it is this machine. Throws as read_benchmark_file().
Results results_of_benchmarks(const std::filesystem::path& path, bool measured_here = false);

// Returns how often chance alone looks like a slow-down, of runs in their order: the share of contiguous
// halves of a case's runs whose median is more than `factor` times that of the other half, and how many
// halves that are of. Cases with fewer than 10 runs are left out. What drifts from one day to the next comes
// on top.
std::pair<double, std::size_t> false_alarms_of_halves(const Results& results, double factor);

}  // namespace aqbench
