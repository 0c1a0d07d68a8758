#pragma once
// PID namespaces: processes that see only each other and end together.

#include <sys/types.h>

#include <initializer_list>

namespace aqbench {

// The signal that a process gets when its parent ends (PR_SET_PDEATHSIG). Entering a user namespace clears
// it: read it before and set it again after.
struct DeathSignal {
  int signal = 0;  // 0: none
  pid_t parent = 0;
};

// Returns this process's death signal and its parent.
DeathSignal death_signal();

// Sets the death signal read before; ends this process if its parent has ended meanwhile. Makes system calls
// only.
void set_again(const DeathSignal& before);

// Continues in a new process, which leads a session in a new PID namespace. The caller must have one thread
// and have called unshare(CLONE_NEWPID). Three processes take part:
// - The caller never returns. It closes its files, waits, and ends with the exit code or signal of the new
//   process, or when its own parent ends.
// - Process 1 of the namespace stands between the two. Signals from inside neither kill nor stop it, and
//   processes inside cannot inspect it once the new process has given up its privileges. It ends when either
//   of the others ends, and the kernel then ends all processes of the namespace.
// - The new process returns from this function.
// Throws Error(io) if no process can be created.
void go_on_among_own_processes(const DeathSignal& outside);

// Drops every capability except `kept` (linux/capability.h) from this process and permanently from its
// children. Throws Error(io) if the system refuses.
void give_up_privileges(std::initializer_list<int> kept);

}  // namespace aqbench
