#pragma once
// Real, user and system time of a command, as the shell's `time` gives them.

#include <chrono>
#include <string>

namespace aqbench {

struct RunTimes {
  double real_s = 0;
  double user_s = 0, system_s = 0;  // of this process and of its children that have ended
};

class RunClock {
 public:
  RunClock();
  RunTimes elapsed() const;

 private:
  std::chrono::steady_clock::time_point start_;
  RunTimes before_;
};

// "real 1.234 s\nuser 0.900 s\nsys 0.110 s\n"
std::string times_block(const RunTimes& times);

}  // namespace aqbench
