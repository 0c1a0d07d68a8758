#pragma once
// What processes use, from /proc, and what this process's control group allows it.

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/stopwatch.h"

namespace aqbench {

// Returns the resident memory of one process; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

// Returns the resident memory of a process and all its descendants; pages that they share count once for
// each.
std::uint64_t resident_tree_bytes(pid_t process);

// What is known of the memory of a process and its descendants that are watched.
struct WatchedMemory {
  std::uint64_t peak_bytes = 0;  // where it had to be known
  std::uint64_t shared_bytes =
      0;  // of the sum of resident sizes, what pages that are shared counted too often
  SteadyClock::time_point next_walk = {};
};

// Returns whether a process and its descendants together have more memory than the limit, where a page that
// several of them share counts once. The sum of resident sizes is quick to read. Only where it passes the
// limit is the proportional set size read, which decides; that walks through all pages, some 50 ms for each
// GiB, and is done again once the sum, without what was shared, passes the limit, or after 20 times as long.
bool exceeds_memory(pid_t process, std::uint64_t limit_bytes, WatchedMemory& watched);

// What the descendants of a process have in memory.
struct TreeMemory {
  // Of all together; where there are several, pages that they share count once.
  std::uint64_t resident_bytes = 0;
  std::uint64_t largest_peak_bytes = 0;  // the largest that one of them has had (VmHWM)
};

// Returns the memory of all descendants of a process, without its own.
TreeMemory descendants_memory(pid_t process);

// Returns the largest resident size of this process since it was last reset (VmHWM); 0 if unknown.
std::int64_t resident_peak_bytes();

// Lets the peak start again from what is resident now. Returns false where this kernel does not allow it.
bool reset_resident_peak();

// Returns the processors that the control group (version 2) grants: 2.5 is two and a half; nullopt: no quota.
std::optional<double> cgroup_quota_processors();

// Returns the memory that the control group (version 1 or 2) grants; nullopt: no limit.
std::optional<std::uint64_t> cgroup_memory_limit_bytes();

// Asks the kernel to hold what this process has in memory in large pages. A fork copies one entry for each
// page of its parent, and where a parent of some 200 MB forks for each of its 100 000 cases that is most of
// the work. Where the kernel does not do so, forks are slower and nothing else changes.
void hold_in_large_pages();

// Ends the program for want of memory, with one line on stderr and exit code 6: for places from which no
// exception reaches a caller.
[[noreturn]] void end_without_memory();

}  // namespace aqbench
