#include "metrics/metric_words.h"

#include <algorithm>

#include "metrics/registry.h"

namespace aqbench {

std::string metric_words(const std::string& metric) {
  std::string at_2mm = metric, tolerance = "2";
  if (const std::size_t unit = metric.find("mm_pct"), number = metric.rfind('_', unit);
      unit != std::string::npos && number != std::string::npos) {
    tolerance = metric.substr(number + 1, unit - number - 1);
    at_2mm.replace(number + 1, tolerance.size(), "2");
  }
  const auto found = std::ranges::find(headline_metrics(), at_2mm, &HeadlineMetric::name);
  if (found == headline_metrics().end()) return metric;
  const std::string title = found->title;
  std::string words = title.substr(0, title.find(" ["));
  if (const std::size_t at = words.find("2 mm"); at != std::string::npos) words.replace(at, 1, tolerance);
  return words;
}

}  // namespace aqbench
