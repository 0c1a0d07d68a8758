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

// Returns both as text; "n/a" if they were not measured or nothing was observed: net and peak of 0 mean that
// the stage used no tensors, which says nothing about its memory.
TensorMemoryText tensor_memory_text(const std::optional<std::int64_t>& net_bytes,
                                    const std::optional<std::int64_t>& peak_bytes);

}  // namespace aqbench
