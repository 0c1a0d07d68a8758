#include "core/sandbox/privileges.h"

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace aqbench {

void give_up_privileges(std::initializer_list<int> kept) {
  constexpr int bits = 32;
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    if (std::ranges::find(kept, capability) == kept.end()) ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> held{};
  int failed = static_cast<int>(::syscall(SYS_capget, &header, held.data()));
  std::array<std::uint32_t, 2> mask{};
  for (const int capability : kept) mask.at(capability / bits) |= std::uint32_t{1} << (capability % bits);
  for (std::size_t i = 0; i < held.size(); ++i) {
    held[i].permitted &= mask[i];
    held[i].effective &= mask[i];
    held[i].inheritable &= mask[i];
  }
  if (failed == 0) failed = static_cast<int>(::syscall(SYS_capset, &header, held.data()));
  if (failed == 0) failed = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (failed != 0) throw Error(ErrorKind::io, fmt::format("giving up privileges: {}", std::strerror(errno)));
}

}  // namespace aqbench
