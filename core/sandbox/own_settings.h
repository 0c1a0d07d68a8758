#pragma once
// Settings of a process that any other process of the same user may change. A program that is shut in without
// a PID namespace can still name processes outside by their number, and so change these settings of the sweep
// itself; they are compared after each case.

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

// Returns the settings of this process's first thread, which its children inherit.
OwnSettings own_settings();

// Returns what differs between the two, such as "nice 0 is now 10"; empty: nothing.
std::string changed_settings(const OwnSettings& before, const OwnSettings& now);

// Sets this process's settings back, as far as it is allowed to; own_settings() tells the result.
void restore_settings(const OwnSettings& before);

}  // namespace aqbench
