#pragma once
// Resource use of processes, from /proc, and the limits of this process's control group.

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/stopwatch.h"

namespace aqbench {

// Returns the resident memory of one process; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

// Returns the descendants of a process.
std::vector<pid_t> descendants_of(pid_t process);

// Returns the resident memory of a process and its descendants; shared pages count once per process.
std::uint64_t resident_tree_bytes(pid_t process);

// Memory of a watched process and its descendants, as far as it is known.
struct WatchedMemory {
  std::uint64_t peak_bytes = 0;  // where it had to be known
  std::uint64_t shared_bytes =
      0;  // the part of the sum of resident sizes that counts shared pages repeatedly
  SteadyClock::time_point next_walk = {};
};

// Returns whether a process and its descendants together have more memory than the limit, with shared pages
// counted once. The sum of resident sizes is quick to read. Only if it passes the limit is the proportional
// set size read, which decides; that walks all pages, about 50 ms per GiB, and is repeated once the sum
// without the shared part passes the limit, or after 20 times as long.
bool exceeds_memory(pid_t process, std::uint64_t limit_bytes, WatchedMemory& watched);

// Memory of the descendants of a process.
struct TreeMemory {
  // Sum over all; with several processes, shared pages count once.
  std::uint64_t resident_bytes = 0;
  std::uint64_t largest_peak_bytes = 0;  // largest peak of one of them (VmHWM)
};

// Returns the memory of all descendants of a process, excluding its own.
TreeMemory descendants_memory(pid_t process);

// Returns the peak resident size of this process since the last reset (VmHWM); 0 if unknown.
std::int64_t resident_peak_bytes();

// Resets the peak to the current resident size. Returns false if the kernel does not allow it.
bool reset_resident_peak();

// Returns the processors granted by the control group (version 2), such as 2.5; nullopt: no quota.
std::optional<double> cgroup_quota_processors();

// Returns the memory granted by the control group (version 1 or 2); nullopt: no limit.
std::optional<std::uint64_t> cgroup_memory_limit_bytes();

// Makes the process keep and reuse freed memory without the kernel. By default glibc returns large blocks on
// each free, so that the kernel maps and clears all their pages again: that doubled the time of warm runs
// with 0.5 GB of tensors and scattered it by 15 %, and took a sixth of the time of SIFT, whose pyramids are
// as large for each image. Permanent; does nothing with other allocators than glibc's.
void keep_freed_memory();

// Asks the kernel to keep this process's memory in large pages. A fork copies one entry per page of its
// parent; for a parent of about 200 MB that forks for each of 100 000 cases this is most of the work. If the
// kernel refuses, forks are only slower.
void hold_in_large_pages();

// Allocates as operator new does, for programs that replace that by this; std::free() and operator delete
// free it. Blocks of 4 MiB and more lie in large pages where the kernel has such: clouds and the trees over
// them are read at scattered places, and a large page is entered and cleared at once. Throws std::bad_alloc.
void* allocate_in_large_pages(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

// Ends the program on out of memory, with one line on stderr and exit code 6, where no exception can reach a
// caller.
[[noreturn]] void end_without_memory();

}  // namespace aqbench
