#include "harness/gating/gated_metrics.h"

#include <algorithm>
#include <optional>

namespace aqbench {
namespace {

void add_bytes(MetricSet& metrics, const std::string& name, const std::optional<std::int64_t>& bytes) {
  if (!bytes) return;
  metrics.emplace_back(name, Metric{static_cast<double>(*bytes), "bytes", Better::lower, ""});
}

}  // namespace

MetricSet gated_metrics(const Record& record) {
  MetricSet metrics = record.metrics;
  for (const StageRecord& stage : record.stages) {
    const bool alone = std::ranges::count(record.stages, stage.name, &StageRecord::name) == 1;
    const std::string name =
        std::string(kTensorMemoryPrefix) + (alone ? stage.name : stage.parent + ">" + stage.name);
    add_bytes(metrics, name + ".net_bytes", stage.net_bytes);
    add_bytes(metrics, name + ".peak_bytes", stage.peak_bytes);
  }
  return metrics;
}

MetricSet acceptable_metrics(const Record& record) {
  MetricSet metrics = gated_metrics(record);
  const bool uses_tensors = std::ranges::any_of(record.stages, [](const StageRecord& stage) {
    return stage.net_bytes.value_or(0) != 0 || stage.peak_bytes.value_or(0) != 0;
  });
  if (!uses_tensors)
    std::erase_if(metrics, [](const auto& metric) { return metric.first.starts_with(kTensorMemoryPrefix); });
  return metrics;
}

}  // namespace aqbench
