#include "core/sandbox/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/processes/isolate.h"
#include "core/processes/process.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

constexpr int kNoProcess = 125;  // exit code if a setup step failed

// Ends this process in the same way as another one ended. Must not be process 1, which cannot signal itself.
[[noreturn]] void end_as(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  ::prctl(PR_SET_DUMPABLE, 0);  // the inner process already dumped core, also where that is a report
  ::kill(::getpid(), WTERMSIG(status));
  ::_exit(128 + WTERMSIG(status));
}

// The process outside. If process 1 was killed it reported nothing, so its own end counts.
[[noreturn]] void wait_outside(pid_t first, int result_fd, const DeathSignal& outside) {
  set_again(outside);
  reset_signals();
  close_everything_but(result_fd);
  [[maybe_unused]] const int ignored = ::chdir("/");
  int status = 0;
  ssize_t size = 0;
  while ((size = ::read(result_fd, &status, sizeof status)) < 0 && errno == EINTR) {
  }
  const int own = wait_for_end(first);
  end_as(size == static_cast<ssize_t>(sizeof status) ? status : own);
}

// Process 1: adopts orphans and reports how the main process ended. It keeps one capability that no process
// inside has, so no process inside may ptrace it. From outside it is visible like any process of this user,
// even where /proc hides those of others.
[[noreturn]] void be_first(pid_t worker, int tell) {
  reset_signals();
  close_everything_but(tell);
  [[maybe_unused]] const int ignored = ::chdir("/");
  try {
    give_up_privileges({CAP_SYS_PTRACE});
  } catch (const Error&) {
    ::_exit(kNoProcess);
  }
  int status = 0;
  for (pid_t ended = 0; ended != worker;) {
    ended = ::waitpid(-1, &status, 0);
    if (ended < 0 && errno != EINTR) ::_exit(kNoProcess);
  }
  [[maybe_unused]] const ssize_t written = ::write(tell, &status, sizeof status);
  ::_exit(0);
}

const fs::path kOldRoot = "/old";
constexpr const char* kSharedMemory = "/dev/shm";
constexpr const char* kProcesses = "/proc";

[[noreturn]] void namespace_error(const std::string& step) {
  throw io_error("{}: {}", step, std::strerror(errno));
}

void require_done(int result, const std::string& step) {
  if (result != 0) namespace_error(step);
}

// Writes a file that sets up a user namespace; each must be written in one call.
int write_setting(const char* file, const char* text) {
  const int descriptor = ::open(file, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const auto size = static_cast<ssize_t>(std::strlen(text));
  const int error = ::write(descriptor, text, static_cast<std::size_t>(size)) == size ? 0 : errno;
  ::close(descriptor);
  return error;
}

// Decodes "/a\040b" of /proc/self/mountinfo to "/a b".
std::string unescape_mount_point(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    if (text[i] == '\\' && i + 3 < text.size() &&
        std::from_chars(&text[i + 1], &text[i + 4], code, 8).ec == std::errc{}) {
      plain += static_cast<char>(code);
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// Returns the mount points of the old root, by their names there.
std::vector<std::string> old_mount_points() {
  std::vector<std::string> points;
  std::ifstream mounts(kOldRoot / "proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::string point;
    std::size_t at = 0;
    for (int i = 0; i < 5 && at != line.npos; ++i) {
      const std::size_t end = line.find(' ', at);
      point = line.substr(at, end - at);
      at = end == line.npos ? end : end + 1;
    }
    point = unescape_mount_point(point);
    if (point.starts_with(kOldRoot.native() + "/")) points.push_back(point.substr(kOldRoot.native().size()));
  }
  return points;
}

// Returns 0 or the errno.
int make_point_read_only(const std::string& point) {
  struct statvfs status {};
  if (::statvfs(point.c_str(), &status) != 0) return 0;  // below an inaccessible path
  unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;
  if ((status.f_flag & ST_NOSUID) != 0) flags |= MS_NOSUID;
  if ((status.f_flag & ST_NODEV) != 0) flags |= MS_NODEV;
  if ((status.f_flag & ST_NOEXEC) != 0) flags |= MS_NOEXEC;
  return ::mount(nullptr, point.c_str(), nullptr, flags, nullptr) == 0 ? 0 : errno;
}

// A mount keeps its restrictions: unprivileged users may not lift them. What was mounted below the place came
// along.
void make_read_only(const fs::path& place, const std::vector<std::string>& old_points) {
  const auto require = [](const std::string& point, bool may_lack) {
    errno = make_point_read_only(point);
    if (errno != 0 && !(may_lack && errno == EINVAL)) namespace_error("making " + point + " read-only");
  };
  require(place, false);
  for (const std::string& point : old_points)
    if (point.starts_with(place.native()) && point != place && lies_in(point, place))
      require(point, true);  // one that cannot be bound did not come along
}

void make_mount_point(const fs::path& place, bool folder) {
  std::error_code error;
  fs::create_directories(folder ? place : place.parent_path(), error);
  if (folder || fs::exists(place, error)) return;
  const int descriptor = ::open(place.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor >= 0) ::close(descriptor);
}

// Returns false for a place that is gone meanwhile.
bool mount_place(const fs::path& place, const fs::path& at) {
  const fs::path from = kOldRoot / place.relative_path();
  if (::mount(from.c_str(), at.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0) return true;
  if (errno != ENOENT) namespace_error("mounting " + place.string());
  return false;
}

void mount_entry(const AccessEntry& entry, const std::vector<std::string>& old_points) {
  make_mount_point(entry.path, entry.folder);
  if (entry.path == kSharedMemory) {
    require_done(::mount("none", kSharedMemory, "tmpfs", MS_NOSUID | MS_NODEV, nullptr), kSharedMemory);
    return;
  }
  if (mount_place(entry.path, entry.path) && !entry.writable) make_read_only(entry.path, old_points);
}

// In /proc a process may write only its own folder, whose name differs between PID namespaces.
bool is_own_in_processes(const AccessEntry& entry) {
  return entry.writable && lies_in(entry.path, kProcesses);
}

// Returns this process's folder in its /proc, without links.
fs::path own_folder() { return fs::path(kProcesses) / std::to_string(::getpid()); }

// Mounts a /proc of this process's PID namespace, read-only except for this process's own folder if that is
// writable. The kernel refuses if anything in the outer /proc is covered.
void mount_own_processes(bool own_writable) {
  constexpr unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  make_mount_point(kProcesses, true);
  require_done(::mount("proc", kProcesses, "proc", flags, nullptr), "mounting /proc");
  const fs::path own = own_folder();
  if (own_writable)
    require_done(::mount(own.c_str(), own.c_str(), nullptr, MS_BIND, nullptr), "mounting " + own.string());
  require_done(::mount(nullptr, kProcesses, nullptr, flags | MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr),
               "making /proc read-only");
}

void mount_entries(const ResolvedAccess& access, Unseen unseen) {
  const std::vector<std::string> old_points = old_mount_points();
  // First, because other entries may lie below /tmp.
  if (!access.temporary.empty()) {
    make_mount_point("/tmp", true);
    mount_place(access.temporary, "/tmp");
  }
  std::vector<AccessEntry> entries = access.entries;
  std::ranges::sort(entries, {}, &AccessEntry::path);  // nested entries come later
  if (unseen == Unseen::files_and_processes) {
    const bool own_writable = std::ranges::any_of(entries, is_own_in_processes);
    const auto in_processes = [](const AccessEntry& entry) { return lies_in(entry.path, kProcesses); };
    if (std::erase_if(entries, in_processes) > 0) mount_own_processes(own_writable);
  }
  for (const AccessEntry& entry : entries) mount_entry(entry, old_points);
}

// Creates links that programs expect; existing ones and those without a parent folder are skipped.
void make_links(const ResolvedAccess& access) {
  for (const AccessLink& link : access.links) {
    make_mount_point(link.path.parent_path(), true);
    [[maybe_unused]] const int ignored = ::symlink(link.target.c_str(), link.path.c_str());
  }
  constexpr const char* streams[][2] = {{"/proc/self/fd", "/dev/fd"},
                                        {"/proc/self/fd/0", "/dev/stdin"},
                                        {"/proc/self/fd/1", "/dev/stdout"},
                                        {"/proc/self/fd/2", "/dev/stderr"}};
  for (const auto& [target, link] : streams) {
    [[maybe_unused]] const int ignored = ::symlink(target, link);
  }
}

// Makes an empty file system the root; the old root is at kOldRoot.
void change_root() {
  require_done(::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr), "making mounts private");
  const fs::path base = fs::exists("/tmp") ? "/tmp" : "/";
  require_done(::mount("none", base.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=755"), "mounting a root");
  require_done(::chdir(base.c_str()), base.string());
  require_done(::mkdir("old", 0700), "making a root");
  require_done(static_cast<int>(::syscall(SYS_pivot_root, ".", "old")), "changing the root");
  require_done(::chdir("/"), "/");
}

// Maps this process's user and group to themselves, so files keep their owners.
void map_identity(unsigned user, unsigned group) {
  errno = write_setting("/proc/self/setgroups", "deny");
  if (errno != 0 && errno != ENOENT) namespace_error("setgroups");
  errno = write_setting("/proc/self/uid_map", fmt::format("{0} {0} 1\n", user).c_str());
  if (errno != 0) namespace_error("uid_map");
  errno = write_setting("/proc/self/gid_map", fmt::format("{0} {0} 1\n", group).c_str());
  if (errno != 0) namespace_error("gid_map");
}

}  // namespace

DeathSignal death_signal() {
  DeathSignal now;
  now.parent = ::getppid();
  ::prctl(PR_GET_PDEATHSIG, &now.signal);
  return now;
}

void set_again(const DeathSignal& before) {
  if (before.signal == 0) return;
  ::prctl(PR_SET_PDEATHSIG, before.signal);
  if (::getppid() != before.parent) ::_exit(kNoProcess);
}

void go_on_among_own_processes(const DeathSignal& outside) {
  Pipe end("pipe to process 1");
  std::array<char, 16> name{};
  ::prctl(PR_GET_NAME, name.data());
  ::prctl(PR_SET_NAME, "aqbench:first");  // process 1 always has this name
  const pid_t first = ::fork();
  if (first != 0) ::prctl(PR_SET_NAME, name.data());
  if (first < 0) throw Error(ErrorKind::io, std::string("fork: ") + std::strerror(errno));
  if (first > 0) {
    end.write.reset();
    wait_outside(first, end.read.get(), outside);
  }
  end.read.reset();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  pollfd other{end.write.get(), 0, 0};
  if (::poll(&other, 1, 0) > 0) ::_exit(kNoProcess);  // the outer process ended before the line above
  const pid_t worker = ::fork();
  if (worker < 0) ::_exit(kNoProcess);
  if (worker > 0) be_first(worker, end.write.get());
  ::prctl(PR_SET_NAME, name.data());
  ::setsid();  // otherwise signals for this process's group would reach those two
}

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
  if (failed != 0) throw io_error("giving up privileges: {}", std::strerror(errno));
}

void enter_namespaces(ResolvedAccess& access, Unseen unseen) {
  const bool own_processes = unseen == Unseen::files_and_processes;
  const unsigned user = ::geteuid(), group = ::getegid();  // overflow ids until they are mapped
  const DeathSignal before = death_signal();
  std::error_code unknown;
  const fs::path working_folder = fs::current_path(unknown);
  require_done(::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | (own_processes ? CLONE_NEWPID : 0)),
               own_processes ? "a user, mount and PID namespace" : "a user and mount namespace");
  map_identity(user, group);
  if (own_processes) {
    go_on_among_own_processes(before);
    for (AccessEntry& entry : access.entries)
      if (is_own_in_processes(entry)) entry.path = own_folder();
  }
  change_root();
  mount_entries(access, unseen);
  make_links(access);
  // A disallowed working folder exists but is empty, so relative names resolve.
  make_mount_point(working_folder, true);
  if (::chdir(working_folder.c_str()) != 0) require_done(::chdir("/"), "/");
  require_done(::umount2(kOldRoot.c_str(), MNT_DETACH), "leaving the old root");
  require_done(::rmdir(kOldRoot.c_str()), "leaving the old root");
  constexpr unsigned long read_only = MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV;
  require_done(::mount(nullptr, "/", nullptr, read_only, nullptr), "making the root read-only");
  give_up_privileges({});
  if (!own_processes) set_again(before);  // process 1 takes this one along
}

}  // namespace aqbench
