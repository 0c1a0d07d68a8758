#pragma once
// Processes that outlive the child of this process that started them.

#include <sys/types.h>

namespace aqbench {

// Makes orphaned descendants children of this process (PR_SET_CHILD_SUBREAPER). Call before a fork: a child
// can leave orphans before this process runs again.
void take_in_orphans();

// Registers a child of this process as a group leader, for end_group().
void begin_group(pid_t leader);

// Cleans up after a group whose processes were all killed and whose leader was reaped: reaps the killed ones,
// and kills every process adopted from a sandbox (a sandboxed program that killed its supervisor). Such a
// process sees another file system than this one. If its file system cannot be inspected, it counts as such
// if it cannot gain privileges any more and this process can.
void end_group(pid_t leader);

}  // namespace aqbench
