#pragma once
// Elapsed time of a piece of code, and of a command as the shell's `time` reports it.

#include <chrono>
#include <string>

namespace aqbench {

// The clock of every measurement and deadline; it never jumps.
using SteadyClock = std::chrono::steady_clock;

// Returns the seconds from `start` until now.
inline double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

// Returns the milliseconds from `start` until now.
inline double ms_since(SteadyClock::time_point start) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - start).count();
}

// Real, user and system time.
struct RunTimes {
  double real_s = 0;
  double user_s = 0, system_s = 0;  // of this process and its ended children
};

// Measures a command from its construction on.
class RunClock {
 public:
  RunClock();
  RunTimes elapsed() const;

 private:
  SteadyClock::time_point start_;
  RunTimes before_;
};

// Returns "real 1.234 s\nuser 0.900 s\nsys 0.110 s\n".
std::string times_block(const RunTimes& times);

}  // namespace aqbench
