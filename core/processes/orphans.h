#pragma once
// Processes that outlive the child of this process that started them.

#include <sys/types.h>

namespace aqbench {

// Says that a child of this process leads a process group of its own. From now on what its descendants leave
// behind comes to this process (PR_SET_CHILD_SUBREAPER).
void begin_group(pid_t leader);

// Takes what is left of a group whose processes were all killed and whose leader was waited for, and ends
// what has come to this process and sees other files than it: a program that was shut in and that killed its
// supervisor.
void end_group(pid_t leader);

}  // namespace aqbench
