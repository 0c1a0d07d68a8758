#pragma once
// Processes that outlive the child of this process that started them.

#include <sys/types.h>

namespace aqbench {

// Lets what descendants of this process leave behind come to it (PR_SET_CHILD_SUBREAPER). To be called before
// a fork: a child can leave something behind before this process runs again.
void take_in_orphans();

// Says that a child of this process leads a process group of its own.
void begin_group(pid_t leader);

// Takes what is left of a group whose processes were all killed and whose leader was waited for, and ends
// what has come to this process and sees other files than it: a program that was shut in and that killed its
// supervisor. One that shows nobody which files it sees is taken for one if it can gain no privileges any
// more and this process can.
void end_group(pid_t leader);

}  // namespace aqbench
