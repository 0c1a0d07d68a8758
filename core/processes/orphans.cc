#include "core/processes/isolate.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace aqbench {
namespace {

std::mutex g_mutex;
std::set<pid_t> g_groups;  // whose leaders are waited for elsewhere

// Returns an identity of the file system a process sees; empty if the process has ended or cannot be
// inspected, which `why_empty` distinguishes.
std::filesystem::path mounts_of(const std::string& process, std::error_code& why_empty) {
  return std::filesystem::read_symlink("/proc/" + process + "/ns/mnt", why_empty);
}

std::vector<std::string> children_of_this_process() {
  std::vector<std::string> found;
  std::error_code unknown;
  for (std::filesystem::directory_iterator thread("/proc/self/task", unknown), end; !unknown && thread != end;
       thread.increment(unknown)) {
    std::ifstream children(thread->path() / "children");
    for (std::string child; children >> child;) found.push_back(child);
  }
  return found;
}

// Reaps the remaining processes of a killed group, which are now children of this process.
void take_remains_of_group(pid_t group) {
  constexpr int tries = 2000, pause_us = 1000;
  for (int i = 0; i < tries; ++i) {
    const pid_t taken = ::waitpid(-group, nullptr, WNOHANG);
    if (taken < 0) return;  // there are no more
    if (taken == 0) ::usleep(pause_us);
  }
}

// Returns whether a process is exiting: its files are closed, but it cannot be reaped yet.
bool is_ending(pid_t process) {
  constexpr unsigned exiting = 0x4;  // PF_EXITING
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(
      text.substr(text.rfind(')') + 1));  // the process name before it may contain anything
  std::string state;
  int parent = 0, group = 0, session = 0, terminal = 0, foreground = 0;
  unsigned flags = 0;
  return fields >> state >> parent >> group >> session >> terminal >> foreground >> flags &&
         (flags & exiting) != 0;
}

// Reaps an ended child if it leads a group that a dead child of this process created. Returns whether to look
// again: the child is exiting, or has ended and its own children follow.
bool take_if_inherited(pid_t child) {
  const std::lock_guard lock(g_mutex);
  if (::getpgid(child) != child || ::getsid(child) != ::getsid(0) || g_groups.contains(child)) return false;
  const pid_t taken = ::waitpid(child, nullptr, WNOHANG);
  return taken == child || (taken == 0 && is_ending(child));
}

// Returns whether a process cannot gain privileges any more, as every sandboxed one.
bool gains_nothing(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line == "NoNewPrivs:\t1") return true;
  return false;
}

// Returns whether a child of this process is an orphan of a sandboxed program. If its files cannot be
// inspected, its lost privileges identify it, unless this process has lost them too.
bool is_shut_in(const std::string& child, const std::filesystem::path& mounts, std::error_code why_empty,
                const std::filesystem::path& own) {
  if (!mounts.empty()) return mounts != own;
  if (why_empty != std::errc::permission_denied || !gains_nothing(child) || gains_nothing("self"))
    return false;
  const std::lock_guard lock(g_mutex);
  return !g_groups.contains(std::stoi(child));
}

// Ends sandboxed children of this process: orphans whose supervisor is dead, and what these leave behind in
// turn. Other adopted processes (of a container's first process, say) see the same files and are left alone.
void end_orphans() {
  constexpr int tries = 2000, pause_us = 1000;  // a process blocked in the kernel cannot be reaped
  std::error_code why_empty;
  const std::filesystem::path own = mounts_of("self", why_empty);
  std::set<pid_t> killed;  // and not reaped yet: an exiting one shows no files before it can be reaped
  for (int i = 0; i < tries; ++i) {
    bool found = false;
    for (const std::string& child : children_of_this_process()) {
      const std::filesystem::path mounts = mounts_of(child, why_empty);
      const pid_t process = std::stoi(child);
      const bool shut_in = is_shut_in(child, mounts, why_empty, own);
      if (mounts.empty() && !shut_in && take_if_inherited(process)) found = true;
      if (!shut_in) continue;
      found = true;
      killed.insert(process);
      ::kill(process, SIGKILL);
    }
    std::erase_if(killed, [](pid_t process) { return ::waitpid(process, nullptr, WNOHANG) != 0; });
    if (!found && killed.empty()) return;
    ::usleep(pause_us);
  }
}

}  // namespace

void take_in_orphans() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

void begin_group(pid_t leader) {
  const std::lock_guard lock(g_mutex);
  g_groups.insert(leader);
}

void end_group(pid_t leader) {
  take_remains_of_group(leader);
  {
    const std::lock_guard lock(g_mutex);
    g_groups.erase(leader);
  }
  end_orphans();
}

}  // namespace aqbench
