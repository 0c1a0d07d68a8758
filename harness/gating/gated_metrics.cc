#include "harness/gating/gated_metrics.h"

#include <algorithm>
#include <optional>

namespace aqbench {
namespace {

void add_bytes(MetricSet& metrics, const std::string& name, const std::optional<std::int64_t>& bytes) {
  if (!bytes) return;
  metrics.emplace_back(name, Metric{static_cast<double>(*bytes), "bytes", Better::lower, ""});
}

bool is_count(std::string_view name, std::string_view unit) {
  return unit == "points" || name == "mesh_components" || name == "mesh_nonmanifold_edges";
}

Tolerance tolerance_by_kind(std::string_view name, std::string_view unit, double value) {
  constexpr auto kRelative = Tolerance::Kind::relative, kAbsolute = Tolerance::Kind::absolute;
  if (is_count(name, unit)) return {kAbsolute, 0};
  if (name.starts_with(kTensorMemoryPrefix) && name.ends_with(".net_bytes")) return {kRelative, 0.01};
  if (name.starts_with("bias_")) return {kAbsolute, 0.1};
  if (name == "point_density_pct" || name == "points_per_mm2" || name == "depth_abs_rel_pct")
    return {kRelative, 0.05};
  // Workload plane_sweep: depths in metres, and a share that may differ by half a percent by chance.
  if (name == "depth_median_error_m") return {kRelative, 0.05};
  if (name == "unlike_reference_share") return {kAbsolute, 0.005};
  if (unit == "%" && value >= 20) return {kAbsolute, 1};
  if (unit == "1") return {kAbsolute, 0.02};
  return {kRelative, 0.05};
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

bool is_information(const std::string& name, const std::string& unit) {
  return is_count(name, unit) || name.find("_max_") != std::string::npos;
}

Tolerance default_tolerance(const std::string& name, const Metric& metric) {
  const Tolerance tolerance = tolerance_by_kind(name, metric.unit, metric.value.value_or(0));
  if (tolerance.kind == Tolerance::Kind::absolute || metric.value != 0.0) return tolerance;
  const double absolute = metric.unit == "mm"    ? 0.01
                          : metric.unit == "deg" ? 0.1
                          : metric.unit == "%"   ? 0.1
                                                 : 0.0;
  return {Tolerance::Kind::absolute, absolute};
}

}  // namespace aqbench
