#pragma once
// Capabilities, which the administrator's processes have.

#include <initializer_list>

namespace aqbench {

// Takes from this process, and for good from all that it starts, every capability but those that are kept
// (linux/capability.h). Throws Error(io) where the system refuses.
void give_up_privileges(std::initializer_list<int> kept);

}  // namespace aqbench
