#pragma once
// The workflow that compares the benchmarks of a pull request with those of its base.

#include <string>

namespace aqbench::cli {

// What `aqbench init --benchmark` is asked for.
struct BenchmarkStart {
  std::string program;  // of Google Benchmark, as a line for a shell: "build/bench"; empty: none
  std::string build;    // makes it in a checkout
  std::string service;  // "github" or "gitlab"
};

// A file that a service for CI reads.
struct WorkflowFile {
  const char* path;
  std::string text;
};

// Returns the workflow of the service. Throws Error(usage) for another service, and for a line break.
WorkflowFile benchmark_workflow(const BenchmarkStart& start);

}  // namespace aqbench::cli
