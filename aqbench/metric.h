#pragma once
// One metric of a score or of a bundle.

#include <optional>
#include <string>

namespace aqbench::v1 {

// One metric.
struct Metric {
  std::string name, unit;       // "accuracy_mean_mm", "mm"
  std::optional<double> value;  // none: undefined, with a `reason`
  std::string reason;
  std::string better;  // "lower", "higher", or "equal": worse is what lies further from ideal_of()
};

// Returns the value that a perfect result has of a metric with better "equal" (bias 0, area ratio 1, scale
// 100 %); none for a metric that has no better side, such as a count of points.
std::optional<double> ideal_of(const std::string& metric);

}  // namespace aqbench::v1
