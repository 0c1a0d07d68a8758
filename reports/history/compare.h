#pragma once
// Two bundles side by side: accuracy, memory, stages, batching; times as a trend.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/records/results.h"
#include "metrics/metric.h"

namespace aqbench {

struct ComparedMetric {
  std::string case_name, metric, unit;
  Better better = Better::lower;
  std::optional<double> a, b;  // nullopt: undefined or absent, `note` says which
  std::string note;
};

// What moved a stage's time: t = work x cost per unit of work, so the factors multiply to the time's.
struct ComparedStage {
  std::string case_name, stage, parent;
  std::uint64_t calls_a = 0, calls_b = 0;
  std::optional<double> self_ms_a, self_ms_b;  // median over the repetitions
  std::optional<std::int64_t> net_bytes_a, net_bytes_b, peak_bytes_a, peak_bytes_b;

  std::optional<double> time_factor() const;  // b / a
  std::optional<double> work_factor() const;  // calls b / a
  std::optional<double> cost_factor() const;  // time per call, b / a
};

struct ComparedTime {
  std::string case_name;
  std::string batch;  // value of a batch axis, "" for none
  std::optional<double> a_ms, b_ms;
};

struct CompareReport {
  std::string a, b;                          // run, commit
  std::string refusal;                       // not empty: a bundle against itself
  std::vector<std::string> notes;            // cases on one side alone, other options, other status
  std::vector<std::string> key_differences;  // of the comparability key: "cpu_model: X, Y"; empty: times may
                                             // be compared
  std::size_t cases = 0;                     // compared
  std::vector<ComparedMetric> metrics;
  std::vector<ComparedStage> stages;
  std::vector<ComparedTime> times;
};

// Pure. Cases whose options differ are not compared and named in the notes.
CompareReport compare_results(const Results& a, const Results& b);

// "depth_estimation of undulating/...: 1.40 x: 2.00 x the calls, 0.70 x the time per call": the stage whose
// self time changed most, if any by 5 % or more. Empty for none.
std::string moved_stage_line(const CompareReport& report);

// Tables of at most 100 columns. Metrics that are equal are counted unless `all`. Every table of times says
// what it is: a trend, or one from the same machine key.
std::string render_compare(const CompareReport& report, bool colours = false, bool all = false);

}  // namespace aqbench
