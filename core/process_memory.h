#pragma once
// Resident memory of processes, from /proc.

#include <sys/types.h>

#include <cstdint>

namespace aqbench {

// Of one process; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

// Of a process and all its descendants.
std::uint64_t resident_tree_bytes(pid_t process);

// The largest resident size of this process since it was last reset (VmHWM); 0 if unknown.
std::int64_t resident_peak_bytes();

// Lets the peak start again from what is resident now. False: this kernel does not allow it.
bool reset_resident_peak();

}  // namespace aqbench
