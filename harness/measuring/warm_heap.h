#pragma once

namespace aqbench {

// From here on the process keeps the memory that it frees, and takes it again without the kernel. By default
// glibc gives large blocks back on each free, so that every repetition faults in, and the kernel clears,
// every page of them again: that doubled the time of runs with 0.5 GB of tensors, and scattered it by 15 %.
// For warm runs, after the cold one, which pays for the pages and shows them. Not undone; does nothing with
// another allocator than glibc's.
void keep_freed_memory();

}  // namespace aqbench
