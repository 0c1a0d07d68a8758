#pragma once
// What of a record a baseline holds: its metrics, and the tensor memory of its stages, which is as
// deterministic as they are. Times are not among it: they are compared in pairs alone.

#include <string>
#include <string_view>

#include "harness/records/record.h"

namespace aqbench {

// "tensor_memory." + stage + ".net_bytes" or ".peak_bytes", unit "bytes", lower is better. A stage that runs
// under two parents is named "parent>stage".
inline constexpr std::string_view kTensorMemoryPrefix = "tensor_memory.";

// The record's metrics in their order, then the memory of the stages that have it measured.
MetricSet gated_metrics(const Record& record);

}  // namespace aqbench
