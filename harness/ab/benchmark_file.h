#pragma once
// Times that other benchmark tools wrote: Google Benchmark, hyperfine, pytest-benchmark, Criterion.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "harness/ab/ab_command.h"
#include "harness/records/results.h"

namespace aqbench {

// One benchmark of a report: the time of each of its repetitions.
struct GbenchTimes {
  std::string name;                 // of the run, without what an aggregate adds: "BM_sort/1024/threads:2"
  std::vector<double> real_ms;      // per iteration, above 0
  std::string error;                // why it was skipped or failed, in any repetition; "" if it was not
  std::vector<double> cpu_ms = {};  // for each of real_ms; empty where a run has none, where the benchmark
                                    // uses several threads or measures its time itself ("/manual_time")
  std::vector<double> instructions = {};  // per iteration, for each of real_ms; empty where not counted

  template <class Row>
  static void members(const Row& row) {
    row("name", &GbenchTimes::name);
    row("real_ms", &GbenchTimes::real_ms);
    row("error", &GbenchTimes::error);
    row("cpu_ms", &GbenchTimes::cpu_ms, kLeftOut);
    row("instructions", &GbenchTimes::instructions, kLeftOut);
  }
};

// Reads the JSON report; of aggregates only whether they failed. A time that is NaN or infinite is an error
// of its benchmark. Throws Error(input) "SOURCE: ..." for text that is none, an unknown unit of time, and a
// time that is not above 0.
std::vector<GbenchTimes> read_gbench_report(const std::string& text, const std::string& source);
std::vector<GbenchTimes> read_gbench_report(const JsonPlace& root);

// Returns the JSON with null for the literals NaN, Infinity and their negatives, which some tools write.
std::string with_nulls(std::string_view text);

// Benchmarks that one side alone has.
struct OneSidedBenchmarks {
  std::vector<std::string> notes;  // one for each, for people
  std::vector<std::string> lost;   // of A, where nothing in B may be the same under another name
};

// Finds the benchmarks that one side alone has, none of which is compared. Where one of A and one of B are
// like no other, or are the only ones left, B may have moved or renamed it.
OneSidedBenchmarks one_sided_benchmarks(const std::vector<std::string>& a, const std::vector<std::string>& b);

// Returns whether a program's output is such a report, as JSON or as the table that it prints without a flag.
bool is_gbench_report(std::string_view output);

// Returns the line for a shell that runs one benchmark of a program, "" all of them, and leaves the JSON
// report in `file`. A line that chooses its report itself (--benchmark_format, --benchmark_out) keeps it: it
// must be JSON on stdout then. A quick one measures a benchmark for 0.05 s instead of 0.5 s, unless the line
// says how long: many short pairs tell more in a minute than a few long ones. With rules.instructions it asks
// for the counter kInstructionCounter.
std::string gbench_line(const std::string& line, const std::string& benchmark, const std::string& file,
                        const AbCommandRules& rules = {});

// Google Benchmark's name of the instructions of an iteration, counted where it is built with libpfm.
inline constexpr const char* kInstructionCounter = "INSTRUCTIONS";

// The runs of one benchmark.
struct BenchmarkSeries {
  std::string name;
  std::vector<double> seconds;  // of its repetitions, in order; one where the tool kept an average alone
  std::string note = {};        // "the median of 5 runs alone was kept"; else empty
  std::string error = {};       // why it has no times, or why one of its runs failed; else empty
  std::vector<double> cpu_seconds = {};   // of one thread, for each of `seconds`; empty where not known
  std::vector<double> instructions = {};  // of one iteration, for each of `seconds`; empty where not counted
};

// What one run of a tool measured.
struct BenchmarkFile {
  std::string tool;                        // "Google Benchmark", "hyperfine", "pytest-benchmark", "Criterion"
  std::optional<std::int64_t> started_us;  // since 1970, UTC; nullopt where the file has no date
  JsonBox machine;  // what the tool says of the processor and what it ran; not of the host's name and clock
  std::vector<BenchmarkSeries> series;  // in the file's order; names are unique
  std::optional<double> load_1m = {};   // load average over 1 minute, when the tool started
  std::optional<std::uint64_t> processors = {};
  std::string commit = {};  // that the user gave the tool: --benchmark_context=commit=HASH
};

// Returns the time of "2026-11-25T17:09:24.045692+01:00" in microseconds since 1970, UTC. The fraction may be
// missing, and so may the offset, which is 0 then; nullopt for other text.
std::optional<std::int64_t> utc_microseconds(const std::string& date);

// Returns the tool that wrote a file or folder, by its content; "" for none of them. A folder is Criterion's
// where a benchmark of it has new/sample.json or new/estimates.json.
std::string benchmark_tool(const std::filesystem::path& path);

// Reads the JSON of Google Benchmark (repetitions, or the median of its aggregates), hyperfine
// (--export-json), pytest-benchmark (--benchmark-json), `cargo criterion --message-format json`, or a folder
// of Criterion. Times are wall time of one iteration. Throws Error(input) "FILE: benchmarks[3]: ..." for a
// file of another tool, a value that is not above 0, and a file without a benchmark.
BenchmarkFile read_benchmark_file(const std::filesystem::path& path);

// Reads a file or folder: each benchmark is the case of a workload of its name, its runs are warm runs, and
// the median of its counted instructions is a metric. The suite is the tool's name in small letters. The id
// and the start are those of the file, or its last change where it does not say. A benchmark without times or
// with a run that failed is a failed record. `comparability` is what the tool says of the machine, together
// with the tool; none where it says nothing, unless it was `measured_here`: then it is this machine. Throws
// as read_benchmark_file().
Results results_of_benchmarks(const std::filesystem::path& path, bool measured_here = false);

// Returns how often chance alone looks like a slow-down: the share of contiguous halves of a case's runs, at
// least 10, whose median is more than `factor` times that of the other half, and the number of halves.
std::pair<double, std::size_t> false_alarms_of_halves(const Results& results, double factor);

}  // namespace aqbench
