#pragma once
// Sandboxes a process: it reaches the paths of an allow-list, and no other files or outside processes. Uses
// Landlock and namespaces as far as the system grants them to unprivileged users.

#include <optional>
#include <string>

#include "core/descriptor.h"
#include "core/sandbox/access.h"

namespace aqbench {

// Returns the version of the kernel's Landlock interface; 0 if it is missing or off.
int landlock_abi();

// A Landlock ruleset that a process can apply to itself.
struct LandlockRules {
  Descriptor rules;
  int abi = 0;
};

// The permitted means, from AQBENCH_ISOLATION: "landlock", "namespace", "both" or "off"; unset: both, if
// available.
struct SandboxMeans {
  bool landlock = true;
  bool namespaces = true;
  std::string why_none = {};  // if neither is permitted
};

// Throws Error(usage) for another value of AQBENCH_ISOLATION.
SandboxMeans sandbox_means_from_environment();

// Sandboxes this process permanently. The process must have one thread; its open files stay open. If a PID
// namespace is available, it continues as another process and the caller waits for its end
// (core/sandbox/namespaces.h); otherwise a line on stderr gives the reason. Returns the means, for the
// record: "landlock ABI 7, namespace and own processes" if it sees no outside processes, "landlock ABI 7 and
// namespace" if it does, "landlock ABI 7", "namespace and own processes", "namespace", or "none: REASON" if
// the system grants neither. Never throws.
std::string enter_sandbox(const AccessList& access, const SandboxMeans& means);

// Prepared by a threaded process before a fork: the child gets a narrower sandbox and cannot inspect its
// parent.
class InnerSandbox {
 public:
  // Without Landlock, makes this process untraceable; the child then reaches the same files. Throws Error(io)
  // if the kernel refuses the rules.
  InnerSandbox(const AccessList& access, const SandboxMeans& means);

  // Call in the forked child. Returns 0 or an errno. Makes system calls only.
  int enter() const;

 private:
  std::optional<LandlockRules> rules_;
};

}  // namespace aqbench
