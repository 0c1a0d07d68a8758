#pragma once
// Parallel loops over plain std::thread. Threads live only inside a call, so a process that has finished a
// loop may fork. Results must not depend on the thread count: write to disjoint places, or reduce per chunk
// and combine the chunks in order.

#include <cstddef>
#include <functional>

namespace aqbench {

// Returns the number of processors that this process may use, at least 1: its affinity and the quota of its
// control group limit it.
int available_processors();

// Sets the thread count of later loops in this process (initially available_processors()). Throws
// Error(usage) if count < 1.
void set_thread_count(int count);
// Returns the thread count of later loops.
int thread_count();

// Calls body(begin, end) for [0, count) cut into chunks of `grain` (the last may be shorter); begin / grain
// is the chunk's number. Chunks are the same for any thread count. The first exception is rethrown here.
void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// Sets what is called first on every thread that parallel_for starts, nullptr for none: lets a profiler reach
// threads that live only inside a call. Must not throw.
void set_worker_start_hook(void (*hook)());

}  // namespace aqbench
