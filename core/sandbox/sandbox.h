#pragma once
// Sandboxes a process: it reaches the paths of an allow-list, and no other files or outside processes. Uses
// Landlock and namespaces as far as the system grants them to unprivileged users.

#include <sched.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "core/descriptor.h"

namespace aqbench {

// ---- Allow-lists of files and folders for a process ----

// An allow-list. Each entry includes all below it; missing entries are ignored.
struct AccessList {
  std::vector<std::filesystem::path> readable;  // read and execute
  std::vector<std::filesystem::path> writable;  // read, execute and change
  // Hidden even if an entry above would allow them.
  std::vector<std::filesystem::path> hidden;
  // Neither read nor executed, in the same way, but under Landlock alone their names can be listed: with
  // something hidden inside, a folder cannot be listed there, and Python imports nothing from it.
  std::vector<std::filesystem::path> closed = {};
  // A writable folder. If the process gets its own file system, this folder is its /tmp; empty: no /tmp.
  std::filesystem::path temporary = {};
};

// Adds what nearly every program needs: system folders, /proc, /sys and harmless devices. /dev/shm is
// writable unless it contains something hidden.
void add_system_access(AccessList& access);

// For root, whose files the system protects from users alone: closes what other users may not read below
// /etc, /opt and /usr/local, such as /etc/shadow. `needed` paths stay open. For a user it does nothing.
void close_files_of_root(AccessList& access, const std::vector<std::filesystem::path>& needed);

// One entry of an allow-list after hidden paths were cut out.
struct AccessEntry {
  std::filesystem::path path;  // absolute and without links
  bool writable = false;
  bool folder = false;
};

// A link from a commonly used name to an allowed place, such as /bin.
struct AccessLink {
  std::filesystem::path path, target;
};

// An allow-list in the form the kernel takes.
struct ResolvedAccess {
  std::vector<AccessEntry> entries;
  // Allowed folders that contain something hidden; their remaining contents have their own entries. A
  // namespace lets the process list these folders, since hidden names are absent there. Landlock alone does
  // not: its rules apply to a folder and all below it and would expose hidden names.
  std::vector<std::filesystem::path> listable;
  // Those of them that contain something closed and nothing hidden.
  std::vector<std::filesystem::path> listable_by_rule;
  std::vector<AccessLink> links;
  std::filesystem::path temporary;
};

// The most names that may lie beside what is hidden: each takes a mount.
inline constexpr std::size_t kMaxNamesBesideHidden = 20'000;

// Replaces every folder that contains something hidden or closed by its other contents, and drops hidden,
// closed and duplicate entries. Inaccessible paths are left out. Throws Error(method) naming the folder and
// the limit where these contents are more than kMaxNamesBesideHidden.
ResolvedAccess resolve(const AccessList& access);

// Returns whether a path is `folder` or lies below it. Both must be absolute and without links.
bool lies_in(const std::filesystem::path& path, const std::filesystem::path& folder);

// ---- Unprivileged user, mount and PID namespaces: a file system that contains only allowed paths ----

// What namespaces hide.
enum class Unseen { files, files_and_processes };

// Gives this process its own file system with only the entries of the list, read-only except for writable
// ones, an empty /dev/shm if that is writable, and no capabilities. Processes outside cannot be traced, nor
// their memory, environment or open files be seen in /proc. The process must have one thread. With
// files_and_processes it continues as another process, in a PID namespace with its own /proc; writable
// entries of /proc become its own folder there. Throws Error(io) naming the refused step; the process is then
// unusable and should end.
void enter_namespaces(ResolvedAccess& access, Unseen unseen);

// The signal that a process gets when its parent ends (PR_SET_PDEATHSIG). Entering a user namespace clears
// it: read it before and set it again after.
struct DeathSignal {
  int signal = 0;  // 0: none
  pid_t parent = 0;
};

// Returns this process's death signal and its parent.
DeathSignal death_signal();

// Sets the death signal read before; ends this process if its parent has ended meanwhile. Makes system calls
// only.
void set_again(const DeathSignal& before);

// Continues in a new process, which leads a session in a new PID namespace. The caller must have one thread
// and have called unshare(CLONE_NEWPID). Three processes take part:
// - The caller never returns. It closes its files, waits, and ends with the exit code or signal of the new
//   process, or when its own parent ends.
// - Process 1 of the namespace stands between the two. Signals from inside neither kill nor stop it, and
//   processes inside cannot inspect it once the new process has given up its privileges. It ends when either
//   of the others ends, and the kernel then ends all processes of the namespace.
// - The new process returns from this function.
// Throws Error(io) if no process can be created.
void go_on_among_own_processes(const DeathSignal& outside);

// Drops every capability except `kept` (linux/capability.h) from this process and permanently from its
// children. Throws Error(io) if the system refuses.
void give_up_privileges(std::initializer_list<int> kept);

// ---- Process settings that any process of the same user may change ----
//
// A program sandboxed without a PID namespace can still address outside processes by number and change these
// settings of the sweep, so they are compared after each case.

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

// ---- The sandbox ----

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
// (go_on_among_own_processes()); otherwise a line on stderr gives the reason. Returns the means, for the
// record: "landlock ABI 7, namespace and own processes" if it sees no outside processes, "landlock ABI 7 and
// namespace" if it does, "landlock ABI 7", "namespace and own processes", "namespace", each with "; network
// open", or "none: REASON" if the system grants neither. Throws like resolve(): what cannot be hidden must not
// run.
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
