#pragma once
// Calls on different numbers of threads, for tests that the results are the same.

#include <array>

#include "core/parallel.h"

namespace aqbench {

// Returns what a call gives on each of these numbers of threads. Later loops run on as many as before.
template <int... counts, class Call>
auto on_threads(const Call& call) {
  struct Restore {
    int before = thread_count();
    ~Restore() { set_thread_count(before); }
  } const restore;
  return std::array{(set_thread_count(counts), call())...};
}

}  // namespace aqbench
