#include "core/processes/instruction_counter.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

namespace aqbench {

InstructionCounter::InstructionCounter()
    : InstructionCounter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS) {}

InstructionCounter::InstructionCounter(std::uint32_t type, std::uint64_t config) {
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = type;
  event.config = config;
  event.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  event.disabled = event.inherit = event.exclude_kernel = event.exclude_hv = 1;
  counter_.reset(static_cast<int>(::syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (counter_.get() < 0)
    why_not_ = fmt::format("the kernel counts none here (perf_event_open: {})", std::strerror(errno));
}

InstructionCounter::Reading InstructionCounter::read() const {
  Reading reading;
  if (::read(counter_.get(), &reading, sizeof reading) != sizeof reading) return {};
  return reading;
}

void InstructionCounter::start() {
  before_ = read();
  ::ioctl(counter_.get(), PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<double> InstructionCounter::stop() {
  ::ioctl(counter_.get(), PERF_EVENT_IOC_DISABLE, 0);
  const Reading now = read();
  const bool shared = now.running_ns - before_.running_ns < now.enabled_ns - before_.enabled_ns;
  if (shared || now.count <= before_.count) return std::nullopt;
  return static_cast<double>(now.count - before_.count);
}

}  // namespace aqbench
