#pragma once
// Reports of Google Benchmark: the time per iteration that a program measured itself. How long such a program
// runs says little, since it chooses its number of iterations by the clock.

#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// One benchmark of a report: the time of each of its repetitions.
struct GbenchTimes {
  std::string name;             // of the run, without what an aggregate adds: "BM_sort/1024/threads:2"
  std::vector<double> real_ms;  // per iteration, above 0
  std::string error;            // why it was skipped or failed; "" if it was not
};

// Reads the JSON report; aggregates are left out. Throws Error(input) "SOURCE: ..." for text that is none, an
// unknown unit of time, and a time that is not finite and above 0.
std::vector<GbenchTimes> read_gbench_report(const std::string& text, const std::string& source);

// Returns whether a program's output is such a report, as JSON or as the table that it prints without a flag.
bool is_gbench_report(std::string_view output);

// Returns the line for a shell that runs one benchmark of a program, "" all of them, and leaves the JSON
// report in `file`. A line that chooses its report itself (--benchmark_format, --benchmark_out) keeps it: it
// must be JSON on stdout then.
std::string gbench_line(const std::string& line, const std::string& benchmark, const std::string& file);

}  // namespace aqbench
