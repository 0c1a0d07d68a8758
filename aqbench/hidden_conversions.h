#pragma once
// Conversion of errors and metrics at the boundary of the library; not installed.

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "aqbench/failure.h"
#include "aqbench/metric.h"
#include "core/error.h"
#include "metrics/metric.h"

namespace aqbench::v1 {

// Returns the result of `body`; an Error becomes a Failure with the same text.
template <class Body>
auto with_failures(const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    throw Failure(static_cast<int>(exit_code(error.kind())), error.what());
  }
}

// Throws the Failure of an array of the wrong length.
inline void require_length(std::string_view what, std::size_t length, std::size_t wanted) {
  if (length != wanted) throw Failure(2, fmt::format("{}: {} values, expected {}", what, length, wanted));
}

// Returns the metrics in their order.
inline std::vector<Metric> metrics_of(const MetricSet& set) {
  std::vector<Metric> metrics;
  metrics.reserve(set.size());
  for (const auto& [name, metric] : set)
    metrics.push_back({name, metric.unit, metric.value, metric.reason, to_string(metric.better)});
  return metrics;
}

}  // namespace aqbench::v1
