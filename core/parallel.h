#pragma once
// Parallel loops over plain std::thread. Threads live only inside a call, so a process that has finished a
// loop may fork. Results must not depend on the thread count: write to disjoint places, or reduce per chunk
// and combine the chunks in order.

#include <cstddef>
#include <functional>

namespace aqbench {

// Processors this process may use: affinity and cgroup quota counted in; at least 1.
int available_processors();

// The thread count of later loops in this process (initially available_processors()). Throws Error(usage)
// if count < 1.
void set_thread_count(int count);
int thread_count();

// Calls body(begin, end) for [0, count) cut into chunks of `grain` (the last may be shorter); begin / grain
// is the chunk's number. Chunks are the same for any thread count. The first exception is rethrown here.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// Called first on every thread that parallel_for starts, nullptr for none: lets a profiler reach threads that
// live only inside a call. Must not throw.
void set_worker_start_hook(void (*hook)());

}  // namespace aqbench
