#pragma once
// Process settings that any process of the same user may change. A program sandboxed without a PID namespace
// can still address outside processes by number and change these settings of the sweep, so they are compared
// after each case.

#include <sched.h>
#include <sys/resource.h>

#include <array>
#include <string>

namespace aqbench {

// Nice value, scheduling policy, I/O priority, affinity and resource limits.
struct OwnSettings {
  int nice = 0, policy = 0, io_priority = 0;
  cpu_set_t processors = {};
  std::array<rlimit, RLIM_NLIMITS> limits = {};
};

// Returns the settings of this process's first thread, which its children inherit.
OwnSettings own_settings();

// Returns the differences, such as "nice 0 is now 10"; empty: none.
std::string changed_settings(const OwnSettings& before, const OwnSettings& now);

// Restores this process's settings as far as permitted; check with own_settings().
void restore_settings(const OwnSettings& before);

}  // namespace aqbench
