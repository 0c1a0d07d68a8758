#pragma once
// The values of a record that a baseline stores: its metrics, and the tensor memory of its stages, which is
// equally deterministic. Times are excluded: they are compared only in pairs.

#include <string>
#include <string_view>

#include "harness/gating/baseline.h"
#include "harness/records/record.h"
#include "metrics/metric.h"

namespace aqbench {

// The prefix of "tensor_memory.STAGE.net_bytes" and "tensor_memory.STAGE.peak_bytes", in bytes, lower is
// better. A stage that runs under two parents is named "PARENT>STAGE".
inline constexpr std::string_view kTensorMemoryPrefix = "tensor_memory.";

// Returns the record's metrics in their order, then the stages' memory if measured.
MetricSet gated_metrics(const Record& record);

// Returns those of gated_metrics() that enter a baseline: not the tensor memory of a record without tensors,
// since a constant 0 gates nothing.
MetricSet acceptable_metrics(const Record& record);

// Returns the tolerance by the kind of metric; the first line that fits decides:
//   counts (points*, mesh_components, mesh_nonmanifold_edges)   absolute 0: exact
//   net tensor memory of a stage                                relative 1 % (its peak: 5 %, as the rest)
//   bias_* (signed, near zero)                                  absolute 0.1 mm
//   point_density_pct, points_per_mm2, depth_abs_rel_pct        relative 5 %
//   other percentages (precision, completeness, fscore, ..)     absolute 1 percentage point from 20 % on
//                                                               and relative 5 % below, which is the same
//                                                               at 20 %: a small share cannot vanish unseen
//   other unitless (mesh_area_ratio, mesh_normal_consistency)   absolute 0.02
//   lengths, angles and the rest                                relative 5 %
// Where the value is 0 a relative tolerance means nothing: absolute 0.01 mm, 0.1 deg, 0.1 %, else exact.
Tolerance default_tolerance(const std::string& name, const Metric& metric);

// Returns whether a metric with a value is informational and not gated: counts (points*, components of a
// mesh), which measure quantity rather than quality, and extremes (the largest of all errors), which a single
// point can change. Such a metric is gated if the baseline gives it another tolerance than
// default_tolerance(), or `accept --tolerance` named it.
bool is_information(const std::string& name, const std::string& unit);

}  // namespace aqbench
