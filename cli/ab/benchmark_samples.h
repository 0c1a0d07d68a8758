#pragma once
// `aqbench ab --samples` of files of other benchmark tools.

#include "cli/ab/options.h"
#include "harness/ab/document.h"
#include "harness/ab/report.h"

namespace aqbench::cli {

// Returns whether --samples names files of another tool (harness/ab/benchmark_file.h), or a folder of them.
bool has_benchmark_samples(const AbRequest& request);

// A comparison of what files hold.
struct BenchmarkSamples {
  AbDocument document;
  bool in_pairs =
      false;  // each file of A was measured just before or after the one of B with its number, by turns
};

// Reads --samples (A) and --samples-b (B). Two folders with as many files each are pairs in the order of
// their names; a unit is then one file. Of two single files the repetitions are the units. One file of
// hyperfine with two commands needs no B. Benchmarks that one side lacks are noted. Throws Error(usage),
// Error(input).
BenchmarkSamples benchmark_samples(const AbRequest& request);

// Leaves of times that were not measured in pairs only REGRESSED and what is worse: a machine that drifted
// may hide a change as well as make one.
void keep_unpaired_verdicts(AbReport& report);

}  // namespace aqbench::cli
