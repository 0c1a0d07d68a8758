#pragma once
// Resident memory of processes, from /proc.

#include <sys/types.h>

#include <cstdint>

namespace aqbench {

// Of one process; 0 if it is gone.
std::uint64_t resident_bytes(pid_t process);

// Of a process and all its descendants.
std::uint64_t resident_tree_bytes(pid_t process);

}  // namespace aqbench
