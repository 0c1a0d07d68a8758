#pragma once
// How many threads a case may be given.

namespace aqbench {

inline constexpr int kMaxThreads = 1024;

}  // namespace aqbench
