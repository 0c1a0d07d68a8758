#pragma once
// Conversion of metrics at the library's boundary; not installed.

#include <vector>

#include "aqbench/metric.h"
#include "metrics/metric.h"

namespace aqbench::v1 {

// Returns the metrics in their order.
inline std::vector<Metric> metrics_of(const MetricSet& set) {
  std::vector<Metric> metrics;
  metrics.reserve(set.size());
  for (const auto& [name, metric] : set)
    metrics.push_back({name, metric.unit, metric.value, metric.reason, to_string(metric.better)});
  return metrics;
}

}  // namespace aqbench::v1
