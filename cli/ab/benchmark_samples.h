#pragma once
// `aqbench ab --samples` of files of other benchmark tools.

#include "cli/ab/options.h"
#include "harness/ab/document.h"

namespace aqbench::cli {

// Returns whether --samples names files of another tool (harness/ab/benchmark_file.h), or a folder of them.
bool has_benchmark_samples(const AbRequest& request);

// Reads --samples (A) and --samples-b (B). Two folders with as many files each are pairs in the order of
// their names; a unit is then one file. Of two single files the repetitions are the units. One file of
// hyperfine with two commands needs no B. Benchmarks that one side lacks are noted. Throws Error(usage),
// Error(input).
AbDocument benchmark_samples(const AbRequest& request);

}  // namespace aqbench::cli
