#include "core/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/resources.h"

namespace aqbench {
namespace {

std::atomic<int> g_thread_count{0};  // 0: not set yet
std::atomic<void (*)()> g_worker_start_hook{nullptr};

}  // namespace

int available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  if (const auto quota = cgroup_quota_processors())
    count = std::min(count, static_cast<int>(std::ceil(*quota)));
  return std::max(count, 1);
}

void set_thread_count(int count) {
  if (count < 1) throw Error(ErrorKind::usage, "threads: must be at least 1, got " + std::to_string(count));
  g_thread_count = count;
}

int thread_count() {
  if (g_thread_count == 0) g_thread_count = available_processors();
  return g_thread_count;
}

void set_worker_start_hook(void (*hook)()) { g_worker_start_hook = hook; }

void parallel_for(std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  grain = std::max<std::size_t>(grain, 1);
  const std::size_t chunks = count / grain + (count % grain != 0 ? 1 : 0);
  std::atomic<std::size_t> next{0};
  std::exception_ptr error;
  std::mutex error_mutex;
  const auto work = [&] {
    for (std::size_t chunk = next++; chunk < chunks; chunk = next++) {
      try {
        body(chunk * grain, chunk * grain + std::min(grain, count - chunk * grain));
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error) error = std::current_exception();
        next = chunks;
      }
    }
  };
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(thread_count()), chunks);
  {
    std::vector<std::jthread> helpers;
    try {
      for (std::size_t i = 1; i < workers; ++i)
        helpers.emplace_back([&work] {
          if (auto* const hook = g_worker_start_hook.load(std::memory_order_acquire)) hook();
          work();
        });
    } catch (const std::system_error&) {
      // The system grants no more threads (a process limit): the existing ones do the work.
    }
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace aqbench
