#include "core/stopwatch.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace aqbench {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

RunTimes processor_times() {
  RunTimes times;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (::getrusage(who, &usage) != 0) continue;
    times.user_s += seconds_of(usage.ru_utime);
    times.system_s += seconds_of(usage.ru_stime);
  }
  return times;
}

}  // namespace

RunClock::RunClock() : start_(SteadyClock::now()), before_(processor_times()) {}

RunTimes RunClock::elapsed() const {
  const RunTimes now = processor_times();
  const double real_s = seconds_since(start_);
  return {real_s, now.user_s - before_.user_s, now.system_s - before_.system_s};
}

std::string times_block(const RunTimes& times) {
  return fmt::format("real {:.3f} s\nuser {:.3f} s\nsys {:.3f} s\n", times.real_s, times.user_s,
                     times.system_s);
}

}  // namespace aqbench
