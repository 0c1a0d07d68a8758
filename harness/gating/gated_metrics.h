#pragma once
// The values of a record that a baseline holds: its metrics, and the tensor memory of its stages, which is as
// deterministic as the metrics. Times are left out: they are compared in pairs alone.

#include <string>
#include <string_view>

#include "harness/records/record.h"

namespace aqbench {

// The beginning of the names "tensor_memory.STAGE.net_bytes" and "tensor_memory.STAGE.peak_bytes", whose unit
// is "bytes", and lower is better. A stage that runs under two parents is named "PARENT>STAGE".
inline constexpr std::string_view kTensorMemoryPrefix = "tensor_memory.";

// Returns the record's metrics in their order, then the memory of the stages where it was measured.
MetricSet gated_metrics(const Record& record);

// Returns those of gated_metrics() that a baseline takes up: without the tensor memory of a record whose
// stages used no tensors at all. A number that is always 0 gates nothing.
MetricSet acceptable_metrics(const Record& record);

}  // namespace aqbench
