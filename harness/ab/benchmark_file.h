#pragma once
// Times that other benchmark tools wrote: Google Benchmark, hyperfine, pytest-benchmark, Criterion.

#include <filesystem>
#include <string>
#include <vector>

#include "core/json.h"

namespace aqbench {

// The runs of one benchmark.
struct BenchmarkSeries {
  std::string name;
  std::vector<double>
      seconds;             // of its repetitions, in order; one value where the tool kept an average alone
  std::string note = {};   // "the median of 5 runs alone was kept"; else empty
  std::string error = {};  // why it has no times; else empty
};

// What one run of a tool measured.
struct BenchmarkFile {
  std::string tool;  // "Google Benchmark", "hyperfine", "pytest-benchmark", "Criterion"
  std::string
      started_local;  // "2026-11-25T17:09:24" on the clock of that machine; "" where the file has none
  JsonBox machine;    // what the tool says of the machine: text and numbers; empty if nothing
  std::vector<BenchmarkSeries> series;  // in the file's order; names are unique
};

// Returns the tool that wrote a file or folder, by its content; "" for none of them. A folder is Criterion's
// where a benchmark of it has new/sample.json or new/estimates.json.
std::string benchmark_tool(const std::filesystem::path& path);

// Reads the JSON of Google Benchmark (repetitions, or the median of its aggregates), hyperfine
// (--export-json), pytest-benchmark (--benchmark-json), `cargo criterion --message-format json`, or a folder
// of Criterion such as target/criterion. Times are wall time of one iteration in seconds. Throws Error(input)
// "FILE: benchmarks[3]:
// ..." for a file of another tool, a value that is not finite and above 0, and a file without a benchmark.
BenchmarkFile read_benchmark_file(const std::filesystem::path& path);

}  // namespace aqbench
