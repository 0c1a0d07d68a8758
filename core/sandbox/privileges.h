#pragma once
// Capabilities, which the administrator's processes have.

#include <initializer_list>

namespace aqbench {

// Drops every capability except `kept` (linux/capability.h) from this process and permanently from its
// children. Throws Error(io) if the system refuses.
void give_up_privileges(std::initializer_list<int> kept);

}  // namespace aqbench
