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

}  // namespace aqbench
