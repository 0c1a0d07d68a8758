#pragma once
// How many threads a case may be given.

namespace aqbench {

// The most threads that a case may be given.
inline constexpr int kMaxThreads = 1024;

}  // namespace aqbench
