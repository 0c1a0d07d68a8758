#pragma once
// Unprivileged user, mount and PID namespaces: a file system that contains only allowed paths, and no other
// processes.

#include "core/sandbox/access.h"

namespace aqbench {

// What namespaces hide.
enum class Unseen { files, files_and_processes };

// Gives this process its own file system with only the entries of the list, read-only except for writable
// ones, an empty /dev/shm if that is writable, and no capabilities. Processes outside cannot be traced, nor
// their memory, environment or open files be seen in /proc. The process must have one thread. With
// files_and_processes it continues as another process, in a PID namespace with its own /proc
// (core/sandbox/own_processes.h); writable entries of /proc become its own folder there. Throws Error(io)
// naming the refused step; the process is then unusable and should end.
void enter_namespaces(ResolvedAccess& access, Unseen unseen);

}  // namespace aqbench
