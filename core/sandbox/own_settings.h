#pragma once
// How this process is run, as far as any other process of its user can change it: a program that is shut in
// still sees the numbers of processes outside, and the kernel lets it set these for them.

#include <sched.h>
#include <sys/resource.h>

#include <array>
#include <string>

namespace aqbench {

// Nice value, scheduling policy, input and output priority, processors, and limits of resources.
struct OwnSettings {
  int nice = 0, policy = 0, io_priority = 0;
  cpu_set_t processors = {};
  std::array<rlimit, RLIM_NLIMITS> limits = {};
};

// Returns those of this process's first thread, which what it forks inherits.
OwnSettings own_settings();

// Returns what is otherwise now, such as "nice 0 is now 10"; empty: nothing.
std::string changed_settings(const OwnSettings& before, const OwnSettings& now);

// Sets them again, as far as this process may; own_settings() says what came of it.
void restore_settings(const OwnSettings& before);

}  // namespace aqbench
