#include "harness/records/stage_memory.h"

#include "core/text.h"

namespace aqbench {

TensorMemoryText tensor_memory_text(const std::optional<std::int64_t>& net_bytes,
                                    const std::optional<std::int64_t>& peak_bytes) {
  if (net_bytes.value_or(0) == 0 && peak_bytes.value_or(0) == 0)
    return {mib_or_na(std::nullopt), mib_or_na(std::nullopt)};
  return {mib_or_na(net_bytes), mib_or_na(peak_bytes)};
}

}  // namespace aqbench
