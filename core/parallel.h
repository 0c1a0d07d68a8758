#pragma once
// Parallel loops on std::thread. Threads live only inside a call, so a process may fork after a loop. Results
// must not depend on the thread count: write to disjoint places, or reduce per chunk and combine in order.

#include <cstddef>
#include <functional>

namespace aqbench {

// Returns the number of processors available to this process, at least 1, limited by affinity and control
// group quota.
int available_processors();

// Sets the thread count of later loops in this process (initially available_processors()). Throws
// Error(usage) if count < 1.
void set_thread_count(int count);
// Returns the thread count of later loops.
int thread_count();

// Calls body(begin, end) for chunks of `grain` of [0, count) (the last may be shorter); begin / grain is the
// chunk's number. Chunks are the same for any thread count. Rethrows the first exception.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// Sets a function called first on every thread that parallel_for starts, nullptr for none: lets a profiler
// reach these threads. Must not throw.
void set_worker_start_hook(void (*hook)());

}  // namespace aqbench
