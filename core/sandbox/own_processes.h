#pragma once
// A PID namespace: processes that see and can name only each other, and that end together.

#include <sys/types.h>

namespace aqbench {

// What the new credentials of a user namespace take from a process: the signal that it gets when its parent
// ends. Read it before, and put it back after.
struct DeathSignal {
  int signal = 0;  // 0: none
  pid_t parent = 0;
};

// Returns that of this process.
DeathSignal death_signal();

// Sets it again; ends this process if its parent has ended meanwhile. Makes system calls only.
void set_again(const DeathSignal& before);

// Goes on in a new process, which is in a PID namespace of its own with all that it will start, and leads a
// session. To be called after unshare(CLONE_NEWPID), by a process with one thread. The process that calls
// does not return: it waits outside without open files, ends as the new one ends, with the same exit code or
// of the same signal, and ends when its own parent does. Between the two is process 1 of the namespace: no
// signal from inside kills or stops it, and nobody inside can look into it once the new process has given up
// its privileges. It ends with the new process and with the one outside, and the kernel then ends all that is
// left in the namespace. Throws Error(io) if there can be no process.
void go_on_among_own_processes(const DeathSignal& outside);

}  // namespace aqbench
