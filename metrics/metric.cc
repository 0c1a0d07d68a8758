#include "metrics/metric.h"

#include <algorithm>

namespace aqbench {

const Metric* find_metric(const MetricSet& set, std::string_view name) {
  const auto found =
      std::ranges::find(set, name, [](const auto& item) { return std::string_view(item.first); });
  return found == set.end() ? nullptr : &found->second;
}

bool is_undefined_by_truth(const Metric& metric) {
  return !metric.value && (metric.reason == kNoPatchToInset || metric.reason == kNoPatchToTile ||
                           metric.reason == kNoAreaOfCloud);
}

std::string to_string(Better better) {
  switch (better) {
    case Better::lower:
      return "lower";
    case Better::higher:
      return "higher";
    case Better::equal:
      break;
  }
  return "equal";
}

}  // namespace aqbench
