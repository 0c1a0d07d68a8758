#pragma once
// How the process's heap treats memory that was freed.

namespace aqbench {

// Makes the process keep the memory that it frees from here on, and take it again without the kernel. By
// default glibc gives large blocks back on each free, so that in every repetition the kernel maps and clears
// all their pages again: that doubled the time of runs with 0.5 GB of tensors, and scattered it by 15 %. Call
// it before warm runs, after the cold one, whose time includes the pages. It cannot be undone and does
// nothing with another allocator than glibc's.
void keep_freed_memory();

}  // namespace aqbench
