#pragma once
// How the process's heap treats freed memory.

namespace aqbench {

// Makes the process keep and reuse freed memory without the kernel. By default glibc returns large blocks on
// each free, so that the kernel maps and clears all their pages again in every repetition: that doubled the
// time of runs with 0.5 GB of tensors and scattered it by 15 %. Call it before warm runs, after the cold one,
// whose time includes the pages. Permanent; does nothing with other allocators than glibc's.
void keep_freed_memory();

}  // namespace aqbench
