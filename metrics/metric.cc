#include "metrics/metric.h"

#include <algorithm>

namespace aqbench {

const Metric* find_metric(const MetricSet& set, std::string_view name) {
  const auto found =
      std::ranges::find(set, name, [](const auto& item) { return std::string_view(item.first); });
  return found == set.end() ? nullptr : &found->second;
}

bool is_never_defined(const Metric& metric) {
  constexpr std::array kReasons = {kNoPatchToInset, kNoPatchToTile, kNoAreaOfCloud, kNoTrueCorners,
                                   kNoDepthMaps};
  return !metric.value &&
         std::ranges::any_of(kReasons, [&](const char* reason) { return metric.reason == reason; });
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
