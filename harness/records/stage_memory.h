#pragma once
// Tensor memory of a stage as text.

#include <cstdint>
#include <optional>
#include <string>

namespace aqbench {

// Net and peak tensor memory of a stage, MiB with two decimals.
struct TensorMemoryText {
  std::string net, peak;
};

// Returns both as text; "n/a" where they were not measured, and where nothing was observed: a stage that took
// no tensor and gave none back has a net and a peak of 0, which says nothing about its memory.
TensorMemoryText tensor_memory_text(const std::optional<std::int64_t>& net_bytes,
                                    const std::optional<std::int64_t>& peak_bytes);

}  // namespace aqbench
