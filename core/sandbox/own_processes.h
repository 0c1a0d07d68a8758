#pragma once
// A PID namespace: processes that see and can name only each other, and that end together.

#include <sys/types.h>

namespace aqbench {

// The signal that a process gets when its parent ends (PR_SET_PDEATHSIG). Entering a user namespace clears
// it: read it before that, and set it again after.
struct DeathSignal {
  int signal = 0;  // 0: none
  pid_t parent = 0;
};

// Returns the death signal of this process, and who its parent is.
DeathSignal death_signal();

// Sets the death signal that was read before; ends this process if its parent has ended meanwhile. Makes
// system calls only.
void set_again(const DeathSignal& before);

// Continues in a new process, which leads a session and is alone in a new PID namespace with all that it will
// start. The caller must have one thread and have called unshare(CLONE_NEWPID). Three processes take part:
// - The one that calls never returns. It closes its files, waits, and ends as the new one ends: with the same
//   exit code or by the same signal. It also ends when its own parent does.
// - Process 1 of the namespace stands between the two. No signal from inside kills or stops it, and nobody
//   inside can look into it once the new process has given up its privileges. It ends when either of the
//   others ends, and the kernel then ends all that is left in the namespace.
// - The new process returns from this function.
// Throws Error(io) if there can be no process.
void go_on_among_own_processes(const DeathSignal& outside);

}  // namespace aqbench
