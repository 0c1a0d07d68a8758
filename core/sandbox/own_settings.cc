#include "core/sandbox/own_settings.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace aqbench {
namespace {

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
