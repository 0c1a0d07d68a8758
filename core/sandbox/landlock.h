#pragma once
// Landlock: a process gives up rights to files, for itself and what it starts, for good.

#include "core/descriptor.h"
#include "core/sandbox/access.h"

namespace aqbench {

// Returns the version of Landlock's interface in this kernel; 0 where it has none or it is switched off.
int landlock_abi();

// The first version that also keeps a process from cutting short (truncate) a file that it may not write.
inline constexpr int kLandlockGuardsTruncation = 3;

// A set of rules that a process can take upon itself.
struct LandlockRules {
  Descriptor rules;
  int abi = 0;
};

// Makes the rules of an allow-list: all else cannot be opened, listed, made, moved or removed, processes
// outside cannot be traced, and, where the kernel knows how (version 6), get no signals. Throws Error(io)
// saying what the kernel refuses.
LandlockRules make_landlock_rules(const ResolvedAccess& access);

// Takes the rules upon this process, on top of those that it has. Returns 0 or an errno. Makes system calls
// only, so that a forked child of a process with threads may call it, too.
int enter_landlock(const LandlockRules& rules);

}  // namespace aqbench
