#pragma once
// The values of a record that a baseline stores: its metrics, and the tensor memory of its stages, which is
// equally deterministic. Times are excluded: they are compared only in pairs.

#include <string>
#include <string_view>

#include "harness/records/record.h"

namespace aqbench {

// The prefix of "tensor_memory.STAGE.net_bytes" and "tensor_memory.STAGE.peak_bytes", in bytes, lower is
// better. A stage that runs under two parents is named "PARENT>STAGE".
inline constexpr std::string_view kTensorMemoryPrefix = "tensor_memory.";

// Returns the record's metrics in their order, then the stages' memory if measured.
MetricSet gated_metrics(const Record& record);

// Returns those of gated_metrics() that enter a baseline: not the tensor memory of a record without tensors,
// since a constant 0 gates nothing.
MetricSet acceptable_metrics(const Record& record);

}  // namespace aqbench
