#pragma once
// Processes that outlive the child of this process that started them.

#include <sys/types.h>

namespace aqbench {

// Lets what descendants of this process leave behind come to it (PR_SET_CHILD_SUBREAPER). To be called before
// a fork: a child can leave something behind before this process runs again.
void take_in_orphans();

// Notes that a child of this process leads a process group of its own, for end_group().
void begin_group(pid_t leader);

// Cleans up after a group whose processes were all killed and whose leader was waited for: waits for the
// killed ones, and kills every process that has come to this one from a sandbox, which is a program that was
// shut in and killed its supervisor. Such a process is known by its file system, which is another than this
// process's. One that shows nobody its file system counts as such if it can gain no privileges any more and
// this process can.
void end_group(pid_t leader);

}  // namespace aqbench
