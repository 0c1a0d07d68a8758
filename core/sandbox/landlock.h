#pragma once
// Landlock: a process gives up rights to files permanently, for itself and its children.

#include "core/descriptor.h"
#include "core/sandbox/access.h"

namespace aqbench {

// Returns the version of the kernel's Landlock interface; 0 if it is missing or off.
int landlock_abi();

// The first version that also prevents truncating files without write permission.
inline constexpr int kLandlockGuardsTruncation = 3;

// A ruleset that a process can apply to itself.
struct LandlockRules {
  Descriptor rules;
  int abi = 0;
};

// Creates the rules of an allow-list: everything else cannot be opened, listed, created, moved or removed,
// processes outside cannot be traced and, from version 6 on, get no signals. Throws Error(io) naming the
// refused step.
LandlockRules make_landlock_rules(const ResolvedAccess& access);

// Applies the rules to this process, on top of existing ones. Returns 0 or an errno. Makes system calls only,
// so a forked child of a threaded process may call it.
int enter_landlock(const LandlockRules& rules);

}  // namespace aqbench
