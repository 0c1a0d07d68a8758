#pragma once
// Two bundles side by side: accuracy, memory, stages, batching, and times as a trend.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "metrics/metric.h"

namespace aqbench {

// One metric of one case on both sides.
struct ComparedMetric {
  std::string case_name, metric, unit;
  Better better = Better::lower;
  std::optional<double> a, b;  // nullopt: undefined or absent, and `note` says which
  std::string note;
};

// One stage of one case on both sides. Its time is calls x time per call, so the factors of work and cost
// multiply to the factor of time.
struct ComparedStage {
  std::string case_name, stage, parent;
  double calls_a = 0, calls_b = 0;             // of one repetition
  std::optional<double> self_ms_a, self_ms_b;  // medians over the repetitions
  std::optional<std::int64_t> net_bytes_a, net_bytes_b, peak_bytes_a, peak_bytes_b;

  // Return B / A of the self time, of the calls, and of the time per call; nullopt where a side has none.
  std::optional<double> time_factor() const;
  std::optional<double> work_factor() const;
  std::optional<double> cost_factor() const;
};

// The time of one case on both sides.
struct ComparedTime {
  std::string case_name;
  std::string batch;  // the value of a batch axis; "" without one
  std::optional<double> a_ms, b_ms;

  // Returns B / A; nullopt where a side has none.
  std::optional<double> factor() const;
};

// What two bundles have in common and where they differ.
struct CompareReport {
  std::string a, b;                // "RUN, commit COMMIT" of each side
  std::string refusal;             // why nothing was compared (a bundle and itself); else empty
  std::vector<std::string> notes;  // cases on one side alone, other options, other status
  // Differences of the comparability keys, "cpu_model: X, Y". Empty: the keys are equal.
  std::vector<std::string> key_differences;
  std::size_t cases = 0;  // that were compared
  std::vector<ComparedMetric> metrics;
  std::vector<ComparedStage> stages;
  std::vector<ComparedTime> times;
};

// Compares two results; reads no file. Cases whose options differ are not compared, and the notes name them.
CompareReport compare_results(const Results& a, const Results& b);

}  // namespace aqbench
