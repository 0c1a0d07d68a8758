#include "core/sandbox/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/processes/isolate.h"
#include "core/text.h"

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
  throw io_error("landlock: {}: {}", what, std::strerror(errno));
}

// The first version that also prevents truncating files without write permission.
constexpr int kLandlockGuardsTruncation = 3;

// Creates the rules of an allow-list: everything else cannot be opened, listed, created, moved or removed,
// processes outside cannot be traced and, from version 6 on, get no signals. Throws Error(io) naming the
// refused step.
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

// Applies the rules to this process, on top of existing ones. Returns 0 or an errno. Makes system calls only,
// so a forked child of a threaded process may call it.
int enter_landlock(const LandlockRules& rules) {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
  return ::syscall(kRestrictSelf, rules.rules.get(), 0) == 0 ? 0 : errno;
}

// Strongest first.
constexpr std::array kKindsOfUnseen = {Unseen::files_and_processes, Unseen::files};

// Tries in a child what could leave this process half set up. Returns the reason of a failure; empty: it
// works.
std::string namespace_problem(ResolvedAccess access, Unseen unseen) {
  constexpr double patience_s = 30;
  const IsolateOptions options{.timeout_s = patience_s};
  const IsolateOutcome outcome = run_isolated(
      [&] {
        enter_namespaces(access, unseen);
        return std::string();
      },
      options);
  return describe(outcome, options);
}

constexpr std::string_view kLandlockName = "landlock ABI ", kAndNamespace = " and namespace",
                           kNamespaceName = "namespace", kWithNamespace = ", namespace",
                           kOwnProcesses = " and own processes", kNetworkOpen = "; network open",
                           kNoneName = "none: ", kCutShort = " (does not keep files from being cut short)";

// Whether Landlock prevents truncation, or another means must.
std::string landlock_name(int abi, bool alone) {
  return fmt::format("{}{}{}", kLandlockName, abi,
                     abi >= kLandlockGuardsTruncation || !alone ? "" : kCutShort);
}

// Returns the text about namespaces after Landlock's version (0: without Landlock).
std::string namespace_name(int abi, Unseen unseen) {
  const bool own_processes = unseen == Unseen::files_and_processes;
  if (abi == 0) return fmt::format("{}{}", kNamespaceName, own_processes ? kOwnProcesses : "");
  if (!own_processes) return fmt::format("{}{}", landlock_name(abi, false), kAndNamespace);
  return fmt::format("{}{}{}", landlock_name(abi, false), kWithNamespace, kOwnProcesses);
}

// Returns the reason of a failure; empty: this process is sandboxed.
std::string landlock_problem(const ResolvedAccess& access) {
  if (landlock_abi() == 0) return "this kernel has none, or it is switched off";
  try {
    // Landlock does not keep root from the environment of other processes, nor from their files' modes.
    give_up_privileges({});
    const int error = enter_landlock(make_landlock_rules(access));
    return error == 0 ? "" : std::strerror(error);
  } catch (const Error& error) {
    return error.what();
  }
}

// Enters the strongest namespaces available. Returns the reason of a failure; empty: `unseen` says which. A
// container often covers parts of its /proc, which prevents mounting another one.
std::string enter_best_namespaces(ResolvedAccess& access, Unseen& unseen) {
  std::string problem;
  for (const Unseen kind : kKindsOfUnseen) {
    problem = namespace_problem(access, kind);
    if (problem.empty()) {
      unseen = kind;
      enter_namespaces(access, kind);
      return problem;
    }
    if (kind == Unseen::files_and_processes)
      fmt::print(stderr, "aqbench: isolation without own processes: {}\n", printable(problem));
  }
  return problem;
}

std::string enter_what_works(ResolvedAccess resolved, const SandboxMeans& means) {
  std::string no_namespace = "not asked for", no_landlock = "not asked for";
  Unseen unseen = Unseen::files;
  if (means.namespaces) no_namespace = enter_best_namespaces(resolved, unseen);
  // Landlock's rules apply to whole trees: alone they would expose hidden names below.
  if (!no_namespace.empty()) resolved.listable = resolved.listable_by_rule;
  // Paths are the same inside, so the rules can be created there.
  if (means.landlock) no_landlock = landlock_problem(resolved);
  if (!no_landlock.empty() && !no_namespace.empty())
    return one_line(fmt::format("{}landlock: {}; namespace: {}", kNoneName, no_landlock, no_namespace));
  const std::string name = no_namespace.empty()
                               ? namespace_name(no_landlock.empty() ? landlock_abi() : 0, unseen)
                               : landlock_name(landlock_abi(), true);
  return fmt::format("{}{}", name, kNetworkOpen);
}

constexpr int kOneProcess = 1;  // IOPRIO_WHO_PROCESS

std::string limit_text(rlim_t limit) {
  return limit == RLIM_INFINITY ? std::string("unlimited") : std::to_string(limit);
}

std::string processors_text(const cpu_set_t& processors) {
  std::string text;
  for (int i = 0; i < CPU_SETSIZE; ++i)
    if (CPU_ISSET(i, &processors)) text += fmt::format("{}{}", text.empty() ? "" : ",", i);
  return text;
}

}  // namespace

int landlock_abi() {
  const long abi = ::syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  return abi > 0 ? static_cast<int>(abi) : 0;
}

SandboxMeans sandbox_means_from_environment() {
  const char* const value = std::getenv("AQBENCH_ISOLATION");
  const std::string_view text = value == nullptr ? "" : value;
  if (text.empty() || text == "both") return {};
  if (text == "landlock") return {.landlock = true, .namespaces = false};
  if (text == "namespace") return {.landlock = false, .namespaces = true};
  if (text == "off")
    return {.landlock = false, .namespaces = false, .why_none = "switched off by AQBENCH_ISOLATION"};
  throw usage_error("AQBENCH_ISOLATION: '{}' is not one of both, landlock, namespace, off", text);
}

std::string enter_sandbox(const AccessList& access, const SandboxMeans& means) {
  if (!means.landlock && !means.namespaces) return fmt::format("{}{}", kNoneName, means.why_none);
  ResolvedAccess resolved = resolve(access);
  try {
    return enter_what_works(std::move(resolved), means);
  } catch (const std::exception& error) {
    return one_line(fmt::format("{}{}", kNoneName, error.what()));
  }
}

InnerSandbox::InnerSandbox(const AccessList& access, const SandboxMeans& means) {
  if (means.landlock && landlock_abi() > 0)
    rules_ = make_landlock_rules(resolve(access));
  else if (means.namespaces)
    ::prctl(PR_SET_DUMPABLE, 0);
}

int InnerSandbox::enter() const { return rules_ ? enter_landlock(*rules_) : 0; }

OwnSettings own_settings() {
  OwnSettings settings;
  const pid_t self = ::getpid();
  settings.nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(self));
  settings.policy = ::sched_getscheduler(self);
  settings.io_priority = static_cast<int>(::syscall(SYS_ioprio_get, kOneProcess, self));
  ::sched_getaffinity(self, sizeof settings.processors, &settings.processors);
  for (std::size_t i = 0; i < settings.limits.size(); ++i)
    ::getrlimit(static_cast<__rlimit_resource>(i), &settings.limits[i]);
  return settings;
}

std::string changed_settings(const OwnSettings& before, const OwnSettings& now) {
  std::string changes;
  const auto add = [&](const std::string& what, const std::string& then, const std::string& since) {
    if (then != since)
      changes += fmt::format("{}{} {} is now {}", changes.empty() ? "" : ", ", what, then, since);
  };
  add("nice", std::to_string(before.nice), std::to_string(now.nice));
  add("scheduling policy", std::to_string(before.policy), std::to_string(now.policy));
  add("I/O priority", std::to_string(before.io_priority), std::to_string(now.io_priority));
  add("processors", processors_text(before.processors), processors_text(now.processors));
  for (std::size_t i = 0; i < before.limits.size(); ++i) {
    const std::string name = fmt::format("limit {}", i);
    add(name, limit_text(before.limits[i].rlim_cur), limit_text(now.limits[i].rlim_cur));
    add("hard " + name, limit_text(before.limits[i].rlim_max), limit_text(now.limits[i].rlim_max));
  }
  return changes;
}

void restore_settings(const OwnSettings& before) {
  const pid_t self = ::getpid();
  const OwnSettings now = own_settings();
  const sched_param none{};
  // Each may be refused. Sets only what differs: setting anything else could fail, too.
  if (now.policy != before.policy) ::sched_setscheduler(self, before.policy, &none);
  if (now.nice != before.nice) ::setpriority(PRIO_PROCESS, static_cast<id_t>(self), before.nice);
  if (now.io_priority != before.io_priority) ::syscall(SYS_ioprio_set, kOneProcess, self, before.io_priority);
  if (!CPU_EQUAL(&now.processors, &before.processors))
    ::sched_setaffinity(self, sizeof before.processors, &before.processors);
  for (std::size_t i = 0; i < before.limits.size(); ++i)
    if (now.limits[i].rlim_cur != before.limits[i].rlim_cur ||
        now.limits[i].rlim_max != before.limits[i].rlim_max)
      ::setrlimit(static_cast<__rlimit_resource>(i), &before.limits[i]);
}

}  // namespace aqbench
