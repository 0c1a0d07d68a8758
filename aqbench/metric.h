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
  std::string better;  // "lower", "higher", or "equal": any change is a deterioration
};

}  // namespace aqbench::v1
