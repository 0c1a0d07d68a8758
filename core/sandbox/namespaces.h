#pragma once
// Unprivileged user and mount namespaces: a file system in which only what is allowed exists.

#include "core/sandbox/access.h"

namespace aqbench {

// Gives this process a file system of its own that holds the entries of the list and nothing else, read-only
// but for those that may be written, an empty /dev/shm if that is among them, and no capability. Processes
// outside cannot be traced, nor their memory, environment or open files be seen in /proc. The process must
// have one thread. Throws Error(io) naming the step that this system refuses; the process is then of no use
// any more and should end.
void enter_namespaces(const ResolvedAccess& access);

}  // namespace aqbench
