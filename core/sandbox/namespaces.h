#pragma once
// Unprivileged user, mount and PID namespaces: a file system in which only what is allowed exists, and no
// process but its own.

#include "core/sandbox/access.h"

namespace aqbench {

// What namespaces keep out of sight.
enum class Unseen { files, files_and_processes };

// Gives this process a file system of its own that holds the entries of the list and nothing else, read-only
// but for those that may be written, an empty /dev/shm if that is among them, and no capability. Processes
// outside cannot be traced, nor their memory, environment or open files be seen in /proc. The process must
// have one thread. With files_and_processes it goes on as another process, in a PID namespace with a /proc of
// its own (core/sandbox/own_processes.h), and entries of /proc that may be written become its own folder
// there. Throws Error(io) naming the step that this system refuses; the process is then of no use any more
// and should end.
void enter_namespaces(ResolvedAccess& access, Unseen unseen);

}  // namespace aqbench
