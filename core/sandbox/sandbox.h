#pragma once
// Shuts a process in: it reaches what an allow-list names, and nothing else of the file system or of the
// processes outside. By Landlock and by namespaces, as far as this system grants them to everybody.

#include <optional>
#include <string>
#include <string_view>

#include "core/sandbox/access.h"
#include "core/sandbox/landlock.h"

namespace aqbench {

// Which means may be used. AQBENCH_ISOLATION chooses: "landlock", "namespace", "both" or "off"; not set:
// both, as far as they are to be had.
struct SandboxMeans {
  bool landlock = true;
  bool namespaces = true;
  std::string why_none = {};  // where neither may be used
};

// Throws Error(usage) for another value of AQBENCH_ISOLATION.
SandboxMeans sandbox_means_from_environment();

// Shuts this process in for good. The process must have one thread; files that it has open stay open. Where a
// PID namespace is to be had it goes on as another process, of which the one that called waits for the end
// (core/sandbox/namespaces.h); where not, a line on stderr says why. Returns how, for the record: "landlock
// ABI 7, namespace and own processes" where it sees none of the processes outside, "landlock ABI 7 and
// namespace" where it does, "landlock ABI 7", "namespace and own processes", "namespace", or "none: REASON"
// where this system grants neither. Never throws.
std::string enter_sandbox(const AccessList& access, const SandboxMeans& means);

// What a process with threads prepares for a child that it forks: the child is shut in more narrowly, and
// cannot look into the process itself.
class InnerSandbox {
 public:
  // Where Landlock may not be used, this process itself is made one that nobody may trace; the child then
  // reaches the same files as it. Throws Error(io) for rules that the kernel refuses.
  InnerSandbox(const AccessList& access, const SandboxMeans& means);

  // To be called in the forked child. Returns 0 or an errno. Makes system calls only.
  int enter() const;

 private:
  std::optional<LandlockRules> rules_;
};

}  // namespace aqbench
