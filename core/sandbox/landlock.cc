#include "core/sandbox/landlock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "core/error.h"

namespace aqbench {
namespace {

// Copied from linux/landlock.h: the build machine's header may be older than the running kernel.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr std::uint32_t kAskVersion = 1;
constexpr int kPathBeneath = 1;

constexpr std::uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3;
constexpr std::uint64_t kFirstVersion = (1 << 13) - 1;  // the four above, remove and create
constexpr std::uint64_t kRefer = 1 << 13, kTruncate = 1 << 14, kDeviceIoctl = 1 << 15;
constexpr std::uint64_t kScopeAbstractSocket = 1 << 0, kScopeSignal = 1 << 1;
// The kernel refuses a rule that gives folder rights to a file.
constexpr std::uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kDeviceIoctl;

struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

struct [[gnu::packed]] PathRule {
  std::uint64_t allowed;
  std::int32_t parent;
};

std::uint64_t handled_rights(int abi) {
  std::uint64_t rights = kFirstVersion;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kDeviceIoctl;
  return rights;
}

[[noreturn]] void landlock_error(const std::string& what) {
  throw Error(ErrorKind::io, fmt::format("landlock: {}: {}", what, std::strerror(errno)));
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

LandlockRules make_landlock_rules(const ResolvedAccess& access) {
  LandlockRules made;
  made.abi = landlock_abi();
  const std::uint64_t handled = handled_rights(made.abi);
  const RulesetAttributes attributes{handled, 0, made.abi >= 6 ? kScopeAbstractSocket | kScopeSignal : 0};
  const std::size_t known_bytes = made.abi >= 6 ? 24 : made.abi >= 4 ? 16 : 8;
  made.rules.reset(static_cast<int>(::syscall(kCreateRuleset, &attributes, known_bytes, 0)));
  if (made.rules.get() < 0) landlock_error("cannot create a ruleset");
  for (const AccessEntry& entry : access.entries) {
    const Descriptor place(::open(entry.path.c_str(), O_PATH | O_CLOEXEC));
    if (place.get() < 0) continue;  // gone meanwhile
    std::uint64_t allowed = entry.writable ? handled : kExecute | kReadFile | kReadFolder;
    if (!entry.folder) allowed &= kOfFiles;
    const PathRule rule{allowed & handled, place.get()};
    if (::syscall(kAddRule, made.rules.get(), kPathBeneath, &rule, 0) != 0)
      landlock_error(entry.path.string());
  }
  for (const std::filesystem::path& folder : access.listable) {
    const Descriptor place(::open(folder.c_str(), O_PATH | O_CLOEXEC));
    if (place.get() < 0) continue;
    const PathRule rule{kReadFolder & handled, place.get()};
    if (::syscall(kAddRule, made.rules.get(), kPathBeneath, &rule, 0) != 0) landlock_error(folder.string());
  }
  return made;
}

int enter_landlock(const LandlockRules& rules) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(kRestrictSelf, rules.rules.get(), 0) == 0 ? 0 : errno;
}

}  // namespace aqbench
