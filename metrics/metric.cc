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
  constexpr std::array kNames = {"lower", "higher", "equal"};  // in the order of Better
  return kNames.at(static_cast<std::size_t>(better));
}

}  // namespace aqbench
