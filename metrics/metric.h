#pragma once
// One metric value as it stands in a record.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aqbench {

// In which direction a change is an improvement; `equal` means that any change beyond tolerance is a failure.
enum class Better { lower, higher, equal };

struct Metric {
  std::optional<double> value;  // nullopt: undefined, and `reason` says why; never NaN, never a stand-in 0
  std::string unit;             // "mm", "%", "1", "deg", "points"
  Better better = Better::lower;
  std::string reason;
};

// In order of the registry (metrics/registry.h); names are unique.
using MetricSet = std::vector<std::pair<std::string, Metric>>;

const Metric* find_metric(const MetricSet& set, const std::string& name);  // nullptr if absent

std::string to_string(Better better);  // "lower", "higher", "equal"

}  // namespace aqbench
